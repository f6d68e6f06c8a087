"""The loops and maps of a flow, as the canvas draws them."""

from collections.abc import Sequence

from studio.flow.ports import Signature, Structure
from studio.flow.records import Flow, Library
from studio.flow.regions import region_tree
from studio.ui.canvas.areas import Region


def regions_of(flow: Flow, library: Library) -> Sequence[Region]:
    """Every loop and map with its body; a flow without one costs a look at each signature."""
    owners = [node for node, record in flow.nodes.items() if _opens_region(library.signature(record))]
    if not owners:
        return ()
    found = {region.owner: region for region in region_tree(flow, library).root.walk()}
    regions: list[Region] = []
    for node in owners:
        region = found.get(node)
        if region is None:
            regions.append(Region(node, frozenset()))
            continue
        parent = region.parent.owner if region.parent is not None else None
        regions.append(Region(node, region.body - {node, *region.collects}, region.collects, parent))
    return regions


def _opens_region(signature: Signature | None) -> bool:
    return signature is not None and signature.structure in {Structure.LOOP, Structure.FOR_EACH}
