"""The four clocks of one answer, kept on one timer."""

import asyncio
from types import TracebackType
from typing import Self

from studio.errors import ChatIncompleteError
from studio.llm.limits import TimeLimits

AFTER_FINISH = 2.0
"""Seconds that usage and the end mark may take once the answer itself is complete."""


class Clocks:
    """An async context that raises `TimeoutError` when the first of its clocks runs out.

    Before the first content the first-token clock counts, afterwards the idle clock, and the total clock
    always. An answer that is not streamed has no pieces, so only the total counts. The connect clock is
    kept by the HTTP library.
    """

    def __init__(self, limits: TimeLimits, *, streamed: bool) -> None:
        self._limits = limits
        self._streamed = streamed
        self._waits_for = "first token" if streamed else "whole answer"
        self._allowed = limits.first_token if streamed else limits.total
        self._loop = asyncio.get_running_loop()
        self._end = self._loop.time() + limits.total
        self._timer = asyncio.timeout_at(min(self._loop.time() + self._allowed, self._end))

    async def __aenter__(self) -> Self:
        await self._timer.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        return await self._timer.__aexit__(kind, error, traceback)

    def content_came(self, *, finished: bool) -> None:
        """Start the idle clock anew; after the finish only the formalities may take their time."""
        if self._timer.expired():
            return
        self._waits_for = "next piece"
        self._allowed = min(self._limits.idle, AFTER_FINISH) if finished else self._limits.idle
        self._timer.reschedule(min(self._loop.time() + self._allowed, self._end))

    def error(self, endpoint: str) -> ChatIncompleteError:
        """Say which clock ran out."""
        if self._loop.time() >= self._end:
            message = f"{endpoint} took more than {self._limits.total:g} s for the whole answer."
            hint = "Nothing of it was used; raise `total` in the chat profile's time limits."
            return ChatIncompleteError(message, hint=hint)
        name = "first_token" if self._waits_for == "first token" else "idle"
        message = f"{endpoint} sent nothing for {self._allowed:g} s; the {self._waits_for} did not come."
        hint = f"Try again, or raise `{name}` in the chat profile's time limits."
        return ChatIncompleteError(message, hint=hint)
