"""What each frame holds when a flow is tidied: whole loops and maps, nested or apart, never crossing."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from studio.flow.edits.boxes import Place, standing_in
from studio.flow.records import Flow
from studio.flow.structure.regions import Region, RegionTree
from studio.ids import NodeId


@dataclass(frozen=True, slots=True)
class Cluster:
    """A frame with the steps that stand in it; all are items of one region, or lie in such."""

    frame: str
    nodes: frozenset[NodeId]
    region: Region
    inner: int
    """How many frames lie in it: of frames around the same nodes, one is around the other."""

    @property
    def rank(self) -> tuple[int, int, str]:
        """Frames around others come before these."""
        return -len(self.nodes), -self.inner, self.frame


def find_clusters(
    flow: Flow,
    tree: RegionTree,
    frames: Collection[str],
    sizes: Mapping[NodeId, tuple[int, int]],
    borrowers: Mapping[NodeId, NodeId],
) -> list[Cluster]:
    """The frames that hold steps, larger ones first; of two that cross, the smaller gives up what both hold.

    What is lent counts as its borrower, and a step inside a loop that the frame cuts through as the loop.
    """
    owners = {region.owner for region in tree.root.walk() if region.body - set(region.collects)}
    collects = {node for region in tree.root.walk() for node in region.collects}
    rects: dict[NodeId, Place] = {
        node: (place.x, place.y, *sizes.get(node, (0, 0)))
        for node, place in flow.layout.nodes.items()
        if node in flow.nodes and node not in owners and node not in collects
    }
    found: list[Cluster] = []
    for name in sorted(frames):
        things = standing_in(flow, name, rects)
        held = {_borrower(node, borrowers) for node in things.nodes}
        if held:
            region = _common(tree, held)
            nodes = {one for node in held for one in _item(region, node)}
            found.append(Cluster(name, frozenset(nodes), region, len(things.frames)))
    found.sort(key=lambda one: one.rank)
    kept: list[Cluster] = []
    for cluster in found:
        nodes = cluster.nodes
        for other in kept:
            if not nodes <= other.nodes:
                nodes -= other.nodes
        if nodes:
            kept.append(replace(cluster, nodes=nodes))
    return sorted(kept, key=lambda one: one.rank)


def _borrower(node: NodeId, borrowers: Mapping[NodeId, NodeId]) -> NodeId:
    while node in borrowers:
        node = borrowers[node]
    return node


def _common(tree: RegionTree, nodes: Collection[NodeId]) -> Region:
    """The innermost region in which all of them stand."""
    paths = [_path(tree.of(node)) for node in nodes]
    shared = [
        regions[0] for regions in zip(*paths, strict=False) if all(one is regions[0] for one in regions)
    ]
    return shared[-1]


def _path(region: Region) -> list[Region]:
    path = [region]
    while path[-1].parent is not None:
        path.append(path[-1].parent)
    return path[::-1]


def _item(region: Region, node: NodeId) -> frozenset[NodeId]:
    """The node, or all of the loop or map directly in `region` that it is a part of."""
    for child in region.children:
        owner = [child.owner] if child.owner is not None else []
        whole = child.body.union(owner, child.collects)
        if node in whole:
            return whole
    return frozenset([node])
