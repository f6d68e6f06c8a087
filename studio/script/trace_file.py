"""What a run of a script tells, written into a file as it happens: `--trace FILE`."""

from collections.abc import Sequence
from pathlib import Path

from studio.errors import UsageError
from studio.trace.events import Entry, entry_to_json


class TraceFile:
    """A file to which entries are added, one a line, keyless as they are recorded."""

    def __init__(self, path: Path) -> None:
        """Make it; raises `UsageError` where nothing can be written."""
        self.path = path
        self.trouble = ""
        """Why it lacks what happened last."""
        try:
            with path.open("a+b") as file:
                file.seek(0)
                first = next((line for line in file if line.strip()), b"")
        except OSError as error:
            raise UsageError(f"`{path}` cannot be written: {error.strerror or error}.") from error
        if first and not _is_entry(first):
            raise UsageError(f"`{path}` is there already and is no trace.", hint="Choose another file.")

    def add(self, entries: Sequence[Entry]) -> None:
        """Add what has happened; what stands there may end in the middle of a line."""
        if self.trouble:
            return
        try:
            with self.path.open("ab") as file:
                file.write(b"".join(b"\n" + entry_to_json(one) + b"\n" for one in entries))
        except OSError as error:
            self.trouble = f"`{self.path}` could not be written to its end: {error.strerror or error}."


def _is_entry(line: bytes) -> bool:
    """Whether a line is one of a trace, be it of another version, or broken off."""
    return line.lstrip().startswith(b'{"') and b'"event"' in line
