"""A test bench for node types: run one without a flow, with scripted answers and files in memory."""

import asyncio
import inspect
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

from studio.errors import BoxMissingError, ToolError
from studio.flow.ports import Signature
from studio.llm.client import ChatAnswer, ChatRequest, Message, ToolCall
from studio.llm.embeddings import as_vector
from studio.llm.scripted_answers.embeddings import DIMENSIONS
from studio.llm.scripted_answers.embeddings import embed as scripted_vector
from studio.sdk.code import MEBIBYTE, CodeBox, CodeCall, CodeLimits
from studio.sdk.context import Context, Folder, Form
from studio.sdk.doubles import HeldItems, MemoryFolder, MemoryServer, MemoryState
from studio.sdk.items import Item, Items, MemoryPlace, Recalled
from studio.sdk.memory import Memory, Note, Query
from studio.sdk.node import NodeType, node_type_of
from studio.sdk.part import Part
from studio.sdk.ports import Json
from studio.sdk.tool import LentFlow, Tool
from studio.servers.records import Server, ToolServer
from studio.web.request import WebAnswer, WebRequest

R = TypeVar("R")

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
"""What time it is on the bench."""

_NOTE, _QUERY = TypeAdapter(Note), TypeAdapter(Query)

EXAMPLE = re.compile(r"```json\n(.*?)```", re.DOTALL)


ScriptedAnswer = str | Message | Exception | Callable[[ChatRequest], str | Message]


class ScriptedContext:
    """A `Context` whose language model and people answer what they are given, in turn."""

    def __init__(
        self,
        chat: Sequence[ScriptedAnswer] = (),
        answers: Sequence[Mapping[str, object]] = (),
        files: Mapping[str, str] | None = None,
        variables: Mapping[str, Json] | None = None,
        now: datetime = NOON,
        seed: int = 0,
        box: CodeBox | None = None,
        web: Mapping[str, str] | None = None,
        served: Sequence[Tool] = (),
        flows: Mapping[str, LentFlow] | None = None,
        memories: Mapping[str, Sequence[Item]] | None = None,
        node: str = "step",
    ) -> None:
        self.node = node
        self.memories = {name: HeldItems(items) for name, items in (memories or {}).items()}
        self._chat = list(chat)
        self._answers = list(answers)
        self._now = now
        self._random = Random(seed)  # noqa: S311  # chance of a test, which is to be known
        self._box = box
        self._web = web or {}
        self._served = served
        self._flows = dict(flows or {})
        self.servers: list[Server] = []
        self.fetched: list[WebRequest] = []
        self.files = dict(files or {})
        self.requests: list[ChatRequest] = []
        self.profiles: list[str] = []
        self.embedded: list[tuple[str, ...]] = []
        self.forms: list[Form] = []
        self.lines: list[str] = []
        self.slept: list[float] = []
        self.parts: list[Part] = []
        self.progressed: list[tuple[float, float, str]] = []
        self.state = MemoryState(variables or {})

    async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        """Give the next scripted answer."""
        self.requests.append(request)
        self.profiles.append(profile)
        answer = self._chat.pop(0)
        if isinstance(answer, Exception):
            raise answer
        said = answer(request) if callable(answer) else answer
        message = said if isinstance(said, Message) else Message("assistant", said)
        others = [str(self._chat.pop(0)) for _ in range(min(request.samples - 1, len(self._chat)))]
        reason = "tool_calls" if message.tool_calls else "stop"
        return ChatAnswer(message, reason, others=tuple(Message("assistant", one) for one in others))

    async def embed(
        self, texts: Sequence[str], *, dimensions: int | None = None, profile: str = ""
    ) -> list[list[float]]:
        """Give vectors as the scripted endpoint does, without a language model."""
        self.profiles.append(profile)
        self.embedded.append(tuple(texts))
        return [as_vector(scripted_vector(text, dimensions or DIMENSIONS)) for text in texts]

    async def call(self, tool: Tool, call: ToolCall, *, raises: bool = False) -> str:
        """Run the tool; what it says no to comes back in words, or is raised."""
        try:
            return await tool.run(json.loads(call.arguments))
        except ToolError as error:
            if raises:
                raise
            return str(error)

    async def gather(self, calls: Sequence[Callable[[], Awaitable[R]]], limit: int = 8) -> list[R]:
        """Run the calls at once."""
        turns = asyncio.Semaphore(limit)

        async def one(call: Callable[[], Awaitable[R]]) -> R:
            """Run one call in its turn."""
            async with turns:
                return await call()

        return list(await asyncio.gather(*(one(call) for call in calls)))

    async def ask(self, form: Form) -> Mapping[str, object]:
        """Give the next scripted form."""
        self.forms.append(form)
        return self._answers.pop(0)

    async def sleep(self, seconds: float) -> None:
        """Wait for no time at all, and keep how long it would have been."""
        self.slept.append(seconds)

    def memory(self, place: MemoryPlace) -> HeldItems:
        """Give a memory that lasts as long as the bench, with what was given under its name."""
        return self.memories.setdefault(place.name, HeldItems())

    def now(self, *, working: bool = False) -> datetime:
        """Give the time that was given, always the same."""
        del working
        return self._now

    def random(self) -> Random:
        """Give chances that follow from the seed."""
        return self._random

    async def run_code(
        self,
        code: str,
        function: str,
        arguments: Mapping[str, Json],
        *,
        seconds: float = 10.0,
        memory: int = 256,
    ) -> Json:
        """Run the code in the box that was given; what it prints is kept with what was logged."""
        if self._box is None:
            raise BoxMissingError("The bench was given no box to run code in.")
        call = CodeCall(code, function, arguments, CodeLimits(seconds, memory * MEBIBYTE))
        return await self._box.run(call, on_line=self.log)

    def flow(self, flow: str | Mapping[str, Json], *, max_depth: int = 8) -> LentFlow:
        """Give the flow that was given under this name, or the name of one that is a value."""
        del max_depth
        return self._flows[flow if isinstance(flow, str) else str(flow.get("name"))]

    def server(self, server: Server, *, seconds: float = 60.0) -> AbstractAsyncContextManager[ToolServer]:
        """Give a server with the tools that were given, and keep which one was meant."""
        del seconds
        self.servers.append(server)
        return nullcontext(MemoryServer(self._served))

    async def aside(self, work: Callable[[], R]) -> R:
        """Do it at once."""
        return work()

    async def fetch(self, request: WebRequest) -> WebAnswer:
        """Give the text that was given for the address; an address without one is not there."""
        self.fetched.append(request)
        text = self._web.get(request.url)
        cut = "" if text is None else text[: request.most]
        return WebAnswer(404 if text is None else 200, request.url, {}, cut, cut != (text or ""))

    def folder(self, path: str = "") -> Folder:
        """Open a folder in memory."""
        return MemoryFolder(self.files, path)

    def progress(self, done: float, total: float, note: str = "") -> None:
        """Keep what was said."""
        self.progressed.append((done, total, note))

    def tell(self, part: Part) -> None:
        """Keep what was told."""
        self.parts.append(part)

    def log(self, text: str) -> None:
        """Keep what was said."""
        self.lines.append(text)


@dataclass(frozen=True, slots=True)
class Example:
    """The runnable example of a help page."""

    settings: Mapping[str, Json] = field(default_factory=dict[str, Json])
    inputs: Mapping[str, Json] = field(default_factory=dict[str, Json])
    outputs: Mapping[str, Json] = field(default_factory=dict[str, Json])
    chat: Sequence[str] = ()
    """What the language model says, in turn; the page may have an answer that is JSON as it stands."""
    answers: Sequence[Mapping[str, object]] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    variables: Mapping[str, Json] = field(default_factory=dict[str, Json])
    calls: Sequence[Mapping[str, Json]] = ()
    ports: Mapping[str, Json] = field(default_factory=dict[str, Json])
    flows: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """Flows of the project that the node may call, by name; it takes a run to call them."""
    web: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the network answers, by address."""
    served: Sequence[Mapping[str, str]] = ()
    """The tools of a server, said as those that are lent."""
    lent: Mapping[str, Sequence[Mapping[str, str]]] = field(
        default_factory=dict[str, Sequence[Mapping[str, str]]]
    )
    """Tools lent at a port: the `name` of each, its `argument`, and what it `answers` or `fails` with."""
    remember: Sequence[Mapping[str, Json]] = ()
    """What is put into the memory that the node lends: notes of `text`, `fields` and `by`."""
    recall: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What it is asked then: a query. Its texts are the output `memory`."""
    memories: Mapping[str, Sequence[Mapping[str, Json]]] = field(
        default_factory=dict[str, Sequence[Mapping[str, Json]]]
    )
    """Memories lent at a port: the notes that were put there before, for a memory that finds by words."""
    agents: Sequence[Mapping[str, str]] = ()
    """Agents lent at the port `agents`: the `name` of each, and its `instructions` and `description`."""


def example_of(node_type: NodeType) -> Example:
    """Read the example on the help page of `node_type`; raises `ValueError` where there is none."""
    found = EXAMPLE.search(node_type.help)
    if found is None:
        raise ValueError(f"`{node_type.kind}` has no example")
    example = Example(**json.loads(found[1]))
    plain = cast("Sequence[Json]", example.chat)
    said = [one if isinstance(one, str) else json.dumps(one) for one in plain]
    return replace(example, chat=said)


async def run_bench(
    thing: object,
    inputs: Mapping[str, object] | None = None,
    settings: Mapping[str, Json] | None = None,
    context: ScriptedContext | None = None,
) -> dict[str, object]:
    """Run the function of a node type on values and settings (plain JSON); gives the outputs by port."""
    node_type = node_type_of(thing)
    node_type = node_type.of_variant(node_type.complete_settings(settings or {}))
    if node_type.function is None:
        raise ValueError(f"`{node_type.kind}` has no function")
    taken = {spec.name for spec in node_type.settings}
    settings = {name: value for name, value in (settings or {}).items() if name in taken}
    result = node_type.function(**_arguments(node_type, inputs or {}, settings or {}, context))
    if inspect.isawaitable(result):
        result = await result
    return node_type.outputs_from(result)


async def call_tools(
    thing: object,
    settings: Mapping[str, Json],
    calls: Sequence[ToolCall],
    context: ScriptedContext,
    inputs: Mapping[str, object] | None = None,
) -> list[str]:
    """Open what a binding lends, call its tools, close it; gives the answers."""
    answers: list[str] = []
    async with aclosing(open_binding(thing, settings, context, inputs)) as lending:
        lent = await anext(lending)
        tools = {
            tool.name: tool for tool in (cast("Sequence[Tool]", lent) if isinstance(lent, list) else [lent])
        }
        answers.extend([await context.call(tools[call.name], call) for call in calls])
    return answers


def open_binding(
    thing: object,
    settings: Mapping[str, Json],
    context: ScriptedContext,
    inputs: Mapping[str, object] | None = None,
) -> AsyncGenerator[Any]:
    """Begin what a binding does; it yields what it lends."""
    node_type = node_type_of(thing)
    if node_type.function is None:
        raise ValueError(f"`{node_type.kind}` has no function")
    return node_type.function(**_arguments(node_type, inputs or {}, settings, context))


def ports_of(node_type: NodeType, settings: Mapping[str, Json]) -> dict[str, dict[str, str]]:
    """Name the ports and their types, as the examples of structural node types do."""
    return ports_in(node_type.signature(settings))


def ports_in(signature: Signature) -> dict[str, dict[str, str]]:
    """The same for the ports of a given node."""
    return {
        "inputs": {port.name: str(port.type) for port in signature.inputs},
        "outputs": {port.name: str(port.type) for port in signature.outputs},
    }


def _arguments(
    node_type: NodeType,
    inputs: Mapping[str, object],
    settings: Mapping[str, Json],
    context: ScriptedContext | None,
) -> dict[str, Any]:
    arguments: dict[str, Any] = {**inputs, **node_type.complete_settings(settings)}
    if node_type.context_name:
        arguments[node_type.context_name] = context or ScriptedContext()
    return arguments


def word_memory(name: str, place: MemoryPlace | None = None) -> Memory:
    """A memory for tests: finds the items that have words of the query, those with more of them first."""
    place = place or MemoryPlace(name, "memory.words")

    async def remember(context: Context, notes: Sequence[Note]) -> Sequence[Item]:
        kept, made = context.memory(place), list[Item]()
        for note in notes:
            number = len(kept.read("all", lambda items: [Recalled(one) for one in items.all()]))
            made.append(Item(f"{name}_{number}", note.text, note.fields, by=note.by or context.node))
            kept.put(made[-1])
        return made

    async def recall(context: Context, query: Query) -> Sequence[Recalled]:
        wanted = set(query.text.casefold().split())

        def search(items: Items) -> Sequence[Recalled]:
            shared = [(one, wanted & set(one.text.casefold().split())) for one in items.all()]
            found = [
                Recalled(one, len(words), f"has {', '.join(sorted(words))}") for one, words in shared if words
            ]
            return sorted(found, key=lambda one: -one.score)[: query.most or None]

        return context.memory(place).read(query.text, search)

    async def forget(context: Context, query: Query) -> Sequence[Item]:
        found = [one.item for one in await recall(context, query)]
        for one in found:
            context.memory(place).remove(one.id, "forgotten")
        return found

    return Memory(place, recall, remember, forget)
