"""A server that lends tools, as a run speaks to it: recorded, and started only after somebody allowed it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Protocol, Self

from studio.errors import StepError, ToolError, WaitingError
from studio.runtime.keeper import Keeper
from studio.sdk.context import Form
from studio.sdk.tool import Effect
from studio.servers.records import Grants, Listening, ServedTool, Server, ServerCommand, Servers, ToolServer
from studio.trace.events import ToolCalled

LISTED = "list_tools"
"""What the trace calls it when a server names its tools."""

ALLOW = {
    "type": "object",
    "properties": {"allow": {"type": "boolean", "title": "Let it start"}},
    "required": ["allow"],
}


class Doors(Protocol):
    """What a run has of the world."""

    @property
    def servers(self) -> Servers | None:
        """Opens servers; None where there are none, as in a replay."""
        ...

    @property
    def grants(self) -> Grants | None:
        """What a person has allowed before."""
        ...

    @property
    def root(self) -> Path:
        """The project's folder."""
        ...


class Asking(Protocol):
    """As much of a node's context as is needed here."""

    async def told(self, called: ToolCalled, work: Callable[[], Awaitable[str]]) -> str:
        """Do something outside as a child step."""
        ...

    async def ask(self, form: Form, *, anew: bool = False) -> Mapping[str, object]:
        """Ask a person."""
        ...

    def progress(self, done: float, total: float, note: str = "") -> None:
        """Say how far it has come."""
        ...


class ServedTools:
    """Implements `ToolServer`; a replay is given the list of tools, and never opens the server."""

    def __init__(self, context: Asking, server: Server, doors: Doors, seconds: float) -> None:
        self._context = context
        self._server = server
        self._doors = doors
        self._seconds = seconds
        self._turn = asyncio.Lock()
        self._keeper = Keeper()
        self._open: ToolServer | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *reason: object) -> None:
        await self._keeper.close()

    async def tools(self) -> Sequence[ServedTool]:
        """Name the tools, as a child step."""
        asked = {"server": asdict(self._server)}
        listed = await self._context.told(ToolCalled(LISTED, asked, "", Effect.PAID_READ), self._listed)
        return [ServedTool(**one) for one in json.loads(listed)]

    async def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Call one of them; the child step is the agent's."""
        return await (await self._opened()).call(tool, arguments)

    async def _listed(self) -> str:
        found = await (await self._opened()).tools()
        return json.dumps([asdict(one) for one in found], ensure_ascii=False)

    async def _opened(self) -> ToolServer:
        async with self._turn:
            if self._open is None:
                servers = self._doors.servers
                if servers is None:
                    raise ToolError("This run reaches no servers.")
                if isinstance(self._server, ServerCommand):
                    await self._allowed(self._server)
                listening = Listening(self._context.progress, self._asked)
                opened = servers.open(self._server, listening, self._seconds)
                self._open = await self._keeper.open(opened)
            return self._open

    async def _allowed(self, command: ServerCommand) -> None:
        """Have a person look at a command that was not allowed before, just as it is."""
        folder = (self._doors.root / command.folder).resolve()
        command = replace(command, folder=str(folder))
        grants = self._doors.grants
        if grants is not None and grants.has(command):
            return
        question = (
            f"May this command be started?\n  {command_line(command)}\n  in {folder}\n"
            f"  given of the environment: {', '.join(command.variables) or 'nothing'}"
        )
        try:
            answer = await self._context.ask(Form(question, ALLOW), anew=True)
        except WaitingError as error:
            error.hint = f"{error.hint} Or allow it with `stepwire grants FLOW --approve`, and run again."
            raise
        if answer.get("allow") is not True:
            raise StepError(f"`{command_line(command)}` was not allowed to start.")
        if grants is not None:
            grants.add(command)

    async def _asked(self, question: str, schema: Mapping[str, object]) -> Mapping[str, object]:
        return await self._context.ask(Form(question, schema))


def command_line(command: ServerCommand) -> str:
    """The command as it would be typed."""
    import shlex

    return shlex.join(command.command)
