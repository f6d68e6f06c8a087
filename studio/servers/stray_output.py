"""What a server over a pipe sends that cannot be read: the answer to a call, or words beside the protocol.

The official client notes what it cannot read, and whoever waits for that answer waits until its time is over.
Here, the call gets an error at once. What is no message of the protocol, as lines that a program prints where
it should not, is noted, and the calls go on.
"""

import re
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Self, TypeAlias, cast

UNREADABLE = "Failed to parse"
"""Begins the error of a call whose answer could not be read, here as in the official client."""

QUOTED = 200
"""Characters of what cannot be read that are told."""

Waiting: TypeAlias = dict[object, None]
"""The numbers of requests that wait for an answer."""

_NUMBER = re.compile(r'"id"\s*:\s*(\d{1,18})')


@asynccontextmanager
async def readable(
    transport: AbstractAsyncContextManager[Any], on_note: Callable[[str], None]
) -> AsyncGenerator[tuple[object, object]]:
    """Open a transport whose unreadable answers are errors of the requests that they were for."""
    async with transport as (read, write):
        waiting: Waiting = {}
        yield _Reading(read, waiting, on_note), _Writing(write, waiting)


class _Stream:
    """A stream of the official client."""

    def __init__(self, inner: Any, waiting: Waiting) -> None:
        self._inner = inner
        self._waiting = waiting

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *reason: object) -> None:
        await self._inner.__aexit__(*reason)


class _Writing(_Stream):
    """Sends messages, and remembers which requests wait for an answer."""

    def __init__(self, inner: Any, waiting: Waiting) -> None:
        super().__init__(inner, waiting)
        self.send = self._sent
        """Sends a message; the official client is who asks for it."""

    async def _sent(self, item: Any) -> None:
        number = getattr(item.message, "id", None)
        if number is not None and hasattr(item.message, "method"):
            self._waiting[number] = None
        await self._inner.send(item)


class _Reading(_Stream):
    """Gives messages; one that cannot be read is an error of the request that it would answer."""

    def __init__(self, inner: Any, waiting: Waiting, on_note: Callable[[str], None]) -> None:
        super().__init__(inner, waiting)
        self._on_note = on_note
        self._made: deque[object] = deque()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> object:
        while not self._made:
            item = await self._inner.__anext__()
            if not isinstance(item, Exception):
                if not hasattr(item.message, "method"):
                    self._waiting.pop(item.message.id, None)
                return item
            text = _unread(item)
            if '"jsonrpc"' in text:
                self._made.extend(self._errors(text))
            elif text.strip():
                self._on_note(_short(text))
        return self._made.popleft()

    def _errors(self, text: str) -> list[object]:
        """Fail the request that a text would answer; where that cannot be told, all that wait."""
        from mcp.shared.message import SessionMessage
        from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError

        named = (int(found[1]) for found in _NUMBER.finditer(text))
        meant = next((number for number in named if number in self._waiting), None)
        error = ErrorData(code=PARSE_ERROR, message=f"{UNREADABLE}: {_short(text)}")
        errors: list[object] = []
        for number in list(self._waiting) if meant is None else [meant]:
            del self._waiting[number]
            errors.append(SessionMessage(JSONRPCError(jsonrpc="2.0", id=cast("int", number), error=error)))
        return errors


def _unread(error: Exception) -> str:
    """The line that could not be read, as far as the error tells."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    # JSON that is no message has been taken apart: each of its errors has the part that is meant.
    inputs: list[object] = [one["input"] for one in error.errors()]
    whole = next((cast("object", one) for one in inputs if isinstance(one, dict)), inputs[0])
    return whole if isinstance(whole, str) else repr(whole).replace("'", '"')


def _short(text: str) -> str:
    start = text.strip()[:QUOTED].encode("ascii", "backslashreplace").decode()
    return f"{start}…" if len(text) > QUOTED else start
