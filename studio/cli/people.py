"""The person at the terminal answers what nodes ask."""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import cast

from studio.errors import WaitingError
from studio.ids import StepId
from studio.sdk import Form

_TRUE = frozenset({"y", "yes", "true", "1"})
_FALSE = frozenset({"n", "no", "false", "0"})


class TerminalPeople:
    """Asks on standard error and reads lines from a file descriptor, one question at a time.

    The descriptor is watched by the event loop, so that Ctrl+C ends a question as it ends everything else.
    """

    def __init__(self, ask: Callable[[str], None], descriptor: int) -> None:
        self._say = ask
        self._descriptor = descriptor
        self._turn = asyncio.Lock()
        self._read_ahead = b""

    async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
        """Ask for each field until what is typed fits; raises `WaitingError` at the end of input."""
        async with self._turn:
            self._say(f"\n? {form.question}  ({step})\n")
            fields = cast("Mapping[str, Mapping[str, object]]", form.schema.get("properties", {}))
            required = cast("list[str]", form.schema.get("required", []))
            answer: dict[str, object] = {}
            for name, schema in fields.items():
                found = await self._field(step, form, name, schema, is_required=name in required)
                if found is not None:
                    answer[name] = found
            return answer

    async def _field(
        self, step: StepId, form: Form, name: str, schema: Mapping[str, object], *, is_required: bool
    ) -> object | None:
        while True:
            self._say(f"  {_prompt(name, schema)}: ")
            line = await self._line()
            if line is None:
                message = f"`{step}` waits for a person: {form.question}"
                raise WaitingError(message, hint="Run it in a terminal or in the window to answer.")
            if not line:
                default = schema.get("default")
                if default is not None or not is_required:
                    return default
                self._say("  Something has to be answered here.\n")
                continue
            try:
                return read_answer(line, schema)
            except ValueError as error:
                self._say(f"  {error}\n")

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


def read_answer(text: str, schema: Mapping[str, object]) -> object:
    """Read what a person typed as a value of a field's JSON Schema; raises `ValueError` in words for them."""
    choices = schema.get("enum")
    if isinstance(choices, list):
        for choice in cast("list[object]", choices):
            if text.casefold() == str(choice).casefold():
                return choice
        raise ValueError(f"Choose one of {_joined(cast('list[object]', choices))}.")
    match schema.get("type", "string"):
        case "string":
            return text
        case "boolean":
            if text.casefold() in _TRUE | _FALSE:
                return text.casefold() in _TRUE
            raise ValueError("Answer yes or no.")
        case "integer" | "number" as kind:
            with suppress(ValueError):
                return int(text)
            with suppress(ValueError):
                if kind == "number":
                    return float(text)
            raise ValueError(
                "This has to be a whole number." if kind == "integer" else "This has to be a number."
            )
        case _:
            try:
                return json.loads(text)
            except ValueError:
                raise ValueError("This has to be written as JSON.") from None


def terminal() -> int | None:
    """The descriptor of standard input where a person sits at it, else None."""
    try:
        return sys.stdin.fileno() if sys.stdin.isatty() else None
    except (AttributeError, OSError, ValueError):
        return None


def _prompt(name: str, schema: Mapping[str, object]) -> str:
    title = str(schema.get("title", name))
    choices = schema.get("enum")
    if isinstance(choices, list):
        title += f" ({_joined(cast('list[object]', choices))})"
    elif schema.get("type") == "boolean":
        title += " (yes, no)"
    default = schema.get("default")
    return title if default is None else f"{title} [{default}]"


def _joined(choices: list[object]) -> str:
    return ", ".join(str(choice) for choice in choices)


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
