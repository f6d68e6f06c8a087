"""What letting go of dragged nodes would mean: a wire that leads through one, an area that holds them."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication

from studio.errors import EditRefusedError
from studio.flow.change import Change
from studio.flow.edits import bodies, splices
from studio.flow.records import Wire, title_of
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene import wires as shapes
from studio.ui.canvas.scene.areas import PAD_BOTTOM, PAD_TOP, PAD_X, Area
from studio.ui.canvas.scene.offer import Offer

translate = QCoreApplication.translate

CORE = 0.5
"""The share of a card, about its middle, that must lie on a wire for the wire to lead through it."""
WELL_OUT = 24
"""Scene units between an area and what was dragged out of it that leave no doubt."""


def wire_under(board: Board, node: NodeId) -> Wire | None:
    """The wire on which a card lies with its middle, none of its own."""
    scene, rect = board.scene, board.scene.rect(node)
    if not len(scene.wires):
        return None
    x, y = rect.x + rect.width / 2, rect.y + rect.height / 2
    wide, high = rect.width * CORE / 2, rect.height * CORE / 2
    found = shapes.crossing(scene.curves, scene.curve_bounds, (x - wide, y - high, x + wide, y + high))
    own = scene.wire_rows_of(np.array([scene.row[node]]))
    found = found[~own[scene.piece_wire[found]]]
    if not len(found):
        return None
    best = shapes.nearest(scene.curves[found], scene.curve_bounds[found], x, y, rect.width + rect.height)
    return scene.wires[int(scene.piece_wire[found[best]])] if best is not None else None


def leads_through(board: Board, wire: Wire, node: NodeId, own: Collection[Wire]) -> bool:
    """Whether by its types a wire could lead through a node that has these wires of its own."""
    scene, record = board.scene, board.flow.nodes[node]
    signature = board.document.library.signature(record)
    source = scene.spot(wire.source.node, wire.source.port, is_output=True)
    target = scene.spot(wire.target.node, wire.target.port, is_output=False)
    if signature is None or source is None or target is None:
        return False
    wired_in = {str(one.target.port) for one in own if one.target.node == node}
    wired_out = {str(one.source.port) for one in own if one.source.node == node}
    return splices.fits_between(source.type, target.type, signature, (wired_in, wired_out))


@dataclass(frozen=True, slots=True)
class Holder:
    """The area in which dragged nodes run, and where it would stand without them."""

    area: Area
    rest: Rect

    def is_left_by(self, box: Rect) -> bool:
        """Whether a hand that puts the nodes there wants them out of the area."""
        return not self.rest.grown(WELL_OUT).meets(box)


def holder_of(board: Board, nodes: Collection[NodeId]) -> Holder | None:
    """The innermost area that the nodes would stretch, were they dragged away without it."""
    scene, dragged = board.scene, frozenset(nodes)
    around = [
        area
        for area in scene.areas.values()
        if area.node not in dragged and not dragged.isdisjoint(area.region.body)
    ]
    for area in sorted(around, key=lambda one: -one.depth):
        left = [node for node in area.region.body - dragged if scene.has_card[scene.row[node]]]
        inside = scene.extent(left) if left else None
        if inside is not None:
            height = inside.height + PAD_TOP + PAD_BOTTOM
            rest = Rect(inside.x - PAD_X, inside.y - PAD_TOP, inside.width + 2 * PAD_X, height)
            return Holder(area, rest)
    return None


def offer_leaving(board: Board, nodes: Collection[NodeId], holder: Holder, moved: Change) -> Offer:
    """Propose to take out of an area what was dragged well out of it and is held by its wires."""
    title = _named(board, nodes)
    around = title_of(board.flow, holder.area.node)

    def take_out() -> None:
        history, library = board.document.history, board.document.library
        if history.undo_labels[-1:] != [moved.label]:
            return
        history.undo()
        out = splices.take_out(board.flow, nodes, library)
        history.do(out.then(moved))

    sentence = translate("canvas", "{0} still runs in “{1}”, because its wires keep it there.").format(
        title, around
    )
    extent = board.scene.extent(nodes)
    at = (extent.x, extent.bottom) if extent is not None else (0.0, 0.0)
    return Offer(sentence, translate("canvas", "Detach it and reconnect its neighbours"), take_out, at)


def offer_entering(board: Board, node: NodeId) -> Offer | None:
    """Propose to let a free node that was put into an area run in it; none where it runs there or cannot."""
    flow, library, scene = board.flow, board.document.library, board.scene
    row = scene.row.get(node)
    if row is None or not scene.has_card[row] or splices.holding(flow, [node], library):
        return None
    rect = scene.rect(node)
    x, y = rect.x + rect.width / 2, rect.y + rect.height / 2
    open_areas = (area for area in scene.areas.values() if not area.region.is_folded)
    under = [area for area in open_areas if area.rect.contains(x, y)]
    area = max(under, key=lambda one: one.depth, default=None)
    if area is None or node in area.region.body:
        return None
    try:
        change = bodies.enter(flow, node, area.node, library)
    except EditRefusedError:
        return None
    title, around = title_of(flow, node), title_of(flow, area.node)
    return Offer(
        translate("canvas", "“{0}” is inside “{1}” but does not run in it: it is not wired to it.").format(
            title, around
        ),
        translate("canvas", "Run it there"),
        lambda: board.document.history.do(change),
        (rect.x, rect.bottom),
    )


def _named(board: Board, nodes: Collection[NodeId]) -> str:
    if len(nodes) == 1:
        return f"“{title_of(board.flow, next(iter(nodes)))}”"
    return translate("canvas", "The selection")
