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
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from functools import wraps
from hashlib import sha256
from pathlib import Path
from random import Random
from secrets import token_hex
from typing import Any, ParamSpec, Self, TypeVar, cast

from studio.export.script_context import Context
from studio.export.script_steps import told
from studio.llm.client import ChatAnswer, ChatRequest, ToolCall
from studio.sdk.context import Folder, Form
from studio.sdk.tool import Tool

P = ParamSpec("P")
Given = TypeVar("Given")

IN_CALL: ContextVar[str] = ContextVar("the call of a tool", default="")


class Trace:
    """A file to which is added what happens, one entry a line; keys stay out of it."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.run = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{token_hex(4)[1:]}"
        self.counts: Counter[str] = Counter()
        secret = re.compile("KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
        keys = [json.dumps(one)[1:-1] for name, one in os.environ.items() if secret.search(name)]
        self.keys = [form for one in keys if len(one) > 5 for form in (json.dumps(one)[1:-1], one)]

    def nth(self, name: str) -> int:
        """Count what is of one name."""
        self.counts[name] += 1
        return self.counts[name]

    def tell(self, step: str, kind: str, said: Mapping[str, object]) -> None:
        """Add an entry."""
        entry = {"run": self.run, "number": self.nth(""), "step": step, "time": time.time()}
        line = json.dumps({**entry, "event": {"kind": kind, **said}}, default=as_json, skipkeys=True)
        for key in self.keys:
            line = line.replace(key, "[hidden]")
        with self.path.open("a", encoding="utf-8") as file:
            # What stands there may end in the middle of a line.
            file.write(f"\n{line}\n")

    @contextmanager
    def telling(
        self, step: str, began: str, said: Mapping[str, object], ended: str
    ) -> Generator[dict[str, object], None, None]:
        """Tell that something began, and how it ended: with what is put into what this gives."""
        self.tell(step, began, said)
        given: dict[str, object] = {}
        try:
            yield given
        except asyncio.CancelledError:
            self.tell(step, "step_cancelled" if step else "run_cancelled", {})
            raise
        except BaseException as error:
            kind = "step_failed" if step else "run_failed"
            self.tell(step, kind, told(cast("Exception", error)))
            raise
        self.tell(step, ended, given)


async def traced_run(
    trace: Trace | None, work: Awaitable[Given], inputs: Mapping[str, object], flow: Mapping[str, object]
) -> Given:
    """Run the flow, and let a trace know, in which of its versions."""
    if trace is None:
        return await work
    with trace.telling("", "run_started", {**flow, "inputs": shown(inputs)}, "run_finished") as end:
        given = await work
        end["outputs"] = shown(given)
    return given


def traced(*takes: str, gives: str = "") -> Callable[[Callable[P, Given]], Callable[P, Given]]:
    """Let a trace know of a step what it `takes`, and what it `gives`: that, or several things by name."""

    def decorate(function: Callable[P, Given]) -> Callable[P, Given]:
        bind = inspect.signature(function).bind

        @wraps(function)
        def step(*args: P.args, **kwargs: P.kwargs) -> Given:
            context = next((one for one in (*args, *kwargs.values()) if isinstance(one, TracedContext)), None)
            if context is None:
                return function(*args, **kwargs)
            bound = bind(*args, **kwargs).arguments
            taken = {one: bound[one] for one in takes if one in bound} | bound.get("inputs", {})

            async def later() -> Any:
                with context.working(taken) as end:
                    result = await cast("Awaitable[Any]", function(*args, **kwargs))
                    end["outputs"] = shown({gives: result} if gives else result)
                return result

            if inspect.iscoroutinefunction(function):
                return cast("Given", later())
            with context.working(taken) as end:
                result = function(*args, **kwargs)
                end["outputs"] = shown({gives: result} if gives else result)
            return result

        return step

    return decorate


def shown(values: Any) -> dict[str, object]:
    """Give values by name as a trace has them; what is not there is missing."""
    found: dict[str, Any] = values or {}
    if is_dataclass(values):
        found = {one.name: getattr(values, one.name) for one in fields(values)}
        found |= found.pop("fields", None) or {}
    return {name: {"data": one} for name, one in found.items() if one is not None}


def as_json(value: Any) -> object:
    """Give what JSON can't say: a record by its fields, anything else as text."""
    if is_dataclass(value):
        found = {one.name: getattr(value, one.name) for one in fields(value)}
        return {name: one for name, one in found.items() if one not in (None, ())}
    return dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else str(value)


@dataclass(kw_only=True)
class TracedContext(Context):
    """A context that tells what a step does by it."""

    trace: Trace
    name: str = ""
    attempt: str = ""
    lends: bool = False

    def step(self, name: str) -> Self:
        """Give a step its own; one of the same name is another attempt."""
        short, name = name, f"{self.name}{self.attempt}/{name}".strip("/")
        tries = self.trace.nth(name)
        return replace(super().step(short), name=name, attempt=f"@{tries}" if tries > 1 else "")

    def lender(self, name: str) -> Self:
        """Give its own to what lends tools: it works inside calls of these."""
        return replace(self, name=name, attempt="", lends=True)

    def inside(self, name: str) -> Self:
        """Give its own to a flow that a tool runs."""
        return replace(self, name=f"{IN_CALL.get()}/{name}", attempt="", lends=False)

    def tell(self, kind: str, said: Mapping[str, object]) -> None:
        """Tell what the step itself does."""
        if not self.lends:
            self.trace.tell(self.name, kind, said)

    def working(self, taken: Mapping[str, object]) -> AbstractContextManager[dict[str, object]]:
        """Tell of the work of a step."""
        return self.trace.telling(self.name, "step_started", {"inputs": shown(taken)}, "step_finished")

    @contextmanager
    def calling(
        self, call: str, began: str, said: Mapping[str, object], ended: str
    ) -> Generator[dict[str, object], None, None]:
        """Tell of a call that the step makes."""
        place = self.name
        if self.lends:  # only with: lends
            place = f"{IN_CALL.get()}/{place}".strip("/")
        number = self.trace.nth(f"{place}#{call}{self.attempt}")
        step = f"{place}#{call}.{number}{self.attempt}"
        outer = IN_CALL.set(step)
        try:
            with self.trace.telling(step, began, said, ended) as end:
                yield end
        finally:
            IN_CALL.reset(outer)

    async def chat_with(self, request: ChatRequest, profile: str) -> ChatAnswer:
        """Ask a language model."""
        asked = {"profile": profile, "request": request}
        with self.calling("chat", "chat_requested", asked, "chat_answered") as end:
            answer = await super().chat_with(request, profile)
            counted = answer.usage
            end |= {"message": answer.message, "finish_reason": "stop", "llm": answer.llm}
            if answer.message.tool_calls:  # only with: tool_calls
                end["finish_reason"] = "tool_calls"
            end |= {"input_tokens": counted.input_tokens, "output_tokens": counted.output_tokens}
            if answer.others:  # only with: .others
                end["others"] = answer.others
        return answer

    async def embed(
        self, texts: Sequence[str], *, dimensions: int | None = None, profile: str = ""
    ) -> list[list[float]]:
        """Turn texts into vectors."""
        asked = {"profile": profile, "texts": list(texts), "dimensions": dimensions}
        with self.calling("embed", "embed_requested", asked, "embed_answered") as end:
            vectors = await super().embed(texts, dimensions=dimensions, profile=profile)
            end["vectors"] = vectors
        return vectors

    async def answered(self, tool: Tool, call: ToolCall) -> tuple[str, bool]:
        """Run a tool."""
        asked = {"tool": tool.name, "arguments": json.loads(call.arguments), "call_id": call.id}
        with self.calling("tool", "tool_called", asked, "tool_answered") as end:
            text, is_error = await super().answered(tool, call)
            end |= {"tool": tool.name, "text": text, "is_error": is_error}
        return text, is_error

    async def ask(self, form: Form) -> Mapping[str, object]:
        """Ask a person."""
        asked = {"question": form.question, "schema": form.schema}
        with self.calling("ask", "approval_asked", asked, "approval_given") as end:
            answer = await super().ask(form)
            end["answer"] = answer
        return answer

    async def run_code(self, code: str, function: str, arguments: Mapping[str, Any], **limits: Any) -> Any:
        """Run the code of a step."""
        if self.lends:  # only with: lends
            return await super().run_code(code, function, arguments, **limits)
        digest = sha256(code.encode("utf-8", "replace")).hexdigest()[:16]
        asked = {"function": function, "arguments": arguments, "code": digest}
        called = {"tool": "python", "arguments": asked}
        with self.calling("code", "tool_called", called, "tool_answered") as end:
            given = await super().run_code(code, function, arguments, **limits)
            end |= {"tool": "python", "text": json.dumps([given, []])}
        return given

    def folder(self, path: str = "") -> Folder:
        """Open a folder."""
        self.tell("folder_opened", {"path": path})
        return super().folder(path)

    def now(self, *, working: bool = False) -> datetime:
        """Give the time."""
        now = super().now(working=working)
        self.tell("value_drawn", {"source": "clock", "value": now.isoformat()})
        return now

    def random(self) -> Random:
        """Give the source of chance."""
        seed = super().random().getrandbits(48)
        self.tell("value_drawn", {"source": "random", "value": seed})
        return Random(seed)  # noqa: S311  # nothing is kept secret by it

    def log(self, text: str) -> None:
        """Say what the step has to tell."""
        super().log(text)
        self.tell("log_written", {"text": text})
