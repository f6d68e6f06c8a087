"""Who reads what of a region: told before the run, so that each value is let go of after its last reader.

A value leaves its frame when the last vertex that reads it is over, so that a long chain holds no more than
its last values.
"""

from collections.abc import Iterable

from studio.ids import NodeId
from studio.runtime.plans.plan import PlannedNode, PlannedRegion


class Readership:
    """The readers of all nodes whose values stand in frames of some regions."""

    def __init__(self, regions: Iterable[PlannedRegion]) -> None:
        self._regions = tuple(regions)
        self._readers: list[dict[NodeId, set[int]]] = [{} for _ in self._regions]
        self._kept: list[set[NodeId]] = [set() for _ in self._regions]
        self._places = {id(region): place for place, region in enumerate(self._regions)}

    def add(self, region: PlannedRegion, node: NodeId, reader: int | None) -> None:
        """Note that a vertex of a region reads a node in its frames; None: it is read when all is over."""
        place = self._places[id(region)]
        if reader is None:
            self._kept[place].add(node)
        else:
            self._readers[place].setdefault(node, set()).add(reader)

    def keep(self, regions: Iterable[PlannedRegion], node: NodeId) -> None:
        """Note that a node is read outside of these regions."""
        for region in regions:
            place = self._places[id(region)]
            self._kept[place].add(node)
            region.leaving |= {node}

    def settle(self) -> None:
        """Tell each region when to let go of what; the chains of the regions are known by now."""
        for region, readers, kept in zip(self._regions, self._readers, self._kept, strict=True):
            for race in region.races:
                # A race looks at all that may still come to it.
                kept |= {feed.node for one in race.node.inputs for feed in one.feeds}
            for index, vertex in enumerate(region.vertices):
                for node in _givers(vertex):
                    readers.setdefault(node.id, {index})
            _tell(region, {node: read for node, read in readers.items() if node not in kept})


def _givers(vertex: PlannedNode | PlannedRegion) -> Iterable[PlannedNode]:
    """The nodes whose values stand in the frame around when a vertex is over, read or not."""
    if isinstance(vertex, PlannedNode):
        return (vertex,)
    return (vertex.owner, *vertex.collects) if vertex.owner is not None else vertex.collects


def _tell(region: PlannedRegion, readers: dict[NodeId, set[int]]) -> None:
    last: list[list[NodeId]] = [[] for _ in region.vertices]
    shared: list[list[NodeId]] = [[] for _ in region.vertices]
    order = {index: place for place, index in enumerate(region.chain or ())}
    counts: dict[NodeId, int] = {}
    for node, read in readers.items():
        if order:
            last[max(read, key=order.__getitem__)].append(node)
        elif len(read) == 1:
            last[next(iter(read))].append(node)
        else:
            counts[node] = len(read)
            for index in read:
                shared[index].append(node)
    region.last_reads = [tuple(nodes) for nodes in last]
    region.shared_reads = [tuple(nodes) for nodes in shared]
    region.readers = counts
