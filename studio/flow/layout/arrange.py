"""A tidy layout: from left to right in the order of execution, loops and maps as blocks of their own.

It depends on the flow and on what its frames hold, and not on where things stood, so tidying twice changes
nothing.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from studio.flow.change import Change, Swap
from studio.flow.edits import fragment, move
from studio.flow.edits.boxes import BAR, hidden_things, standing_in
from studio.flow.layout.blocks import COLUMN_GAP, ROW_GAP, Block, columns, side_by_side, snapped, stacked
from studio.flow.layout.clusters import find_clusters
from studio.flow.records import Flow, Frame, Layout, Library, Note, Point
from studio.flow.structure.graph import is_binding_wire
from studio.flow.structure.regions import Region, RegionTree, region_tree
from studio.ids import NodeId

NODE_SIZE = (220, 110)
"""Width and height of a node whose size nobody tells."""

LENT_GAP = 50
"""Between a node and what is lent to it, which stands beneath."""

FRAME_TITLE = 30
FRAME_MARGIN = 24

BLOCK_MARGIN = 40
"""Between a loop's or map's area and what stands in it."""

SETTLES = 4
"""How often more is tidied at most: a frame that was drawn anew may hold a node more or less than before."""

END = NodeId("~end")
"""Where a body ends, as an item of its region: so that wires to the border have a way of their own."""

_Box = TypeVar("_Box", Frame, Note)


def laid_out(flow: Flow, library: Library) -> Flow:
    """A flow that says nothing of where its nodes stand, put in order; any other as it is."""
    if flow.layout.nodes or len(flow.nodes) < 2:
        return flow
    return arrange(flow, library).applied_to(flow)


def arrange(
    flow: Flow,
    library: Library,
    nodes: Iterable[NodeId] | None = None,
    sizes: Mapping[NodeId, tuple[int, int]] | None = None,
    frames: Collection[str] | None = None,
) -> Change:
    """Tidy the given nodes with the given frames, or the whole flow; the corner of what is tidied stays.

    Frames are drawn anew around what they hold. Bends of wires at a node that moves go: they were made for
    another place. In the whole flow, notes and empty frames that would be covered go beneath.
    """
    nodes = None if nodes is None else tuple(nodes)
    change = _arranged(flow, library, nodes, sizes, frames)
    for _ in range(SETTLES if flow.layout.frames else 0):
        more = _arranged(change.applied_to(flow), library, nodes, sizes, frames)
        if more.is_empty:
            break
        change = change.then(more)
    return change


def _arranged(
    flow: Flow,
    library: Library,
    nodes: Iterable[NodeId] | None,
    sizes: Mapping[NodeId, tuple[int, int]] | None,
    frames: Collection[str] | None,
) -> Change:
    chosen = flow if nodes is None else fragment(flow, nodes)
    framed = (flow.layout.frames if nodes is None else ()) if frames is None else frames
    block = _Arranger(chosen, flow.layout, library, sizes or {}, framed).block()
    places = [flow.layout.nodes[name] for name in chosen.nodes if name in flow.layout.nodes]
    placed = Block()
    left = min((place.x for place in places), default=0) - min(
        (one.x for one in block.places.values()), default=0
    )
    top = min((place.y for place in places), default=0) - min(
        (one.y for one in block.places.values()), default=0
    )
    placed.put(block, left, top)
    if nodes is None and placed.places:
        _clear(flow, placed, (left, top, left + block.width, top + block.height))
    moved = move(flow, placed.places)
    bent: dict[str, Swap[tuple[Point, ...]]] = {
        str(wire): (flow.layout.bends[str(wire)], None)
        for wire in flow.wires
        if str(wire) in flow.layout.bends
        and not moved.places.keys().isdisjoint({wire.source.node, wire.target.node})
    }
    return Change(
        "Tidy flow" if nodes is None else "Tidy selection",
        places=moved.places,
        frames=_changed(flow.layout.frames, placed.frames),
        notes=_changed(flow.layout.notes, placed.notes),
        bends=bent,
    )


def _changed(before: Mapping[str, _Box], after: Mapping[str, _Box]) -> dict[str, Swap[_Box]]:
    return {name: (before[name], box) for name, box in after.items() if before[name] != box}


def _clear(flow: Flow, placed: Block, taken: tuple[int, int, int, int]) -> None:
    """Put frames and notes that were not placed and would be covered beneath everything."""
    left, top, right, bottom = taken
    y = snapped(bottom + COLUMN_GAP)
    for have, put in ((flow.layout.frames, placed.frames), (flow.layout.notes, placed.notes)):
        for name, box in sorted(have.items()):
            is_apart = (
                box.x + max(box.width, 0) <= left - ROW_GAP
                or box.y + max(box.height, 0) <= top - ROW_GAP
                or box.x >= right + ROW_GAP
                or box.y >= bottom + ROW_GAP
            )
            if name in put or is_apart:
                continue
            put[name] = replace(box, x=left, y=y)  # pyright: ignore[reportArgumentType]
            y += snapped(max(box.height, 0) + ROW_GAP)


class _Arranger:
    """Builds blocks from the inside out."""

    def __init__(
        self,
        flow: Flow,
        layout: Layout,
        library: Library,
        sizes: Mapping[NodeId, tuple[int, int]],
        frames: Collection[str],
    ) -> None:
        self._flow = flow
        self._sizes = sizes
        self._layout = layout
        self._tree: RegionTree = region_tree(flow, library)
        borrowers = self._borrowers()
        self._lent: dict[NodeId, list[NodeId]] = defaultdict(list)
        for lender, borrower in borrowers.items():
            self._lent[borrower].append(lender)
        standing = replace(flow, layout=layout)
        known = {node: sizes.get(node, NODE_SIZE) for node in flow.nodes}
        self._clusters = find_clusters(standing, self._tree, frames, known, borrowers)
        self._noted = self._notes_in_frames(standing)
        self._hidden = hidden_things(standing).nodes

    def block(self) -> Block:
        """The whole flow as one block."""
        return self._region(self._tree.root)

    def _borrowers(self) -> dict[NodeId, NodeId]:
        """Beneath what each lender stands that is no step: its first borrower."""
        signatures, steps = self._tree.graph.signatures, self._tree.graph.steps
        borrowers: dict[NodeId, NodeId] = {}
        for wire in sorted(self._flow.wires, key=lambda one: (one.target.node, one.index or 0, one.sort_key)):
            lender, borrower = wire.source.node, wire.target.node
            lends = lender in self._flow.nodes and lender not in steps and is_binding_wire(wire, signatures)
            if lends and borrower in self._flow.nodes and not _leads_to(borrower, lender, borrowers):
                borrowers.setdefault(lender, borrower)
        return borrowers

    def _notes_in_frames(self, flow: Flow) -> dict[str, list[str]]:
        """The notes of each arranged frame, from above; a note in several is the innermost's."""
        found: dict[str, str] = {}
        for cluster in self._clusters:
            found.update(dict.fromkeys(standing_in(flow, cluster.frame, {}).notes, cluster.frame))
        notes: dict[str, list[str]] = defaultdict(list)
        for name in sorted(found, key=lambda one: (flow.layout.notes[one].y, flow.layout.notes[one].x, one)):
            notes[found[name]].append(name)
        return notes

    def _region(self, region: Region) -> Block:
        blocks: dict[NodeId, Block] = {}
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
        clusters = [
            (one.frame, frozenset(item_of[node] for node in one.nodes if node in item_of))
            for one in self._clusters
            if one.region is region
        ]
        edges = self._edges(region, item_of)
        if any(other == END for _, other in edges):
            blocks[END] = Block()
        first = self._first_ports(item_of)
        ordered = {item: blocks[item] for item in sorted(blocks, key=lambda one: (first.get(one, 0), one))}
        return self._laid(ordered, edges, clusters)

    def _first_ports(self, item_of: Mapping[NodeId, NodeId]) -> dict[NodeId, int]:
        """The place of the first input that each item feeds, among its node's: the upper one stands above."""
        signatures, found = self._tree.graph.signatures, dict[NodeId, int]()
        for wire in self._flow.wires:
            item, signature = item_of.get(wire.source.node), signatures.get(wire.target.node)
            if item is None or signature is None or item_of.get(wire.target.node) == item:
                continue
            port = wire.target.port
            place = next((number for number, one in enumerate(signature.inputs) if one.name == port), 0)
            found[item] = min(found.get(item, place), place)
        return found

    def _laid(
        self,
        blocks: Mapping[NodeId, Block],
        edges: Sequence[tuple[NodeId, NodeId]],
        clusters: Sequence[tuple[str, frozenset[NodeId]]],
    ) -> Block:
        """Blocks in columns, those of a frame as one block; `clusters` has larger frames first."""
        home = {item: item for item in blocks}
        whole = dict(blocks)
        waiting = list(clusters)
        while waiting:
            frame, members = waiting.pop(0)
            inner = [one for one in waiting if one[1] <= members]
            waiting = [one for one in waiting if not one[1] <= members]
            own = {item: whole.pop(item) for item in list(whole) if item in members}
            among = [(one, two) for one, two in edges if one in members and two in members]
            key = NodeId(f"{min(members)} {frame}")
            whole[key] = self._framed(frame, self._laid(own, among, inner))
            home.update(dict.fromkeys(members, key))
        led = [(home[one], home[two]) for one, two in edges if home[one] != home[two]]
        return columns(whole, led)

    def _framed(self, name: str, inside: Block) -> Block:
        """A frame around a block and its notes beneath; one that is collapsed over all of it is a bar."""
        block = Block()
        block.put(inside, FRAME_MARGIN, FRAME_TITLE + FRAME_MARGIN)
        for note in self._noted.get(name, ()):
            box = self._layout.notes[note]
            paper = Block(max(box.width, 0), max(box.height, 0), notes={note: replace(box, x=0, y=0)})
            block.put(paper, FRAME_MARGIN, snapped(block.height + ROW_GAP // 2))
        block.width, block.height = block.width + FRAME_MARGIN, block.height + FRAME_MARGIN
        frame = self._layout.frames[name]
        block.frames[name] = replace(frame, x=0, y=0, width=block.width, height=block.height)
        if frame.holds and inside.places.keys() <= self._hidden:
            block.width, block.height = BAR
        return block

    def _owned(self, region: Region, owner: NodeId) -> Block:
        """A loop or map: its node, what stands in it, and its collects."""
        ends = [self._node(name) for name in region.collects]
        parts = [stacked([self._node(owner)]), self._region(region), stacked(ends)]
        block = side_by_side([part for part in parts if part.places], margin=BLOCK_MARGIN)
        if not ends:
            block.width += BLOCK_MARGIN  # a loop has its ports on the right border, and no column of collects
        if owner in self._layout.collapsed:
            block.width, block.height = self._sizes.get(owner, NODE_SIZE)
        return block

    def _node(self, node: NodeId) -> Block:
        width, height = self._sizes.get(node, NODE_SIZE)
        block = Block(width, height, {node: Point(0, 0)})
        x = 0
        for lender in sorted(self._lent.get(node, ())):
            beneath = self._node(lender)
            block.put(beneath, x, snapped(height + LENT_GAP))
            x += snapped(beneath.width + ROW_GAP)
        return block

    def _edges(self, region: Region, item_of: Mapping[NodeId, NodeId]) -> list[tuple[NodeId, NodeId]]:
        """What leads to what among items; what ends a round or an item leads to `END`."""
        found: list[tuple[NodeId, NodeId]] = []
        closing = {region.owner, *region.collects}
        for source, target in self._tree.graph.edges:
            one, other = item_of.get(source.node), item_of.get(target.node)
            if other is None and target.node in closing:
                other = END
            if one is not None and other is not None and one != other:
                found.append((one, other))
        return found


def _leads_to(start: NodeId, end: NodeId, borrowers: Mapping[NodeId, NodeId]) -> bool:
    """Whether following borrowers from `start` comes to `end`."""
    node: NodeId | None = start
    while node is not None and node != end:
        node = borrowers.get(node)
    return node == end
