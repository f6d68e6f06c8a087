"""All that a node may do outside its arguments.

The runtime's implementation makes each call a child step through gate, recorder and budget; that of
`studio/sdk/testing.py` has its answers given.
"""

import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Literal, Protocol, TypeVar

from studio.flow.records import Json
from studio.llm.client import ChatAnswer, ChatRequest, ToolCall
from studio.sdk.items import KeptItems, MemoryPlace
from studio.sdk.part import Part
from studio.sdk.tool import LentFlow, Tool
from studio.servers.records import Server, ToolServer
from studio.web.request import WebAnswer, WebRequest

R = TypeVar("R")


class Folder(Protocol):
    """Reads and writes one folder of the project; `Context.folder` returns it.

    Paths are relative to it and cannot leave it, links included.
    """

    def names(self, pattern: str = "*") -> list[str]:
        """The relative paths of the files below that match the glob `pattern`, sorted."""
        ...

    def read_text(self, path: str) -> str:
        """Read a UTF-8 file; raises `ToolError` when it is missing, outside, or not text."""
        ...

    def read_bytes(self, path: str) -> bytes:
        """Read a file as it is; otherwise as `read_text`."""
        ...

    def database(self, path: str, *, write: bool = False) -> sqlite3.Connection:
        """Open a SQLite file, for reading unless `write`; each statement is a transaction of its own.

        Raises `ToolError` where there is none. Guard what you are told to run on it
        (`building_blocks/files/queries.py`).
        """
        ...

    def exists(self, path: str) -> bool:
        """Tell whether there is a file; raises `ToolError` for a path that is outside or hidden."""
        ...

    def write_text(self, path: str, text: str) -> str:
        """Write a UTF-8 file whole or not at all, making folders; gives the path written.

        Raises `ToolError` when it is outside, hidden (a dot file), or cannot be written; so too where
        programs are started from, and for flows and projects.
        """
        ...

    def append_text(self, path: str, text: str) -> str:
        """Append to a UTF-8 file; otherwise as `write_text`."""
        ...


class State(Protocol):
    """Gives a step the variables of its run, which all steps share; their values are plain JSON.

    What a step writes takes effect when it finishes; inside a map, when the item ends.
    """

    def has(self, name: str) -> bool:
        """Tell whether anything was written to a variable."""
        ...

    def read(self, name: str, default: Json = None) -> Json:
        """Give a variable as it is now, or `default` where nothing was written."""
        ...

    def write(
        self, name: str, value: object, operation: Literal["set", "append", "add", "merge"] = "set"
    ) -> None:
        """Change a variable; raises `StepError` where it, or the value, is not what the operation needs."""
        ...


@dataclass(frozen=True, slots=True)
class Form:
    """Asks a person something: a JSON Schema of type object says what may be answered.

    A node gives it to `Context.ask`; window and terminal show it as a form.
    """

    question: str
    schema: Mapping[str, object] = field(
        default_factory=lambda: {
            "type": "object",
            "properties": {"answer": {"type": "string", "title": "Answer"}},
            "required": ["answer"],
        }
    )


class Context(Protocol):
    """Lets the function of a node use the world besides its arguments.

    The runtime makes one for each attempt of a step; a bench has one whose answers are given (`testing.py`).
    """

    async def chat(self, request: ChatRequest, *, profile: str = "") -> ChatAnswer:
        """Ask a language model through a chat profile (empty: the run's); text streams by itself."""
        ...

    async def embed(
        self, texts: Sequence[str], *, dimensions: int | None = None, profile: str = ""
    ) -> list[list[float]]:
        """Turn texts into vectors with the language model of a chat profile (empty: the run's)."""
        ...

    async def call(self, tool: Tool, call: ToolCall, *, raises: bool = False) -> str:
        """Run a lent tool with the call's arguments; a `ToolError` comes back as text for the agent.

        With `raises` it is raised instead, as is every other error of the tool.
        """
        ...

    async def gather(self, calls: Sequence[Callable[[], Awaitable[R]]], limit: int = 8) -> list[R]:
        """Run the calls, at most `limit` at once, and give their results in the order of `calls`."""
        ...

    async def ask(self, form: Form) -> Mapping[str, object]:
        """Ask a person, and wait for the filled form."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait that long; it counts against the step's time limit."""
        ...

    @property
    def state(self) -> State:
        """The variables that all steps of the run share."""
        ...

    @property
    def node(self) -> str:
        """The id of the node that works, or lends; in a called flow after the flow's name."""
        ...

    def memory(self, place: MemoryPlace) -> KeptItems:
        """Give a memory into the step's hands; for what lends something, only in a call of it.

        Raises `StepError` where a memory of this name is of another kind.
        """
        ...

    def now(self, *, working: bool = False) -> datetime:
        """Give the time, with its zone; a replay is told the same.

        The clock for `working` time stands still while the run is held: for limits, between two looks at it.
        """
        ...

    def random(self) -> Random:
        """Give the step's source of chance, always the same one; a replay is given the same chances."""
        ...

    def folder(self, path: str = "") -> Folder:
        """Open a folder of the project for reading and writing."""
        ...

    async def run_code(
        self,
        code: str,
        function: str,
        arguments: Mapping[str, Json],
        *,
        seconds: float = 10.0,
        memory: int = 256,
    ) -> Json:
        """Call a function that Python source defines, isolated; gives what it returned, as plain JSON.

        `seconds` of its own work and `memory` in MiB are the most it may use. What it prints goes into the
        trace. Raises `CodeError`, `CodeLimitError`, and `BoxMissingError` where nothing can be isolated.
        """
        ...

    def flow(self, flow: str | Mapping[str, Json], *, max_depth: int = 8) -> LentFlow:
        """Give a flow of the project, or one that is a value, for a tool to run, so many calls deep at most.

        Its steps are recorded inside the call of the tool. Raises `StepError` for a flow that there is not,
        and for a value that is no flow, that does not pass `check`, or that would change something outside.
        """
        ...

    def server(self, server: Server, *, seconds: float = 60.0) -> AbstractAsyncContextManager[ToolServer]:
        """Give a server that lends tools, for as long as the context is open; for bindings only.

        It is started when it is first asked, a command not before a person allowed it; one answer takes
        `seconds` at most.
        """
        ...

    async def aside(self, work: Callable[[], R]) -> R:
        """Do what takes long without waiting on a thread of its own, so that others go on meanwhile.

        When the step is stopped nobody waits for it, so it has to come to an end by itself.
        """
        ...

    async def fetch(self, request: WebRequest) -> WebAnswer:
        """Send a request within its reach; for tools only, whose calls are recorded.

        Raises `ToolError` for what it may not reach, and where no answer comes.
        """
        ...

    def progress(self, done: float, total: float, note: str = "") -> None:
        """Say how far the step has come; the canvas shows it on the node."""
        ...

    def tell(self, part: Part) -> None:
        """Tell of something that the step makes as it goes, or that it changed: the last told counts."""
        ...

    def log(self, text: str) -> None:
        """Write a line into the trace, where the log of the step shows it."""
        ...
