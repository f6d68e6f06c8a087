"""Who uses memories: which steps, the items of which maps, and whether any is kept in a file."""

from collections.abc import Iterator

from studio.export.structure.chart import Chart
from studio.export.structure.sharing import doing
from studio.flow.records import Node
from studio.ids import NodeId
from studio.sdk.registry import Registry

MEMORIES = "studio.export.lifted.memories"


def remembers(chart: Chart, step: NodeId) -> bool:
    """Whether a step is lent a memory or what is kept as one, or what is lent to it."""
    return any(_lends_memory(chart.record(one), chart.registry) for one in chart.all_lenders(step))


def has_memories(chart: Chart) -> bool:
    """Whether a flow has nodes that lend a memory."""
    return any(_lends_memory(one, chart.registry) for one in chart.flow.nodes.values())


def keeps_files(chart: Chart) -> bool:
    """Whether a memory of a flow lasts longer than the script."""
    return any(
        chart.registry.settings(one).get("keep") == "project"
        for one in chart.flow.nodes.values()
        if _lends_memory(one, chart.registry)
    )


def find_remembering_maps(chart: Chart) -> frozenset[NodeId]:
    """Find the maps in whose items a memory is used, by a step or in a flow that it comes to."""
    maps = [region for region in chart.tree.root.walk() if region.kind == "map"]
    return frozenset(
        region.owner
        for region in maps
        if region.owner is not None and any(_comes_to_memory(chart, node) for node in region.body)
    )


def _comes_to_memory(chart: Chart, step: NodeId) -> bool:
    return not chart.record(step).run.state and any(
        _lends_memory(one, chart.registry) for one in _done_for(chart, step)
    )


def _done_for(chart: Chart, step: NodeId) -> Iterator[Node]:
    for name in (step, *chart.all_lenders(step)):
        yield from doing(chart.record(name), chart.registry)


def _lends_memory(node: Node, registry: Registry) -> bool:
    signature = registry.signature(node)
    return signature is not None and signature.is_binding and signature.is_kept
