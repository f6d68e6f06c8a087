"""What the studio keeps in bounds, or asks about first, and a script does not: said before it is exported."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from studio.app.guards import COST, has_cost, unpriced_of
from studio.flow.calls import reachable
from studio.flow.records import Flow, title_of
from studio.runtime.turns import AT_ONCE
from studio.sdk.registry import Registry
from studio.workspace.project import Project
from studio.workspace.servers import commands_in, reaches_in

CODE = "code"
"""The editor, and the setting, of nodes that run Python in a box."""


def unguarded(flow: Flow, registry: Registry, project: Project | None = None) -> list[str]:
    """Say it in sentences, those of flows that are called included; nothing for most flows.

    Prices and limits are those of the `project`.
    """
    flows = (flow, *reachable(flow, registry).values())
    unpriced = unpriced_of(project, flows, registry)
    said = [sentence for one in flows for sentence in _said(one, registry, unpriced)]
    return [*said, *(_limits_said(project, unpriced) if project is not None else ())]


def _said(flow: Flow, registry: Registry, unpriced: str) -> Iterator[str]:
    for name, record in flow.nodes.items():
        title = title_of(flow, name)
        kind = registry.get(record.kind)
        if kind is None:
            continue
        if any((spec.name, spec.editor) == (CODE, CODE) for spec in kind.settings):
            yield f"“{title}”: in the script, its code runs in a separate process, but not in a sandbox."
        if record.kind == "tools.code_interpreter":
            yield (
                f"“{title}”: in the script, code written by agents runs in a separate "
                "process, not in a sandbox, and only if STEPWIRE_RUN_CODE=1 is set."
            )
        if unpriced and has_cost(record.settings, kind):
            yield (
                f"“{title}”: the script does not know what {unpriced} costs: a cost limit "
                "fails, and `cost` in a rule stays 0. Limit the tokens."
            )
        if unpriced and COST in record.run.limits:
            yield (
                f"“{title}”: the cost of {unpriced} is unknown, so the script does not enforce "
                "its cost limit."
            )
        if "steps" in record.run.limits and not kind.context_name:
            yield (
                f"“{title}”: the script does not limit how often it runs, because it calls and reads nothing."
            )
    for command in commands_in(flow, registry, Path()):
        line = shlex.join(command.server.command)
        yield f"“{title_of(flow, command.node)}”: the script starts `{line}` without asking."
    for reach in reaches_in(flow, registry, Path()):
        hosts = ", ".join(reach.hosts)
        yield f"“{title_of(flow, reach.node)}”: {hosts} may be in a private network; the script does not ask."


def _limits_said(project: Project, unpriced: str) -> Iterator[str]:
    """Say which limits of a project a script keeps in another way."""
    if unpriced and COST in project.limits:
        yield f"The cost of {unpriced} is unknown, so the script does not enforce the project's cost limit."
    if "steps" in project.limits:
        yield "The project's step limit counts only steps that call, read or write something in the script."
    if AT_ONCE in project.limits:
        yield "The project's limit of parallel steps limits model calls in the script."
