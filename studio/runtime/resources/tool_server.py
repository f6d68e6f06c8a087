"""A server that lends tools, as a run speaks to it: recorded, and started only after somebody allowed it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Protocol, Self

from studio.errors import StepError, ToolError
from studio.runtime.resources.keeper import Keeper
from studio.runtime.resources.permissions import Permissions
from studio.sdk.context import Form
from studio.sdk.tool import Effect
from studio.servers.grants import ENVIRONMENT, Grant, command_grant, private_grant, tools_grant
from studio.servers.records import (
    DECLINED,
    MAY_DECLINE,
    Listening,
    ServedTool,
    Server,
    ServerAddress,
    ServerCommand,
    Servers,
    ToolServer,
)
from studio.trace.events import ToolCalled
from studio.trace.events.calls import Decision
from studio.web.request import Reach

LISTED = "list_tools"
"""What the trace calls it when a server names its tools."""


class Doors(Protocol):
    """What a run has of the world."""

    @property
    def servers(self) -> Servers | None:
        """Opens servers; None where there are none, as in a replay."""
        ...

    @property
    def permissions(self) -> Permissions:
        """What a person allows."""
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

    async def decided(self, decision: Decision, subject: str, rule: str) -> None:
        """Tell what was decided of something that it wants."""
        ...

    def progress(self, done: float, total: float, note: str = "") -> None:
        """Say how far it has come."""
        ...

    def log(self, text: str) -> None:
        """Write a line into the trace."""
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
        seen = tools_grant(self._server, self._doors.root, found)
        permissions = self._doors.permissions
        if not permissions.trust_first(seen) and not await permissions.require(
            self._context,
            lambda: seen,
            lambda grant: f"Do you approve the tools of this server?\n  {grant.subject}",
            "Or start over with `stepwire grants FLOW --revoke`.",
        ):
            raise StepError(f"The tools of `{seen.subject}` have changed and are not approved.")
        return json.dumps([asdict(one) for one in found], ensure_ascii=False)

    async def _opened(self) -> ToolServer:
        async with self._turn:
            if self._open is None:
                servers = self._doors.servers
                if servers is None:
                    raise ToolError("This run reaches no servers.")
                await self._allowed(self._server)
                listening = Listening(self._context.progress, self._asked, self._context.log)
                opened = servers.open(self._server, listening, self._seconds)
                self._open = await self._keeper.open(opened)
            return self._open

    async def _allowed(self, server: Server) -> None:
        """Have a person look at what would be started, or reached where that is no public place."""
        root, permissions = self._doors.root, self._doors.permissions
        if isinstance(server, ServerAddress):
            if server.reach.is_private:
                await require_private(permissions, self._context, server.reach, root)
            return
        folder = (root / server.folder).resolve()
        question = (
            f"Do you approve starting this command?\n  {command_line(server)}\n  in {folder}\n  "
            f"environment variables: {', '.join(server.variables) or 'none'}"
        )
        if not await permissions.require(
            self._context,
            lambda: command_grant(server, root),
            lambda grant: f"{question}{_scripts_of(grant)}",
        ):
            raise StepError(f"`{command_line(server)}` was not approved.")

    async def _asked(self, question: str, schema: Mapping[str, object]) -> Mapping[str, object] | None:
        answer = await self._context.ask(Form(question, {**schema, MAY_DECLINE: True}))
        return None if answer == {DECLINED: True} else answer


def command_line(command: ServerCommand) -> str:
    """The command as it would be typed."""
    import shlex

    return shlex.join(command.command)


def _scripts_of(grant: Grant) -> str:
    names = [name for name in grant.seen if name != ENVIRONMENT]
    return f"\n  including the contents of: {', '.join(names)}" if names else ""


async def require_private(permissions: Permissions, asking: Asking, reach: Reach, root: Path) -> None:
    """Have a person allow that hosts are reached which are not in the public network."""
    named = ", ".join(reach.hosts) or "nothing"
    if not await permissions.require(
        asking,
        lambda: private_grant(reach.hosts, root),
        lambda _: f"Do you approve access to this, on this machine or in a private network?\n  {named}",
    ):
        raise ToolError("Access to this machine or private networks was not approved.")
