"""Server-sent events from bytes, with a cap on the length of a line.

Follows https://html.spec.whatwg.org/multipage/server-sent-events.html as far as the Chat Completions
protocol uses it: `data:` fields, comments, events that end with an empty line.
"""

from collections.abc import Iterator

from studio.errors import ChatIncompleteError


class EventReader:
    """Splits a byte stream into the data of its events; every byte is looked at once."""

    def __init__(self, line_limit: int) -> None:
        self._line_limit = line_limit
        self._parts: list[bytes] = []
        self._size = 0
        self._data: list[bytes] = []

    def feed(self, received: bytes) -> Iterator[str]:
        """Give the data of each event that `received` completes.

        Raises `ChatIncompleteError` for a line longer than the limit.
        """
        *lines, rest = received.split(b"\n")
        for line in lines:
            yield from self._read_line(line)
        if rest:
            self._hold(rest)

    def finish(self) -> Iterator[str]:
        """Give the data of an event that the end of the stream left without its empty line."""
        yield from self._read_line(b"")
        yield from self._read_line(b"")

    def _hold(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._line_limit:
            message = f"The endpoint sent a line of more than {self._line_limit:,} bytes."
            raise ChatIncompleteError(message, hint="Nothing of the answer was used; try again.")
        self._parts.append(part)

    def _read_line(self, end: bytes) -> Iterator[str]:
        self._hold(end)
        line = b"".join(self._parts) if len(self._parts) > 1 else end
        self._parts.clear()
        self._size = 0
        if line.endswith(b"\r"):
            line = line[:-1]
        if line.startswith(b"data:"):
            self._data.append(line[6:] if line.startswith(b"data: ") else line[5:])
        elif not line and self._data:
            # Lines are whole here, so a character split between two packets is not mistaken for damage.
            yield b"\n".join(self._data).decode("utf-8", "replace")
            self._data.clear()
