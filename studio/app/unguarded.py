"""What the studio keeps in bounds, or asks about first, and a script does not: said before it is exported."""

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from studio.app.servers import commands_in, reaches_in
from studio.flow.calls import reachable
from studio.flow.records import Flow, title_of
from studio.sdk.node_type import NodeType
from studio.sdk.registry import Registry

CODE = "code"
"""The editor, and the setting, of nodes that run Python in a box."""

COST = "cost"
"""The setting, and the fact of a rule, that need prices, which scripts do not know."""


def unguarded(flow: Flow, registry: Registry) -> list[str]:
    """Say it in sentences, those of flows that are called included; nothing for most flows."""
    return [said for one in (flow, *reachable(flow, registry).values()) for said in _said(one, registry)]


def _said(flow: Flow, registry: Registry) -> Iterator[str]:
    for name, record in flow.nodes.items():
        kind = registry.get(record.kind)
        if kind is not None and any((spec.name, spec.editor) == (CODE, CODE) for spec in kind.settings):
            yield f"“{title_of(flow, name)}”: its code runs in a process of its own there, but in no box."
        if kind is not None and _looks_at_cost(record.settings, kind):
            yield (
                f"“{title_of(flow, name)}”: what answers cost is unknown there: a limit of dollars fails, "
                "and `cost` in a rule stays 0. Limit the tokens."
            )
    for command in commands_in(flow, registry, Path()):
        line = shlex.join(command.server.command)
        yield f"“{title_of(flow, command.node)}”: `{line}` is started there without asking."
    for reach in reaches_in(flow, registry, Path()):
        hosts = ", ".join(reach.hosts)
        yield f"“{title_of(flow, reach.node)}”: {hosts} may be in a private network; nobody is asked there."


def _looks_at_cost(settings: Mapping[str, object], kind: NodeType) -> bool:
    """Whether the node stops at so many dollars, or by a rule over them."""
    if all(one.name != COST for one in kind.settings):
        return False
    rules = [str(settings.get(one.name, "")) for one in kind.settings if one.editor == "expression"]
    return settings.get(COST) is not None or any(re.search(rf"\b{COST}\b", rule) for rule in rules)
