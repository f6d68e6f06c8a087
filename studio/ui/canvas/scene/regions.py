"""The loops and maps of a flow, as the canvas draws them."""

from collections import defaultdict
from collections.abc import Sequence

from studio.flow.ports import Signature, Structure
from studio.flow.records import Flow, Library
from studio.flow.structure.regions import region_tree
from studio.ids import NodeId
from studio.ui.canvas.scene.areas import Region


def regions_of(flow: Flow, library: Library) -> Sequence[Region]:
    """Every loop and map with its body; a flow without one costs a look at each signature."""
    owners = [node for node, record in flow.nodes.items() if _opens_region(library.signature(record))]
    if not owners:
        return ()
    found = {region.owner: region for region in region_tree(flow, library).root.walk()}
    lent = _borrowers(flow, library)
    regions: list[Region] = []
    for node in owners:
        region = found.get(node)
        if region is None:
            regions.append(Region(node, frozenset()))
            continue
        parent = region.parent.owner if region.parent is not None else None
        body = region.body - {node, *region.collects}
        lenders = frozenset(one for one, borrowers in lent.items() if borrowers <= body)
        regions.append(Region(node, body, region.collects, parent, lenders))
    return regions


def _borrowers(flow: Flow, library: Library) -> dict[NodeId, set[NodeId]]:
    """Every binding node with those whom it is lent to."""
    lent: dict[NodeId, set[NodeId]] = defaultdict(set)
    lenders = {
        node
        for node, record in flow.nodes.items()
        if (signature := library.signature(record)) is not None and signature.is_binding
    }
    for wire in flow.wires:
        if wire.source.node in lenders:
            lent[wire.source.node].add(wire.target.node)
    return lent


def _opens_region(signature: Signature | None) -> bool:
    return signature is not None and signature.structure in {Structure.LOOP, Structure.FOR_EACH}
