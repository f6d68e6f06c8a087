"""What the studio keeps in bounds, or asks about first, and a script does not: said before it is exported."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from studio.app.guards import COST, has_cost, unpriced_of
from studio.app.project import Project
from studio.app.servers import commands_in, reaches_in
from studio.flow.calls import reachable
from studio.flow.records import Flow, title_of
from studio.runtime.turns import AT_ONCE
from studio.sdk.registry import Registry

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
            yield f"“{title}”: its code runs in a process of its own there, but in no box."
        if record.kind == "tools.code_interpreter":
            yield (
                f"“{title}”: what agents write runs in a process of its own there, but in no box, and only "
                "where STEPWIRE_RUN_CODE=1 is set."
            )
        if unpriced and has_cost(record.settings, kind):
            yield (
                f"“{title}”: what {unpriced} costs is unknown there: a limit of dollars fails, and `cost` in "
                "a rule stays 0. Limit the tokens."
            )
        if unpriced and COST in record.run.limits:
            yield f"“{title}”: what {unpriced} costs is unknown, so its limit of dollars is not kept there."
        if "steps" in record.run.limits and not kind.context_name:
            yield f"“{title}”: how often it runs is not limited there, for it asks and reads nothing."
    for command in commands_in(flow, registry, Path()):
        line = shlex.join(command.server.command)
        yield f"“{title_of(flow, command.node)}”: `{line}` is started there without asking."
    for reach in reaches_in(flow, registry, Path()):
        hosts = ", ".join(reach.hosts)
        yield f"“{title_of(flow, reach.node)}”: {hosts} may be in a private network; nobody is asked there."


def _limits_said(project: Project, unpriced: str) -> Iterator[str]:
    """Say which limits of a project a script keeps in another way."""
    if unpriced and COST in project.limits:
        yield f"What {unpriced} costs is unknown, so the project's limit of dollars is not kept there."
    if "steps" in project.limits:
        yield "The project's limit of steps counts only those there that ask, call, read or write something."
    if AT_ONCE in project.limits:
        yield "The project's limit of steps at a time is one of calls of language models there."
