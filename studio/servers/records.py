"""Which server is meant, what it lends, and what whoever speaks to it can ask of it."""

import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from studio.web.request import Reach

MAY_DECLINE = "mayDecline"
"""Says in the schema of a question that a person need not answer it."""

DECLINED = "declined"
"""True in the answer of a person who does not."""


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """A server that is a program on this machine; of the environment it is given `variables`, by name."""

    command: tuple[str, ...]
    variables: tuple[str, ...] = ()
    folder: str = ""
    """Where it is started; of the project, unless it is a whole path."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A server that is reached over the web; in `keys`, headers, `{NAME}` stands for a variable."""

    url: str
    reach: Reach = field(default_factory=Reach)
    keys: tuple[tuple[str, str], ...] = ()


Server: TypeAlias = ServerCommand | ServerAddress


@dataclass(frozen=True, slots=True)
class ServedTool:
    """A tool as its server describes it; `only_reads` is what the server says of itself."""

    name: str
    description: str
    parameters: Mapping[str, object]
    only_reads: bool = False


class ToolServer(Protocol):
    """A server that lends tools; it is started, or connected to, when it is first asked for something."""

    async def tools(self) -> Sequence[ServedTool]:
        """Name the tools that it lends; raises `ToolError` where it does not answer."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Call one of them; raises `ToolError` for an error that it tells, and where it does not answer."""
        ...


@dataclass(frozen=True, slots=True)
class Listening:
    """Who is told of progress and of lines noted, and who answers what a server asks; None declines to."""

    on_progress: Callable[[float, float, str], None]
    on_ask: Callable[[str, Mapping[str, object]], Awaitable[Mapping[str, object] | None]]
    on_note: Callable[[str], None] = lambda _: None


class Servers(Protocol):
    """Opens servers."""

    def open(
        self, server: Server, listening: Listening, seconds: float
    ) -> AbstractAsyncContextManager[ToolServer]:
        """Give a server, which ends with the context; its start and each answer may take `seconds`."""
        ...


def command_of(
    *, command: str, variables: Sequence[str] = (), folder: str = "", **_: object
) -> ServerCommand:
    """Read a command as a shell does, without running one; raises `ValueError`, an empty one included."""
    parts = tuple(shlex.split(command))
    if not parts:
        raise ValueError("there is no command")
    return ServerCommand(parts, tuple(variables), folder)
