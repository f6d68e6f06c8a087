"""Who writes to run variables: the items of which maps, each apart from the others, and what."""

from collections.abc import Iterator

from studio.export.structure.called import PLAIN
from studio.export.structure.chart import Chart
from studio.flow.calls import reachable
from studio.flow.records import Node
from studio.ids import NodeId
from studio.sdk.registry import Registry

VARIABLES = "studio.export.lifted.variables"


def find_writing_maps(chart: Chart) -> frozenset[NodeId]:
    """Find the maps of whose items a step writes, or what is lent to it, or a flow that either comes to."""
    maps = [region for region in chart.tree.root.walk() if region.kind == "map"]
    return frozenset(
        region.owner
        for region in maps
        if region.owner is not None and any(_writes(chart, node) for node in region.body)
    )


def keeps_values(chart: Chart) -> bool:
    """Whether a step may put something into a variable that is no JSON as it stands."""
    return any(
        one.type.base not in PLAIN
        for node in chart.tree.graph.steps
        if any(shared.is_written for shared in chart.signature(node).shares)
        for one in chart.inputs(node)
    )


def _writes(chart: Chart, step: NodeId) -> bool:
    if chart.record(step).run.state:
        return False
    nodes = (step, *chart.all_lenders(step))
    return any(
        shared.is_written
        for name in nodes
        for one in doing(chart.record(name), chart.registry)
        if (signature := chart.registry.signature(one)) is not None
        for shared in signature.shares
    )


def doing(node: Node, registry: Registry) -> Iterator[Node]:
    """The node, and those of all flows that it comes to."""
    yield node
    name = registry.called_name(node)
    if name:
        called = registry.flows.flow(name)
        for one in (called, *reachable(called, registry).values()):
            yield from one.nodes.values()
