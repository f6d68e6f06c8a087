"""Python as `black` sets it, without starting a process."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from studio.errors import ExportError

if TYPE_CHECKING:
    from black.mode import Mode

LINE_LENGTH = 88


@cache
def mode() -> "Mode":
    """How black sets what is exported."""
    from black.mode import Mode, TargetVersion

    return Mode(line_length=LINE_LENGTH, target_versions={TargetVersion.PY311}, magic_trailing_comma=False)


@lru_cache(maxsize=4096)
def formatted(text: str) -> str:
    """A part of a script, which is often the same in others: the formatter takes most of an export's time."""
    from black import format_str
    from black.parsing import InvalidInput

    try:
        return format_str(text, mode=mode())
    except InvalidInput as error:
        raise ExportError(f"The script could not be written: {error}") from error
