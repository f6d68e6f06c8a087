"""What the function of a node may do, made into child steps of its step."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite
from os import fspath
from pathlib import Path
from random import Random
from secrets import randbits
from typing import Literal, Protocol, TypeVar, cast, runtime_checkable

import orjson

from studio.errors import (
    BoxMissingError,
    ChatError,
    ChatIncompleteError,
    ChatRefusedError,
    ChatUnreachableError,
    CodeError,
    StepError,
    ToolError,
)
from studio.flow.records import Json
from studio.ids import NodeId, Scope, StepId, step_id
from studio.llm.client import (
    Caller,
    ChatAnswer,
    ChatClient,
    ChatRequest,
    FinishReason,
    ToolCall,
    Usage,
    message_from_json,
    message_to_json,
    request_to_json,
)
from studio.runtime.budget import Budget
from studio.runtime.failures import ENDS_THE_RUN, describe, said_by
from studio.runtime.past import Past, error_again
from studio.runtime.people import People
from studio.runtime.recorder import Recorder
from studio.runtime.served import ServedTools
from studio.runtime.stops import Stops
from studio.runtime.values import CHAT, USER, apart
from studio.runtime.variables import StepVariables, Variables
from studio.sdk.code import MEBIBYTE, CodeBox, CodeCall, CodeLimits
from studio.sdk.context import Folder, Form, State
from studio.sdk.prelude.folder import ProjectFolder
from studio.sdk.tool import Effect, Tool
from studio.servers.records import Grants, Server, Servers, ToolServer
from studio.trace.events import (
    AnswerReused,
    ApprovalAsked,
    ApprovalGiven,
    ChatAnswered,
    ChatRequested,
    FolderOpened,
    LogWritten,
    Shown,
    StateRead,
    StateWritten,
    StepCancelled,
    StepFailed,
    StepProgressed,
    TextStreamed,
    ToolAnswered,
    ToolCalled,
    ValueDrawn,
)
from studio.trace.recording import Answer, Drawn, Request
from studio.web.request import Web, WebAnswer, WebRequest

R = TypeVar("R")

CODE_TOOL = "python"
"""What code in the box is called in the trace, where it stands as a tool."""


@dataclass(frozen=True, slots=True)
class Services:
    """What a run is given to work with; `chats` opens a chat profile by name (empty: the run's)."""

    recorder: Recorder
    chats: Callable[[str], ChatClient]
    people: People
    root: Path
    past: Past | None = None
    budget: Budget | None = None
    stops: Stops = field(default_factory=Stops)
    box: CodeBox | None = None
    web: Web | None = None
    servers: Servers | None = None
    grants: Grants | None = None


@runtime_checkable
class FallsBack(Protocol):
    """Something that opens chat profiles and knows whom else to ask."""

    def fallback(self, profile: str, /) -> tuple[str, ...]:
        """Give the profiles to ask in turn where `profile` can't be reached or refuses."""
        ...


@dataclass(slots=True)
class _Attempt:
    """One child step that asks one profile, and who is `left` to be asked where it fails."""

    step: StepId
    profile: str
    left: tuple[str, ...]


class StepContext:
    """Implements `studio.sdk.Context` for one attempt of one step, and gathers its labels."""

    def __init__(
        self,
        services: Services,
        node: NodeId,
        scope: Scope,
        *,
        attempt: int = 1,
        profile: str = "",
        layer: Variables | None = None,
        labels_of: Callable[[object], frozenset[str]] = lambda _: frozenset(),
    ) -> None:
        """Make it; one without a layer of run variables is no step's, but that of a node that lends."""
        self._services = services
        self._recorder = services.recorder
        self._node = node
        self._scope = scope
        self._attempt = attempt
        self._profile = profile
        self._labels_of = labels_of
        self._step = step_id(scope, node)
        self._calls: dict[str, int] = {}
        self.labels: frozenset[str] = frozenset()
        """Labels of what the context's calls returned."""
        self._layer = layer
        self._state: StepVariables | None = None
        self._random: Random | None = None

    async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        """Ask a language model as a child step; the answer is on disk before it is returned.

        Where it can't be reached, or refuses before any text came, those that its profile falls back on are
        asked in turn, each as a child step of its own.
        """
        name, left = profile or self._profile, None
        while True:
            step = self._child("chat")
            if left is None:
                left = self._fallback(step, name)
            attempt = _Attempt(step, name, left)
            try:
                return await self._chat(request, attempt)
            except (ChatUnreachableError, ChatRefusedError):
                if not attempt.left:
                    raise
                name, left = attempt.left[0], attempt.left[1:]

    def _fallback(self, step: StepId, profile: str) -> tuple[str, ...]:
        """Give whom else to ask; a replay, which asks nobody, is told by its recording."""
        chats = self._services.chats
        if isinstance(chats, FallsBack):
            return chats.fallback(profile)
        return self._services.past.recording.fallback(step) if self._services.past is not None else ()

    async def _chat(self, request: ChatRequest, attempt: "_Attempt") -> ChatAnswer:
        step, profile = attempt.step, attempt.profile
        record = self._recorder.record
        asked = ChatRequested(profile, request_to_json(request), attempt.left)
        record(asked, step, self._step)
        caller = Caller(self._node, self._scope)

        def stream(text: str) -> None:
            attempt.left = ()  # nobody may say again what was shown
            record(TextStreamed(text), step, self._step)

        self.labels |= CHAT  # an error of the endpoint is its words as well
        with _Failures(self._recorder, step, self._step):
            try:
                answered = await self._earlier(step, asked)
            except ChatError:
                past = self._services.past
                attempt.left = past.recording.fallback(step) if past is not None else ()
                raise
            if isinstance(answered, ChatAnswered):
                answer = _chat_answer(answered)
            else:
                await self._count_call()
                client = self._services.chats(profile)
                answer = await client.answer(request, on_text=stream, caller=caller)
                if self._services.budget is not None:
                    self._services.budget.spend(self._node, answer.usage.total, answer.cost or 0.0)
        record(_answered(answer), step, self._step)
        await self._recorder.committed()
        return answer

    async def call(self, tool: Tool, call: ToolCall, *, raises: bool = False) -> str:
        """Run a tool as a child step; what it says no to is answered in words.

        With `raises` that is a `ToolError`, as is whatever else goes wrong in the tool. Raises
        `ChatIncompleteError` for arguments that are not a whole JSON object; the tool is not run then.
        """
        arguments = _whole(call)
        step = self._child("tool")
        called = ToolCalled(tool.name, arguments, call.id, tool.effect)
        self._recorder.record(called, step, self._step)
        if tool.effect is Effect.SIDE_EFFECT:
            await self._recorder.committed()
        is_error = False
        with _Failures(self._recorder, step, self._step):
            answered = await self._earlier(step, called)
        if isinstance(answered, ToolAnswered):  # what it said no to has been told with its answer
            return await self._tool_again(step, answered, raises=raises)
        with _Failures(self._recorder, step, self._step):
            await self._count_call()
            try:
                text = _answer(tool, await tool.run(cast("Mapping[str, object]", apart(arguments))))
            except ToolError as error:
                text, is_error = str(error), True
            except ENDS_THE_RUN:
                raise
            except Exception as error:
                if not raises:
                    raise
                text, is_error = describe(error).message, True
            finally:  # what the tool read, it may have read only now; an error may quote it
                labels = frozenset({f"tool:{tool.name}"}) | self._labels_of(tool)
                self.labels |= labels
        answered = ToolAnswered(tool.name, text, is_error, tuple(sorted(labels)))
        self._recorder.record(answered, step, self._step)
        if tool.effect is not Effect.PURE:
            await self._recorder.committed()
        if raises and is_error:
            raise ToolError(text)
        return text

    async def gather(self, calls: Sequence[Callable[[], Awaitable[R]]], limit: int = 8) -> list[R]:
        """Run the calls, at most `limit` at once; the first error cancels the others."""
        turns = asyncio.Semaphore(limit)

        async def one(call: Callable[[], Awaitable[R]]) -> R:
            async with turns:
                return await call()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(call)) for call in calls]
        return [task.result() for task in tasks]

    async def ask(self, form: Form, *, anew: bool = False) -> Mapping[str, object]:
        """Ask a person as a child step; `anew`, what was answered in an earlier run does not count."""
        step = self._child("ask")
        asked = ApprovalAsked(str(form.question), dict(form.schema))
        self._recorder.record(asked, step, self._step)
        with _Failures(self._recorder, step, self._step):
            answered = None if anew else await self._earlier(step, asked)
            if isinstance(answered, ApprovalGiven):
                answer = answered.answer
            else:
                answer = await self._services.people.ask(step, form)
        self._recorder.record(ApprovalGiven(dict(answer)), step, self._step)
        await self._recorder.committed()
        self.labels |= USER
        return answer

    async def sleep(self, seconds: float) -> None:
        """Wait that long, or in a replay no time at all."""
        past = self._services.past
        if past is None or past.course is None or not await past.course.passes_over(self._step):
            await asyncio.sleep(seconds)

    @property
    def state(self) -> State:
        """The variables of the run."""
        if self._state is None:
            if self._layer is None:
                message = f"`{self._node}` lends something; only steps have run variables."
                raise StepError(message)
            self._state = StepVariables(self._layer, self._read)
        return self._state

    @property
    def writes(self) -> Sequence[StateWritten]:
        """What the step wants to write to run variables, should it finish."""
        return self._state.writes if self._state is not None else ()

    def now(self) -> datetime:
        """Give the time, as a step of an earlier run was given it."""
        drawn = self._draw("clock", lambda: datetime.now().astimezone().isoformat())
        return datetime.fromisoformat(str(drawn))

    def random(self) -> Random:
        """Give the attempt's source of chance, seeded as in an earlier run."""
        if self._random is None:
            self._random = Random(cast("int", self._draw("random", lambda: randbits(48))))  # noqa: S311
        return self._random

    def folder(self, path: str = "") -> Folder:
        """Open a folder of the project; what the step gives then carries the label `file`."""
        if self._layer is not None:
            self._recorder.record(FolderOpened(fspath(path)), self._step)
        self.labels |= frozenset({"file"})
        return ProjectFolder(self._services.root, path)

    async def run_code(
        self,
        code: str,
        function: str,
        arguments: Mapping[str, Json],
        *,
        seconds: float = 10.0,
        memory: int = 256,
    ) -> Json:
        """Run code in the box as a child step; a replay is given what it gave, and needs no box."""
        call = CodeCall(code, function, arguments, CodeLimits(seconds, memory * MEBIBYTE))
        if self._layer is None:  # what a binding lends is a tool, whose call is the child step
            return await self._in_box(call, self.log)
        step = self._child("code")
        digest = hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()[:16]
        asked = {"function": function, "arguments": dict(arguments), "code": digest}
        called = ToolCalled(CODE_TOOL, asked, "", Effect.PURE)
        self._recorder.record(called, step, self._step)
        printed: list[str] = []
        with _Failures(self._recorder, step, self._step):
            answered = await self._earlier(step, called)
            if not isinstance(answered, ToolAnswered):
                try:
                    result = await self._in_box(call, printed.append)
                except CodeError as error:
                    if printed:
                        error.hint = f"{error.hint} It printed last: `{printed[-1][:200]}`.".strip()
                    raise
                answered = ToolAnswered(CODE_TOOL, orjson.dumps([result, printed]).decode())
        self._recorder.record(answered, step, self._step)
        result, printed = orjson.loads(answered.text)
        for line in printed:
            self.log(line)
        return result

    def server(self, server: Server, *, seconds: float = 60.0) -> AbstractAsyncContextManager[ToolServer]:
        """Give a server that lends tools; what it gives carries the label `web`."""
        if self._layer is not None:
            raise StepError(f"`{self._node}` is no tool, and only tools speak to servers.")
        self.labels |= frozenset({"web"})
        return ServedTools(self, server, self._services, seconds)

    async def told(self, called: ToolCalled, work: Callable[[], Awaitable[str]]) -> str:
        """Do something outside as a child step of its own; a replay is given what it gave."""
        step = self._child("tool")
        self._recorder.record(called, step, self._step)
        with _Failures(self._recorder, step, self._step):
            answered = await self._earlier(step, called)
            if not isinstance(answered, ToolAnswered):
                answered = ToolAnswered(called.tool, await work())
        self._recorder.record(answered, step, self._step)
        await self._recorder.committed()
        return answered.text

    async def aside(self, work: Callable[[], R]) -> R:
        """Do what takes long on a thread."""
        return await asyncio.to_thread(work)

    async def fetch(self, request: WebRequest) -> WebAnswer:
        """Send a request for a tool, whose call is the child step; what it gives carries the label `web`."""
        if self._layer is not None:
            message = f"`{self._node}` is no tool, and only tools reach the network."
            raise StepError(message, hint="Call a tool as a step.")
        if self._services.web is None:
            raise ToolError("This run has no network.")
        self.labels |= frozenset({"web"})
        return await self._services.web.fetch(request)

    async def _in_box(self, call: CodeCall, on_line: Callable[[str], None]) -> Json:
        if self._services.box is None:
            raise BoxMissingError("Code that is not ours can't be isolated here, so it is not run.")
        return await self._services.box.run(call, on_line=on_line, on_progress=self.progress)

    def progress(self, done: float, total: float, note: str = "") -> None:
        """Say how far the step has come."""
        told = StepProgressed(_number(done), _number(total), str(note))
        self._recorder.record(told, self._step)

    def log(self, text: str) -> None:
        """Write a line into the trace."""
        self._recorder.record(LogWritten(str(text)), self._step)

    def _read(self, name: str, found: Shown | None) -> Shown | None:
        """Note that a variable was read; gives what was read then, where a step does the same again."""
        earlier = self._drawn_earlier(f"state.{name}")
        if isinstance(earlier, StateRead):
            found = earlier.value
        self._recorder.record(StateRead(name, found), self._step)
        if found is not None:
            self.labels |= frozenset(found.labels)
        return found

    def _draw(self, source: Literal["clock", "random"], draw: Callable[[], object]) -> object:
        earlier = self._drawn_earlier(source)
        value = earlier.value if isinstance(earlier, ValueDrawn) else draw()
        if self._layer is not None:
            self._recorder.record(ValueDrawn(source, value), self._step)
        return value

    def _drawn_earlier(self, what: str) -> Drawn | None:
        past = self._services.past
        return past.recording.draw(self._step, what) if past is not None and self._layer is not None else None

    async def _earlier(self, step: StepId, request: Request) -> Answer | None:
        """Take the answer of an earlier run, where there is one; raises a recorded error again."""
        past = self._services.past
        if past is None:
            return None
        if past.course is not None:
            await past.course.answer(step, self._step)
        kept = past.answer(step, self._recorder.as_written(request))
        if kept is None:
            return None
        self._recorder.record(AnswerReused(past.run, kept.step), step, self._step)
        if isinstance(kept.answer, StepFailed):
            if past.course is not None:
                await past.course.turn(step, "step_failed")
            raise error_again(kept.answer)
        return kept.answer

    async def _count_call(self) -> None:
        if self._services.budget is not None:
            await self._services.budget.call(self._node)

    async def _tool_again(self, step: StepId, answered: ToolAnswered, *, raises: bool) -> str:
        self.labels |= frozenset(answered.labels)
        self._recorder.record(answered, step, self._step)
        await self._recorder.committed()
        if raises and answered.is_error:
            raise ToolError(answered.text)
        return answered.text

    def _child(self, call: str) -> StepId:
        number = self._calls[call] = self._calls.get(call, 0) + 1
        return step_id(self._scope, self._node, f"{call}.{number}", self._attempt)


class _Failures:
    """Records how a child step ended when it ended badly."""

    def __init__(self, recorder: Recorder, step: StepId, parent: StepId) -> None:
        self._recorder = recorder
        self._step = step
        self._parent = parent

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, asyncio.CancelledError):
            self._recorder.record(StepCancelled(), self._step, self._parent)
        elif error is not None:
            hint = str(getattr(error, "hint", ""))
            message = str(getattr(error, "message", "") or said_by(error))
            self._recorder.record(StepFailed(type(error).__name__, message, hint), self._step, self._parent)


def _answer(tool: Tool, given: object) -> str:
    """Look at what a tool gave, before it is written where only text can be read again."""
    if not isinstance(given, str):
        raise StepError(
            f"The tool `{tool.name}` answered with a `{type(given).__name__}`, and not with text."
        )
    return given


def _number(given: object) -> float:
    if not isinstance(given, int | float) or not isfinite(given):
        raise StepError(f"Progress is told in numbers, not as `{given}`.")
    return given


def _whole(call: ToolCall) -> Mapping[str, object]:
    """Read the arguments of a call; what is not whole is never acted on."""

    def refuse(constant: str) -> object:
        raise ValueError(constant)

    try:
        arguments: object = json.loads(call.arguments, parse_constant=refuse)
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        message = f"The arguments for the tool `{call.name}` are not a whole JSON object."
        raise ChatIncompleteError(message, hint="The tool was not called; ask again.")
    return cast("Mapping[str, object]", arguments)


def _answered(answer: ChatAnswer) -> ChatAnswered:
    return ChatAnswered(
        message_to_json(answer.message),
        answer.finish_reason,
        answer.usage.input_tokens,
        answer.usage.output_tokens,
        answer.usage.cached_tokens,
        answer.cost,
        answer.llm,
    )


def _chat_answer(answered: ChatAnswered) -> ChatAnswer:
    return ChatAnswer(
        message_from_json(answered.message),
        cast("FinishReason", answered.finish_reason),
        Usage(answered.input_tokens, answered.output_tokens, answered.cached_tokens),
        answered.llm,
        answered.cost,
    )
