"""Run variables that a script cannot have as the engine has them."""

from collections.abc import Collection, Iterator

from studio.errors import ExportError, UsageError
from studio.flow.calls import reachable
from studio.flow.records import CallingLibrary, Flow, Node, title_of
from studio.flow.regions import Region, region_tree
from studio.ids import NodeId


def refuse_shared_items(flow: Flow, library: CallingLibrary) -> None:
    """Refuse a flow in which the items of a map write to run variables, or call a flow that does.

    In a script a write takes effect at once, and not when its item has ended, in the order of the items.
    Raises `ExportError`.
    """
    tree = region_tree(flow, library)
    for node in sorted(tree.graph.steps):
        is_item = any(region.kind == "map" for region in _around(tree.of(node)))
        doing = (node, *_lenders(flow, node, tree.graph.steps))
        if is_item and any(
            _writes(one, library) for name in doing for one in _doing(flow.nodes[name], library)
        ):
            message = (
                f"“{title_of(flow, node)}” writes to a run variable for each item, which no script can say."
            )
            raise ExportError(
                message, hint="Collect the values instead, or run the flow with `stepwire run`."
            )


def _lenders(flow: Flow, node: NodeId, steps: Collection[NodeId]) -> Iterator[NodeId]:
    """The nodes that lend something to one, or to those that lend to it."""
    found = {node}
    waiting = [node]
    while waiting:
        target = waiting.pop()
        for wire in flow.wires:
            lender = wire.source.node
            if wire.target.node == target and lender not in steps and lender not in found:
                found.add(lender)
                waiting.append(lender)
                yield lender


def _doing(node: Node, library: CallingLibrary) -> Iterator[Node]:
    """The node, and those of all flows that it comes to."""
    yield node
    name = library.called_name(node)
    if not name:
        return
    try:
        called = library.flows.flow(name)
    except UsageError:
        return
    for one in (called, *reachable(called, library).values()):
        yield from one.nodes.values()


def _writes(node: Node, library: CallingLibrary) -> bool:
    signature = library.signature(node)
    return signature is not None and any(one.is_written for one in signature.shares)


def _around(region: Region | None) -> Iterator[Region]:
    while region is not None:
        yield region
        region = region.parent
