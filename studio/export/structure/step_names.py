"""What a step is called in a trace, as the expression that gives it its context."""

from collections.abc import Mapping

from studio.export.python.literals import text_literal
from studio.export.structure.chart import Chart
from studio.export.structure.remembering import has_memories
from studio.ids import NodeId, slug

CONTEXT = "context"
"""The parameter that has what steps use besides their arguments."""


def context_of_step(chart: Chart, node: NodeId, variables: Mapping[NodeId, str]) -> str:
    """What a step, or a node that lends something, is given as its context."""
    if chart.stands_for is not None:
        return CONTEXT
    limits = chart.record(node).run.limits
    context = f"{CONTEXT}{within(account_of(chart, node), limits)}" if limits else CONTEXT
    if node not in chart.tree.graph.steps:
        told = f', "{slug(chart.name)}:{node}"' if chart.name and has_memories(chart) else ""
        return f'{context}.lender("{node}"{told})'
    rounds = rounds_around(chart, node, variables)
    return f'{context}.step({"f" if rounds else ""}"{rounds}{node}")'


def account_of(chart: Chart, node: NodeId) -> str:
    """What a node's account is called: `critic`, or `summary.json:critic` in a flow that is called."""
    return f"{chart.name}:{node}" if chart.name else str(node)


def within(account: str, limits: Mapping[str, float]) -> str:
    """How a context is told that what is done with it keeps to limits of a node's own."""
    told = ", ".join(f"{text_literal(name)}: {float(number)!r}" for name, number in sorted(limits.items()))
    return f".within({text_literal(account)}, {{{told}}})"


def context_of_item(chart: Chart, owner: NodeId, variables: Mapping[NodeId, str]) -> str:
    """What the function of one item of a map is given, where `index` counts the items."""
    return f'{CONTEXT}.step(f"{rounds_around(chart, owner, variables)}{owner}.{{index}}")'


def rounds_around(chart: Chart, node: NodeId, variables: Mapping[NodeId, str]) -> str:
    """The loops in which a node stands, up to the map around them, as they are written in an f-string."""
    owned = chart.owned.get(node)
    region = chart.tree.of(node) if owned is None else owned.parent
    rounds = ""
    while region is not None and region.kind == "loop" and region.owner is not None:
        rounds = f"{region.owner}.{{{variables[region.owner]}_round}}/{rounds}"
        region = region.parent
    return rounds
