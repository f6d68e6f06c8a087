"""Python as `black` sets it, without starting a process."""

from functools import lru_cache

from black import format_str
from black.mode import Mode, TargetVersion
from black.parsing import InvalidInput

from studio.errors import ExportError

LINE_LENGTH = 88
MODE = Mode(line_length=LINE_LENGTH, target_versions={TargetVersion.PY311}, magic_trailing_comma=False)


@lru_cache(maxsize=4096)
def formatted(text: str) -> str:
    """A part of a script, which is often the same in others: the formatter takes most of an export's time."""
    try:
        return format_str(text, mode=MODE)
    except InvalidInput as error:
        raise ExportError(f"The script could not be written: {error}") from error
