"""The terminal of an exported script, in the place of the window: what is said there, and who answers."""

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread

from studio.sdk.context import Form
from studio.sdk.part import Part
from studio.sdk.prelude.filling import Filling


class WaitingError(BaseException):
    """Something waits for a person, and nobody is here to ask; no `Exception`, for nothing mends it."""


@dataclass
class Keyboard:
    """Gives what a person types, line by line, to one question at a time."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    typed: asyncio.Future[str] | None = None

    async def typed_line(self) -> str:
        """Wait for a line; where whoever asked is stopped meanwhile, it answers the next question.

        It is read on a thread of its own, which never keeps the script from ending.
        """
        if self.typed is None:
            loop = asyncio.get_running_loop()
            typed = self.typed = loop.create_future()

            def read() -> None:
                line = ""
                with suppress(AttributeError, OSError, ValueError):  # nothing is there to read, or no text
                    line = sys.stdin.readline()
                with suppress(RuntimeError):  # the script has ended
                    loop.call_soon_threadsafe(typed.set_result, line)

            Thread(target=read, daemon=True).start()
        line = await asyncio.shield(self.typed)
        self.typed = None
        return line


@dataclass
class Terminal:
    """Says what happens, and asks whoever sits there."""

    keyboard: Keyboard = field(default_factory=Keyboard)

    async def ask(self, form: Form) -> Mapping[str, object]:
        """Ask the person at the terminal, field by field, until what is typed fits."""

        async def line() -> str:
            """Wait for what is typed."""
            typed = await self.keyboard.typed_line()
            if not typed:
                self.say("")
                raise WaitingError(f"Nobody is here to answer: {form.question}")
            return typed.strip()

        async with self.keyboard.turn:
            self.say(f"\n? {form.question}")
            return await Filling(form.schema, line, self.put_out).filled()

    async def asked_by_server(
        self, question: str, schema: Mapping[str, object]
    ) -> Mapping[str, object] | None:
        """Ask the person at the terminal what a server wants to know; None where they decline to answer."""
        offer = {"type": "boolean", "title": "Answer it", "default": True}
        form = {"type": "object", "properties": {"wanted": offer}}
        wanted = await self.ask(Form(f"A server asks: {question}", form))
        return await self.ask(Form(question, schema)) if wanted.get("wanted") else None

    def put_out(self, text: str) -> None:
        """Write to standard error, without a break."""
        print(text, end="", file=sys.stderr, flush=True)

    def progress(self, done: float, total: float, note: str = "") -> None:
        """Say how far a step has come."""
        self.say(f"{done:g} of {total:g} {note}".rstrip())

    def tell(self, part: Part) -> None:
        """Say what a step makes as it goes."""
        self.say(f"{part.title}: {part.status}")

    def log(self, text: str) -> None:
        """Say what a step has to tell."""
        self.say(text)

    def say(self, text: str) -> None:
        """Say on standard error what happens."""
        print(text, file=sys.stderr)
