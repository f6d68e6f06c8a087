"""One window at a run of another process: what it asks is done, what happens is told, until it leaves."""

import asyncio
import os
from typing import Protocol

from pydantic import ValidationError

from studio.errors import StepwireError
from studio.host.outbox import Outbox
from studio.host.protocol import (
    Attached,
    AttachRun,
    CancelRun,
    HostReady,
    RunAsked,
    RunEnded,
    RunRefused,
    StartRun,
    read_asked,
)
from studio.host.run_in_hand import RunInHand
from studio.host.talk import Speaker, hear
from studio.ids import RunId

LAST_WORDS = 1.0
"""Seconds that a window has to read the end of a run."""


class Visited(Protocol):
    """What a visit finds behind a door."""

    def is_in(self, visit: "Visit") -> bool:
        """Whether this is the one that follows the run."""
        ...

    def enter(self, visit: "Visit") -> int | None:
        """Let it follow the run; gives the number of the last entry before, None where it must not."""
        ...

    def leave(self, visit: "Visit") -> None:
        """Note that it is over."""
        ...

    def stop(self) -> None:
        """Stop the run."""
        ...


class Visit:
    """A connection to a run. It follows the run once it has asked to; to stop the run, it need not."""

    def __init__(self, door: Visited, run: RunId, hand: RunInHand, writer: asyncio.StreamWriter) -> None:
        self.outbox = Outbox()
        self._run = run
        self._hand = hand
        self._door = door
        self._writer = writer
        self._speaker = Speaker(self.outbox)

    async def serve(self, reader: asyncio.StreamReader) -> None:
        """Serve until the window leaves, or is cancelled at the end of the run; closes the connection."""
        self._speaker.say(HostReady(os.getpid()))
        speaking = asyncio.ensure_future(self._speaker.speak(self._writer))
        try:
            while (body := await hear(reader)) is not None:
                self._hear(body)
        except asyncio.CancelledError:
            await self._say_last_words(speaking)
        finally:
            speaking.cancel()
            self._door.leave(self)
            self._writer.close()

    def drop(self) -> None:
        """Let a window go that does not read; the run does not wait for it."""
        self._writer.transport.abort()

    async def _say_last_words(self, speaking: "asyncio.Future[None]") -> None:
        self._speaker.say(RunEnded(self._run))
        self._speaker.end()
        _, late = await asyncio.wait((speaking,), timeout=LAST_WORDS)
        if late:
            self.drop()

    def _hear(self, body: bytes) -> None:
        try:
            asked = read_asked(body)
        except ValidationError as error:
            self._refuse(f"The run was asked something that it does not know: {error}")
            return
        if isinstance(asked, StartRun) or asked.run != self._run:
            self._refuse("This process goes on with one run only.")
        elif isinstance(asked, AttachRun):
            self._attach(asked)
        elif self._door.is_in(self) or isinstance(asked, CancelRun):
            self._do(asked)
        else:
            self._refuse("This run is not followed by the window that asked something of it.")

    def _attach(self, asked: AttachRun) -> None:
        published = self._door.enter(self)
        if published is None:
            self._refuse(
                "Another window controls this run.",
                "Detach it there; until then you can only watch.",
            )
            return
        self._hand.gate.set_breakpoints(asked.breakpoints)
        self._speaker.say(Attached(self._run, published, os.getpid()))
        self._speaker.count(self._run, lambda: self._hand.gate.hits)

    def _do(self, asked: RunAsked) -> None:
        if isinstance(asked, CancelRun):
            self._door.stop()
            return
        try:
            self._hand.do(asked)
        except StepwireError as error:
            self._refuse(error.message, error.hint)
        except Exception as error:  # noqa: BLE001  # a window must not end the run of a terminal
            said = f"Unexpected error: {type(error).__name__}: {error}".rstrip(": ")
            self._refuse(said)

    def _refuse(self, message: str, hint: str = "") -> None:
        self._speaker.say(RunRefused(self._run, message, hint))
