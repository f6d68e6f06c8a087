"""What the function of a node may do, made into child steps of its step."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from math import isfinite
from os import fspath
from random import Random
from typing import TypeVar, cast

from studio.errors import StepError, ToolError
from studio.flow.records import Json
from studio.ids import NodeId, Scope
from studio.llm.client import ChatAnswer, ChatRequest, ToolCall
from studio.llm.embeddings import EmbedRequest
from studio.runtime.calls.call_place import UNDER_WAY, Home, LendFlow
from studio.runtime.calls.chat_calls import answer_chat
from studio.runtime.calls.child_steps import ChildSteps
from studio.runtime.calls.code_calls import run_boxed, run_in
from studio.runtime.calls.decisions import tell_decision
from studio.runtime.calls.draws import Draws
from studio.runtime.calls.embed_calls import embed_texts
from studio.runtime.calls.memory_items import StepItems
from studio.runtime.calls.question_calls import ask_person
from studio.runtime.calls.tool_calls import call_outside, call_tool
from studio.runtime.failures import ENDS_THE_RUN, first_cause
from studio.runtime.resources.folder import ProjectFolder
from studio.runtime.resources.tool_server import ServedTools, require_private
from studio.runtime.services import Services
from studio.runtime.state.run_variables import Variables
from studio.runtime.values import apart
from studio.sdk.code import MEBIBYTE, CodeCall, CodeLimits
from studio.sdk.context import Folder, Form, State
from studio.sdk.items import KeptItems, MemoryPlace
from studio.sdk.part import Part
from studio.sdk.tool import LentFlow, Tool
from studio.servers.records import Server, ToolServer
from studio.trace.events import FolderOpened, LogWritten, PartTold, StateWritten, StepProgressed, ToolCalled
from studio.trace.events.calls import Decision
from studio.web.request import WebAnswer, WebRequest

R = TypeVar("R")


class StepContext:
    """Implements `studio.sdk.Context` for one attempt of one step, and gathers its labels."""

    __slots__ = ("_children", "_draws", "_home", "_is_lender", "_lend_flow", "_node", "_profile", "_services")

    def __init__(
        self,
        services: Services,
        node: NodeId,
        scope: Scope,
        *,
        attempt: int = 1,
        profile: str = "",
        layer: Variables | None = None,
        lane: str = "",
        labels_of: Callable[[object], frozenset[str]] = lambda _: frozenset(),
        lender_of: Callable[[object], str] = lambda _: "",
        home: Home | None = None,
        lend_flow: LendFlow | None = None,
    ) -> None:
        """Make it; one without a layer of run variables and a home is no step's, but of a node that lends."""
        self._services = services
        self._node = node
        self._profile = profile
        self._is_lender = layer is None
        self._lend_flow = lend_flow
        self._home = home
        self._children = ChildSteps(
            services,
            node,
            scope,
            attempt,
            labels_of,
            lane=lane,
            lender_of=lender_of,
            home=home,
        )
        self._draws = Draws(self._children, layer)

    @property
    def labels(self) -> frozenset[str]:
        """Labels of what the context's calls returned; of those in calls of what is lent, the calls tell."""
        return self._children.own_labels

    async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        """Ask a language model as a child step, and whom its profile falls back on."""
        return await answer_chat(self._children, request, profile or self._profile)

    async def embed(
        self, texts: Sequence[str], *, dimensions: int | None = None, profile: str = ""
    ) -> list[list[float]]:
        """Turn texts into vectors as a child step."""
        request = EmbedRequest(tuple(texts), dimensions)
        return await embed_texts(self._children, request, profile or self._profile)

    async def call(self, tool: Tool, call: ToolCall, *, raises: bool = False) -> str:
        """Run a tool as a child step; what it says no to is answered in words, or with `raises` raised."""
        return await call_tool(self._children, tool, call, raises=raises)

    async def gather(self, calls: Sequence[Callable[[], Awaitable[R]]], limit: int = 8) -> list[R]:
        """Run the calls, at most `limit` at once; the first error cancels the others."""
        turns, begin = asyncio.Semaphore(limit), self._children.branch()

        async def one(call: Callable[[], Awaitable[R]]) -> R:
            begin()
            async with turns:
                return await call()

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(call)) for call in calls]
        except ExceptionGroup as errors:
            ends, _ = errors.split(ENDS_THE_RUN)
            raise first_cause(ends or errors) from errors  # a group is no error of a kind that policies know
        return [task.result() for task in tasks]

    async def ask(self, form: Form, *, anew: bool = False) -> Mapping[str, object]:
        """Ask a person as a child step; `anew`, what was answered in an earlier run does not count."""
        return await ask_person(self._children, form, anew=anew)

    async def decided(self, decision: Decision, subject: str, rule: str) -> None:
        """Tell what was decided of something that the step wants; waits while that is held."""
        await tell_decision(self._children, decision, subject, rule)

    async def sleep(self, seconds: float) -> None:
        """Wait that long, or in a replay no time at all."""
        past = self._services.past
        if past is None or past.course is None or not await past.course.passes_over(self._children.step):
            await asyncio.sleep(seconds)

    @property
    def state(self) -> State:
        """The variables of the run."""
        return self._draws.state

    @property
    def writes(self) -> Sequence[StateWritten]:
        """What the step wants to write to run variables, should it finish."""
        return self._draws.writes

    @property
    def node(self) -> str:
        """The id of the node; in a called flow after the flow's name."""
        scope = self._children.scope
        return f"{scope}:{self._node}" if self._is_lender and scope else self._node

    def memory(self, place: MemoryPlace) -> KeptItems:
        """Give a memory into the step's hands: that for which a tool is called, where this lends it."""
        under_way = UNDER_WAY.get()
        home = self._home or (under_way.home if under_way is not None else None)
        if home is None:
            message = f"`{self._node}` lends something; only steps have memories."
            raise StepError(message, hint="Use the memory in what is called, and not while it is opened.")
        home.memories.use(place)
        return StepItems(home.memories, place.name, self._children)

    def now(self, *, working: bool = False) -> datetime:
        """Give the time, as a step of an earlier run was given it."""
        return self._draws.now(working=working)

    def random(self) -> Random:
        """Give the attempt's source of chance, seeded as in an earlier run."""
        return self._draws.random()

    def folder(self, path: str = "") -> Folder:
        """Open a folder of the project; what the step gives then carries the label `file`."""
        if not self._is_lender:
            self._tell(FolderOpened(fspath(path)))
        self._children.take_in(frozenset({"file"}))
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
        place = self._children.place
        if self._is_lender and not (place is not None and place.runs_steps):
            # What a binding lends is a tool, whose call is the child step.
            return await run_in(self._services.box, call, self.log, self._prepare)
        result, printed = await run_boxed(self._children, call, self._prepare)
        for line in printed:
            self.log(line)
        return result

    def flow(self, flow: str | Mapping[str, Json], *, max_depth: int = 8) -> LentFlow:
        """Give a flow for a tool to run; its steps stand inside the call of the tool."""
        if self._lend_flow is None:
            raise StepError(f"`{self._node}` runs no flows here.", hint="Call the flow by a subflow.")
        return self._lend_flow(flow, max_depth)

    def server(self, server: Server, *, seconds: float = 60.0) -> AbstractAsyncContextManager[ToolServer]:
        """Give a server that lends tools; what it gives carries the label `web`."""
        if not self._is_lender:
            raise StepError(f"`{self._node}` is no tool, and only tools speak to servers.")
        self._children.take_in(frozenset({"web"}))
        return ServedTools(self, server, self._services, seconds)

    async def told(self, called: ToolCalled, work: Callable[[], Awaitable[str]]) -> str:
        """Do something outside as a child step of its own; a replay is given what it gave."""
        return await call_outside(self._children, called, work)

    async def aside(self, work: Callable[[], R]) -> R:
        """Do what takes long on a thread."""
        return await asyncio.to_thread(work)

    async def fetch(self, request: WebRequest) -> WebAnswer:
        """Send a request for a tool, whose call is the child step; what it gives carries the label `web`."""
        if not self._is_lender:
            message = f"`{self._node}` is no tool, and only tools reach the network."
            raise StepError(message, hint="Call a tool as a step.")
        if self._services.web is None:
            raise ToolError("This run has no network.")
        if request.reach.is_private:
            await require_private(self._services.permissions, self, request.reach, self._services.root)
        self._children.take_in(frozenset({"web"}))
        return await self._services.web.fetch(request)

    def progress(self, done: float, total: float, note: str = "") -> None:
        """Say how far the step has come."""
        self._tell(StepProgressed(_number(done), _number(total), str(note)))

    def _prepare(self, done: float, total: float, note: str) -> None:
        """Say how far the box is that is made before the code can run."""
        self._tell(StepProgressed(_number(done), _number(total), str(note), is_preparing=True))

    def tell(self, part: Part) -> None:
        """Tell of something that the step, or the call of what it lends, makes as it goes."""
        told = PartTold(
            part.id,
            part.title,
            part.status,
            part.of,
            tuple(part.after),
            part.kind,
            cast("Mapping[str, Json]", apart(dict(part.settings))),
            part.text,
            cast("Mapping[str, Json]", apart(dict(part.detail))),
        )
        self._services.recorder.record(told, self._children.parent)

    def log(self, text: str) -> None:
        """Write a line into the trace."""
        self._tell(LogWritten(str(text)))

    def _tell(self, event: FolderOpened | StepProgressed | LogWritten) -> None:
        self._services.recorder.record(event, self._children.step)


def _number(given: object) -> float:
    if not isinstance(given, int | float) or not isfinite(given):
        raise StepError(f"Progress is told in numbers, not as `{given}`.")
    return given
