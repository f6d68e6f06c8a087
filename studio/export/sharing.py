"""Run variables that a script cannot have as the engine has them."""

from collections.abc import Iterator

from studio.errors import ExportError
from studio.flow.records import Flow, Library, title_of
from studio.flow.regions import Region, region_tree


def refuse_shared_items(flow: Flow, library: Library) -> None:
    """Refuse a flow in which the items of a map write to run variables; raises `ExportError`.

    In a script a write takes effect at once, and not when its item has ended, in the order of the items.
    """
    tree = region_tree(flow, library)
    for node in sorted(tree.graph.steps):
        signature = tree.graph.signatures[node]
        is_writing = signature is not None and any(one.is_written for one in signature.shares)
        if is_writing and any(region.kind == "map" for region in _around(tree.of(node))):
            message = (
                f"“{title_of(flow, node)}” writes to a run variable for each item, which no script can say."
            )
            raise ExportError(
                message, hint="Collect the values instead, or run the flow with `stepwire run`."
            )


def _around(region: Region | None) -> Iterator[Region]:
    while region is not None:
        yield region
        region = region.parent
