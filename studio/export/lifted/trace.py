"""What a script tells with `--trace FILE`: the events of the studio, one a line, as they happen.

Lifted into scripts as it stands, less what a script does not use. What is not told here, such as whose step
stands in which, the studio works out from the flow when it opens the trace.
"""

import asyncio
import inspect
import json
import os
import re
import time
from argparse import ArgumentTypeError
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from functools import wraps
from hashlib import sha256
from pathlib import Path
from random import Random
from secrets import token_hex
from typing import Any, Self, TypeVar, cast

from studio.export.lifted.context import Context
from studio.export.lifted.memories import KeptItems
from studio.export.lifted.steps import told
from studio.llm.client import ChatAnswer, ChatRequest, ToolCall
from studio.sdk.context import Folder, Form
from studio.sdk.items import MemoryPlace
from studio.sdk.tool import Tool

Step = TypeVar("Step", bound=Callable[..., Any])
Given = TypeVar("Given")

IN_CALL: ContextVar[str] = ContextVar("the call of a tool", default="")
TELLS_CODE: ContextVar[bool] = ContextVar("whether code in it is a call of its own", default=False)


def traced(*takes: str, gives: str = "") -> Callable[[Step], Step]:
    """Let a trace know of a step what it `takes`, and what it `gives`: that, or several things by name."""

    def decorate(function: Step) -> Step:
        bind = inspect.signature(function).bind

        @wraps(function)
        async def step(*args: Any, **kwargs: Any) -> Any:
            with working(bind(*args, **kwargs).arguments, takes) as end:
                result = await function(*args, **kwargs)
                end["outputs"] = shown({gives: result} if gives else result)
            return result

        return cast("Step", step)

    return decorate


def traced_at_once(*takes: str, gives: str = "") -> Callable[[Step], Step]:
    """Let a trace know of a step that nobody waits for."""

    def decorate(function: Step) -> Step:
        bind = inspect.signature(function).bind

        @wraps(function)
        def step(*args: Any, **kwargs: Any) -> Any:
            with working(bind(*args, **kwargs).arguments, takes) as end:
                result = function(*args, **kwargs)
                end["outputs"] = shown({gives: result} if gives else result)
            return result

        return cast("Step", step)

    return decorate


def working(given: dict[str, Any], takes: Sequence[str]) -> AbstractContextManager[dict[str, object]]:
    """Tell of the work of a step, where a trace wants to know."""
    contexts = [one for one in given.values() if isinstance(one, TracedContext)]
    if not contexts:
        return nullcontext({})
    taken = {name: given[name] for name in takes if name in given}
    said = {"inputs": shown(taken | given.get("inputs", {}))}
    trace, name = contexts[0].trace, contexts[0].name
    return trace.telling(name, "step_started", said, "step_finished")


class Trace:
    """A file to which is added what happens, one entry a line; keys stay out of it."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        try:
            self.path.open("a").close()
        except OSError as error:
            raise ArgumentTypeError(f"{path!r} cannot be written: {error.strerror}") from error
        self.run = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{token_hex(4)[1:]}"
        self.counts: Counter[str] = Counter()
        self.chances: dict[str, Random] = {}  # only with: .chances
        secret = re.compile("KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
        keys = sorted((os.environ[one] for one in os.environ if secret.search(one)), key=len, reverse=True)
        self.keys = [json.dumps(one)[1:-1] for one in keys if len(one) > 5]

    def nth(self, name: str) -> int:
        """Count what is of one name."""
        self.counts[name] += 1
        return self.counts[name]

    def enter(self, step: str, kind: str, said: Mapping[str, object]) -> None:
        """Add an entry."""
        entry: dict[str, object] = {"run": self.run, "number": self.nth("")}
        entry |= {"step": step, "time": time.time(), "event": {"kind": kind, **said}}
        line = json.dumps(entry, default=as_json, skipkeys=True)
        for key in self.keys:
            # In a text that is JSON itself, and as it is.
            for form in (json.dumps(key)[1:-1], key):
                line = line.replace(form, "[hidden]")
        with self.path.open("a", encoding="utf-8") as file:
            # What stands there may end in the middle of a line.
            file.write(f"\n{line}\n")

    @contextmanager
    def telling(
        self, step: str, began: str, said: Mapping[str, object], ended: str
    ) -> Generator[dict[str, object], None, None]:
        """Tell that something began, and how it ended: with what is put into what this gives."""
        self.enter(step, began, said)
        end: dict[str, object] = {}
        kind = "step" if step else "run"
        try:
            yield end
        except asyncio.CancelledError:
            self.enter(step, f"{kind}_cancelled", {})
            raise
        except BaseException as error:
            self.enter(step, f"{kind}_failed", told(error))
            raise
        self.enter(step, ended, end)

    async def follow(self, work: Awaitable[Given], **said: object) -> Given:
        """Tell of the whole run."""
        with self.telling("", "run_started", said, "run_finished") as end:
            result = await work
            end["outputs"] = shown(result)
        return result


def shown(values: Any) -> dict[str, object]:
    """Give values by name as a trace has them; what is not there is missing."""
    found: dict[str, Any] = values or {}
    if is_dataclass(values):
        found = {one.name: getattr(values, one.name) for one in fields(values)}
        if "fields" in found:  # only with: fields
            found |= found.pop("fields") or {}
    return {name: {"data": one} for name, one in found.items() if one is not None}


def as_json(value: Any) -> object:
    """Give what JSON can't say: a record by its fields, anything else as text."""
    if is_dataclass(value):
        found = {one.name: getattr(value, one.name) for one in fields(value)}
        return {name: one for name, one in found.items() if one not in (None, ())}
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    return str(value)


@dataclass(kw_only=True)
class TracedContext(Context):
    """A context that tells what a step does by it."""

    trace: Trace
    name: str = ""
    attempt: str = ""
    lends: bool = False

    def step(self, name: str) -> Self:
        """Give a step its own; one of the same name is another attempt."""
        whole = f"{self.name}{self.attempt}/{name}".strip("/")
        tries = self.trace.nth(whole)
        attempt = f"@{tries}" if tries > 1 else ""
        return replace(super().step(name), name=whole, attempt=attempt)

    def lender(self, name: str, node: str = "") -> Self:
        """Give its own to what lends tools: it works inside calls of these."""
        return replace(super().lender(name, node=node), name=name, attempt="", lends=True)

    def inside(self, name: str) -> Self:
        """Give its own to a flow that a tool runs."""
        return replace(self, name=f"{IN_CALL.get()}/{name}", attempt="", lends=False)

    def mention(self, kind: str, said: Mapping[str, object]) -> None:
        """Tell what the step itself does."""
        if not self.lends:
            self.trace.enter(self.name, kind, said)

    def place(self) -> str:
        """Name the step, or the call of a tool in which something is done that is lent."""
        if self.lends:  # only with: lends
            return IN_CALL.get()
        return self.name

    def call_name(self, call: str) -> str:
        """Name a call that the step makes."""
        place = self.name
        if self.lends:  # only with: lends
            place = f"{IN_CALL.get()}/{place}".strip("/")
        number = self.trace.nth(f"{place}#{call}{self.attempt}")
        return f"{place}#{call}.{number}{self.attempt}"

    async def chat_with(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        """Ask a language model."""
        asked: dict[str, object] = {"profile": "", "request": request}
        if profile:  # only with: profile, fallbacks
            asked["profile"] = profile
        step = self.call_name("chat")
        with self.trace.telling(step, "chat_requested", asked, "chat_answered") as end:
            answer = await super().chat_with(request, profile=profile)
            end |= {"message": answer.message, "llm": answer.llm}
            end["finish_reason"] = "stop"
            if answer.message.tool_calls:  # only with: tool_calls
                end["finish_reason"] = "tool_calls"
            end["input_tokens"] = answer.usage.input_tokens
            end["output_tokens"] = answer.usage.output_tokens
            if answer.others:  # only with: .others
                end["others"] = answer.others
        return answer

    async def embed(
        self, texts: Sequence[str], *, dimensions: int | None = None, profile: str = ""
    ) -> list[list[float]]:
        """Turn texts into vectors."""
        asked = {"profile": profile, "texts": list(texts), "dimensions": dimensions}
        with self.trace.telling(self.call_name("embed"), "embed_requested", asked, "embed_answered") as end:
            vectors = await super().embed(texts, dimensions=dimensions, profile=profile)
            end["vectors"] = vectors
        return vectors

    async def answered(self, tool: Tool, call: ToolCall) -> tuple[str, bool]:
        """Run a tool."""
        asked = {"tool": tool.name, "arguments": json.loads(call.arguments), "call_id": call.id}
        step = self.call_name("tool")
        with self.trace.telling(step, "tool_called", asked, "tool_answered") as end, in_call(step, tool):
            text, is_error = await super().answered(tool, call)
            end |= {"tool": tool.name, "text": text, "is_error": is_error}
        return text, is_error

    async def ask(self, form: Form) -> Mapping[str, object]:
        """Ask a person."""
        asked = {"question": form.question, "schema": form.schema}
        with self.trace.telling(self.call_name("ask"), "approval_asked", asked, "approval_given") as end:
            answer = await super().ask(form)
            end["answer"] = answer
        return answer

    async def run_code(self, code: str, function: str, arguments: Mapping[str, Any], **limits: Any) -> Any:
        """Run the code of a step."""
        if self.lends and not TELLS_CODE.get():  # only with: lends
            return await super().run_code(code, function, arguments, **limits)
        digest = sha256(code.encode("utf-8", "replace")).hexdigest()[:16]
        asked = {"function": function, "arguments": arguments, "code": digest}
        called = {"tool": "python", "arguments": asked}
        with self.trace.telling(self.call_name("code"), "tool_called", called, "tool_answered") as end:
            given = await super().run_code(code, function, arguments, **limits)
            end |= {"tool": "python", "text": json.dumps([given, []])}
        return given

    def folder(self, path: str = "") -> Folder:
        """Open a folder."""
        self.mention("folder_opened", {"path": path})
        return super().folder(path)

    def now(self, *, working: bool = False) -> datetime:
        """Give the time."""
        now = super().now(working=working)
        if place := self.place():
            self.trace.enter(place, "value_drawn", {"source": "clock", "value": now.isoformat()})
        return now

    def random(self) -> Random:
        """Give the source of chance."""
        place = self.place()
        if not place:
            return super().random()
        known = f"{place}{self.attempt}"
        if known not in self.trace.chances:
            seed = super().random().getrandbits(48)
            self.trace.enter(place, "value_drawn", {"source": "random", "value": seed})
            self.trace.chances[known] = Random(seed)  # noqa: S311
        return self.trace.chances[known]

    def memory(self, place: MemoryPlace) -> KeptItems:
        """Give a memory into the hands of a step."""
        return replace(super().memory(place), inform=self.tell_found)

    def tell_found(self, said: Mapping[str, object]) -> None:
        """Tell what was found in a memory."""
        self.trace.enter(self.place(), "memory_read", said)

    def log(self, text: str) -> None:
        """Say what the step has to tell."""
        super().log(text)
        self.mention("log_written", {"text": text})


@contextmanager
def in_call(step: str, tool: Tool) -> Generator[None, None, None]:
    """Let what a tool does know in which call it is."""
    outer, told = IN_CALL.set(step), TELLS_CODE.set(tool.runs_steps)
    try:
        yield
    finally:
        TELLS_CODE.reset(told)
        IN_CALL.reset(outer)
