"""A tidy layout: from left to right in the order of execution, loops and maps as blocks of their own.

It depends on the flow alone and not on where things stood, so tidying twice changes nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.flow.change import Change, Swap
from studio.flow.edits import fragment, move
from studio.flow.graph import Vertex, VertexGraph, graph_from, in_order, is_binding_wire, without_cycles
from studio.flow.records import Flow, Library, Point
from studio.flow.regions import Region, RegionTree, region_tree
from studio.ids import NodeId

NODE_SIZE = (220, 110)
"""Width and height of a node whose size nobody tells."""

COLUMN_GAP = 80
ROW_GAP = 40
LENT_GAP = 50
"""Between a node and what is lent to it, which stands beneath."""

BLOCK_MARGIN = 40
"""Between a loop's or map's area and what stands in it."""

_GRID = 10


@dataclass(slots=True)
class _Block:
    """Things with places relative to their common upper left corner."""

    width: int = 0
    height: int = 0
    places: dict[NodeId, Point] = field(default_factory=dict[NodeId, Point])

    def put(self, other: "_Block", x: int, y: int) -> None:
        """Place another block inside this one, which grows as far as needed."""
        for name, place in other.places.items():
            self.places[name] = Point(place.x + x, place.y + y)
        self.width = max(self.width, x + other.width)
        self.height = max(self.height, y + other.height)


def arrange(
    flow: Flow,
    library: Library,
    nodes: Iterable[NodeId] | None = None,
    sizes: Mapping[NodeId, tuple[int, int]] | None = None,
) -> Change:
    """Tidy the given nodes, or the whole flow; the upper left corner of what is tidied stays.

    Bends of wires at a node that moves go: they were made for another place.
    """
    chosen = flow if nodes is None else fragment(flow, nodes)
    block = _Arranger(chosen, library, sizes or {}).block()
    places = [flow.layout.nodes[name] for name in chosen.nodes if name in flow.layout.nodes]
    left = min((place.x for place in places), default=0) - min(
        (one.x for one in block.places.values()), default=0
    )
    top = min((place.y for place in places), default=0) - min(
        (one.y for one in block.places.values()), default=0
    )
    moved = move(flow, {name: Point(one.x + left, one.y + top) for name, one in block.places.items()})
    bent: dict[str, Swap[tuple[Point, ...]]] = {
        str(wire): (flow.layout.bends[str(wire)], None)
        for wire in flow.wires
        if str(wire) in flow.layout.bends
        and not moved.places.keys().isdisjoint({wire.source.node, wire.target.node})
    }
    label = "Tidy flow" if nodes is None else "Tidy selection"
    return Change(label, places=moved.places, bends=bent)


class _Arranger:
    """Builds blocks from the inside out."""

    def __init__(self, flow: Flow, library: Library, sizes: Mapping[NodeId, tuple[int, int]]) -> None:
        self._flow = flow
        self._sizes = sizes
        self._tree: RegionTree = region_tree(flow, library)
        self._lent = self._lenders()

    def block(self) -> _Block:
        """The whole flow as one block."""
        return self._region(self._tree.root)

    def _lenders(self) -> dict[NodeId, list[NodeId]]:
        """What stands beneath each borrower: every lender that is no step, under its first borrower."""
        signatures, steps = self._tree.graph.signatures, self._tree.graph.steps
        borrowers: dict[NodeId, NodeId] = {}
        for wire in sorted(self._flow.wires, key=lambda one: (one.target.node, one.index or 0, one.sort_key)):
            lender, borrower = wire.source.node, wire.target.node
            lends = lender in self._flow.nodes and lender not in steps and is_binding_wire(wire, signatures)
            if lends and borrower in self._flow.nodes and not _leads_to(borrower, lender, borrowers):
                borrowers.setdefault(lender, borrower)
        lent: dict[NodeId, list[NodeId]] = defaultdict(list)
        for lender, borrower in borrowers.items():
            lent[borrower].append(lender)
        return lent

    def _region(self, region: Region) -> _Block:
        blocks: dict[NodeId, _Block] = {}
        item_of: dict[NodeId, NodeId] = {}
        for child in region.children:
            owner = child.owner or NodeId("")
            blocks[owner] = self._owned(child, owner)
            item_of.update(dict.fromkeys((owner, *child.collects, *child.body), owner))
        for node in sorted(region.direct - item_of.keys()):
            blocks[node] = self._node(node)
            item_of[node] = node
        if region.parent is None:
            borrowed = {one for lenders in self._lent.values() for one in lenders}
            for node in sorted(self._flow.nodes.keys() - self._tree.graph.steps - borrowed):
                blocks[node] = self._node(node)
                item_of[node] = node
        return _columns(blocks, self._edges(item_of))

    def _owned(self, region: Region, owner: NodeId) -> _Block:
        """A loop or map: its node, what stands in it, and its collects."""
        ends = [self._node(name) for name in region.collects]
        parts = [_stacked([self._node(owner)]), self._region(region), _stacked(ends)]
        return _side_by_side([part for part in parts if part.places], margin=BLOCK_MARGIN)

    def _node(self, node: NodeId) -> _Block:
        width, height = self._sizes.get(node, NODE_SIZE)
        block = _Block(width, height, {node: Point(0, 0)})
        x = 0
        for lender in sorted(self._lent.get(node, ())):
            beneath = self._node(lender)
            block.put(beneath, x, _snapped(height + LENT_GAP))
            x += _snapped(beneath.width + ROW_GAP)
        return block

    def _edges(self, item_of: Mapping[NodeId, NodeId]) -> list[tuple[NodeId, NodeId]]:
        found: list[tuple[NodeId, NodeId]] = []
        for source, target in self._tree.graph.edges:
            ends = item_of.get(source.node), item_of.get(target.node)
            if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
                found.append((ends[0], ends[1]))
        return found


def _columns(blocks: Mapping[NodeId, _Block], edges: Sequence[tuple[NodeId, NodeId]]) -> _Block:
    """Put blocks into columns by how much lies before them, near what they are wired to."""
    drawn = graph_from(
        (Vertex(name) for name in sorted(blocks)), ((Vertex(one), Vertex(other)) for one, other in edges)
    )
    graph, _ = without_cycles(drawn)
    ranks: dict[NodeId, int] = {}
    order = in_order(graph)
    for vertex in order:
        ranks[vertex.node] = max((ranks[one.node] + 1 for one in graph.predecessors(vertex)), default=0)
    for vertex in order:
        followers = [ranks[one.node] for one in graph.successors(vertex)]
        if followers and not graph.in_degree(vertex):
            ranks[vertex.node] = min(followers) - 1
    rows: list[list[NodeId]] = [[] for _ in range(max(ranks.values(), default=-1) + 1)]
    for name in sorted(ranks):
        rows[ranks[name]].append(name)
    place: dict[NodeId, float] = {}
    for row in rows:
        _sort_by_neighbours(row, graph, place)
    return _side_by_side([_stacked([blocks[name] for name in row]) for row in rows if row])


def _sort_by_neighbours(row: list[NodeId], graph: VertexGraph, place: dict[NodeId, float]) -> None:
    """Order a column by the mean place of what leads into it, which keeps wires from crossing."""

    def mean(name: NodeId) -> tuple[float, str]:
        before = [place[one.node] for one in graph.predecessors(Vertex(name)) if one.node in place]
        return (sum(before) / len(before) if before else len(place), name)

    row.sort(key=mean)
    place.update({name: float(number) for number, name in enumerate(row)})


def _stacked(blocks: Sequence[_Block]) -> _Block:
    column = _Block()
    y = 0
    for block in blocks:
        column.put(block, 0, y)
        y += _snapped(block.height + ROW_GAP)
    return column


def _side_by_side(columns: Sequence[_Block], *, margin: int = 0) -> _Block:
    """Columns next to each other, each centred on the tallest."""
    tallest = max((column.height for column in columns), default=0)
    whole = _Block()
    x = margin
    for column in columns:
        whole.put(column, x, margin + _snapped((tallest - column.height) // 2))
        x += _snapped(column.width + COLUMN_GAP)
    whole.width += margin
    whole.height += margin
    return whole


def _leads_to(start: NodeId, end: NodeId, borrowers: Mapping[NodeId, NodeId]) -> bool:
    """Whether following borrowers from `start` comes to `end`."""
    node: NodeId | None = start
    while node is not None and node != end:
        node = borrowers.get(node)
    return node == end


def _snapped(number: int) -> int:
    return -(-number // _GRID) * _GRID
