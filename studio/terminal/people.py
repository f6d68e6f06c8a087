"""The person at the terminal answers what nodes ask."""

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext

from studio.errors import WaitingError
from studio.ids import StepId
from studio.runtime.resources.people import in_short
from studio.sdk import Form
from studio.servers.records import DECLINED, MAY_DECLINE
from studio.terminal.form_entry import Filling
from studio.terminal.text_editor import edited

WANTED = {"type": "boolean", "title": "Answer it", "default": True}


class TerminalPeople:
    """Asks on standard error and reads lines from a file descriptor, one question at a time.

    The descriptor is watched by the event loop, so that Ctrl+C ends a question as it ends everything else.
    """

    def __init__(
        self,
        ask: Callable[[str], None],
        descriptor: int,
        quiet: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Make it; `quiet` keeps others from writing to the terminal while somebody types."""
        self._say = ask
        self._quiet = quiet
        self._descriptor = descriptor
        self._turn = asyncio.Lock()
        self._read_ahead = b""

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Ask for each field until what is typed fits; raises `WaitingError` at the end of input."""
        async with self._turn:
            with self._quiet():
                return await self._asked(step, form)

    async def _asked(self, step: StepId, form: Form) -> Mapping[str, object]:
        self._say(f"\n? {form.question}  ({step})\n")

        async def line() -> str:
            typed = await self._line()
            if typed is None:
                message = f"`{step}` waits for a person: {in_short(form.question)}"
                raise WaitingError(message, hint="Run it in a terminal or in the window to answer.")
            return typed

        filling = Filling(form.schema, line, self._say, edited)
        if form.schema.get(MAY_DECLINE) is True and not await filling.field(
            "answer", WANTED, is_required=True
        ):
            return {DECLINED: True}
        return await filling.filled()

    async def _line(self) -> str | None:
        """The next line without its break and outer spaces; None at the end of input."""
        while b"\n" not in self._read_ahead:
            received = await _read(self._descriptor)
            if not received:
                rest, self._read_ahead = self._read_ahead, b""
                return rest.decode("utf-8", "replace").strip() if rest else None
            self._read_ahead += received
        line, _, self._read_ahead = self._read_ahead.partition(b"\n")
        return line.decode("utf-8", "replace").strip()


def terminal() -> int | None:
    """The descriptor of standard input where a person sits at it, else None."""
    try:
        return sys.stdin.fileno() if sys.stdin.isatty() else None
    except (AttributeError, OSError, ValueError):
        return None


async def _read(descriptor: int) -> bytes:
    loop = asyncio.get_running_loop()
    readable: asyncio.Future[None] = loop.create_future()

    def tell() -> None:
        if not readable.done():
            readable.set_result(None)

    loop.add_reader(descriptor, tell)
    try:
        await readable
    finally:
        loop.remove_reader(descriptor)
    return os.read(descriptor, 1 << 16)
