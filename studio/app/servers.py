"""Servers that lend tools: what opens them for a run, and which commands the user has allowed to start."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from studio.app.kept import Kept
from studio.app.settings import config_folder
from studio.errors import SettingsError
from studio.flow.records import Flow
from studio.ids import NodeId
from studio.sdk.registry import Registry
from studio.servers.records import Listening, Server, ServerCommand, ToolServer, command_of

COMMAND = "command"
VARIABLES = "variables"
"""The settings by which a node that lends names a command, and variables of the environment for it."""


class LateServers:
    """Implements `Servers`; what they need is loaded with the first one, for that takes its time."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._root = root
        self._environ = environ

    def open(
        self, server: Server, listening: Listening, seconds: float
    ) -> AbstractAsyncContextManager[ToolServer]:
        """Give a server; see `Servers.open`."""
        from studio.servers.connection import McpServers

        return McpServers(self._root, self._environ).open(server, listening, seconds)


class KeptGrants:
    """Implements `Grants` in the user's configuration folder, out of reach of any project."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._kept = Kept(config_folder(environ) / "grants.json")

    def has(self, server: ServerCommand) -> bool:
        """Tell whether just this command, with these variables and in this folder, may start."""
        return server.fingerprint in self._commands()

    def add(self, server: ServerCommand) -> None:
        """Keep that it may."""
        plain = {"command": server.command, "variables": server.variables, "folder": server.folder}
        self._kept.write({"commands": {**self._commands(), server.fingerprint: plain}})

    def remove(self, server: ServerCommand) -> None:
        """Have it asked about again."""
        left = {name: one for name, one in self._commands().items() if name != server.fingerprint}
        self._kept.write({"commands": left})

    def _commands(self) -> dict[str, object]:
        found = self._kept.read().get("commands")
        return cast("dict[str, object]", found) if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class NamedCommand:
    """A command that a node of a flow would start, its folder a whole path."""

    node: NodeId
    server: ServerCommand


def commands_in(flow: Flow, registry: Registry, root: Path) -> Sequence[NamedCommand]:
    """Name the commands that a flow would start; settings that do not fit start nothing."""
    found: list[NamedCommand] = []
    for name, record in flow.nodes.items():
        kind = registry.get(record.kind)
        if kind is None or COMMAND not in {spec.name for spec in kind.settings}:
            continue
        try:
            server = command_of(**registry.settings(record))
        except (SettingsError, ValueError):
            continue
        found.append(NamedCommand(name, replace(server, folder=str((root / server.folder).resolve()))))
    return found


def secrets_lent(flows: Sequence[Flow], registry: Registry, environ: Mapping[str, str]) -> frozenset[str]:
    """What commands would be given of the environment; it may be keys, so it must appear nowhere."""
    names = {
        variable
        for flow in flows
        for one in commands_in(flow, registry, Path())
        for variable in one.server.variables
    }
    return frozenset(value for name in names if (value := environ.get(name, "")))
