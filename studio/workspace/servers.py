"""Servers that lend tools: what opens them for a run, and what of a flow a person has to allow."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from studio.errors import SettingsError
from studio.flow.flow_cache import Known
from studio.flow.records import Flow
from studio.ids import NodeId
from studio.sdk.registry import Registry
from studio.servers.grants import Grant, command_grant, private_grant, tools_grant
from studio.servers.records import Listening, Server, ServerCommand, ToolServer, command_of

COMMAND, OVER, PRIVATE, HOSTS, ADDRESS = "command", "over", "private", "hosts", "url"
"""The settings by which nodes that lend name a command or hosts, and which of the two is meant."""


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


@dataclass(frozen=True, slots=True)
class NamedCommand:
    """A command that a node of a flow would start, its folder a whole path."""

    node: NodeId
    server: ServerCommand

    @property
    def grants(self) -> tuple[Grant, Grant]:
        """What a person allows of it: its start, and the tools that it describes."""
        root = Path(self.server.folder)
        return command_grant(self.server, root), tools_grant(self.server, root, ())


@dataclass(frozen=True, slots=True)
class NamedReach:
    """Hosts that a node of a flow would reach, also on this machine or in private networks."""

    node: NodeId
    hosts: tuple[str, ...]
    root: Path

    @property
    def grants(self) -> tuple[Grant]:
        """What a person allows of it."""
        return (private_grant(self.hosts, self.root),)


def commands_in(flow: Flow, registry: Registry, root: Path) -> Sequence[NamedCommand]:
    """Name the commands that a flow would start; settings that do not fit start nothing."""
    found: list[NamedCommand] = []
    for name, settings in _settings_with(COMMAND, flow, registry):
        if settings.get(OVER, COMMAND) != COMMAND:
            continue
        try:
            server = command_of(**settings)
        except ValueError:
            continue
        found.append(NamedCommand(name, replace(server, folder=str((root / server.folder).resolve()))))
    return found


def reaches_in(flow: Flow, registry: Registry, root: Path) -> Sequence[NamedReach]:
    """Name the nodes of a flow that want to reach more than the public network, and whom."""
    found: list[NamedReach] = []
    for name, settings in _settings_with(PRIVATE, flow, registry):
        if settings[PRIVATE] is not True or settings.get(OVER) == COMMAND:
            continue
        hosts = settings.get(HOSTS) or (urlsplit(str(settings.get(ADDRESS, ""))).netloc.rpartition("@")[2],)
        found.append(NamedReach(name, tuple(cast("Sequence[str]", hosts)), root))
    return found


def _settings_with(setting: str, flow: Flow, registry: Registry) -> Iterator[tuple[NodeId, dict[str, Any]]]:
    """The settings of nodes whose type has this one; what does not fit starts and reaches nothing."""
    for name, record in flow.nodes.items():
        kind = registry.get(record.kind)
        if kind is not None and setting in {spec.name for spec in kind.settings}:
            with suppress(SettingsError):
                yield name, dict(registry.settings(record))


def secrets_lent(flows: Sequence[Flow], registry: Registry, environ: Mapping[str, str]) -> frozenset[str]:
    """What commands would be given of the environment; it may be keys, so it must appear nowhere."""
    names = {variable for flow in flows for variable in _VARIABLES.of(flow, registry)}
    return frozenset(value for name in names if (value := environ.get(name, "")))


def _variables(flow: Flow, registry: Registry) -> frozenset[str]:
    """The variables of the environment that commands of a flow would be given."""
    return frozenset(name for one in commands_in(flow, registry, Path()) for name in one.server.variables)


_VARIABLES = Known(_variables)
