"""What is at a point of the canvas: a port, a node, a wire, a bend, an area, a frame, a note, or nothing."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from studio.app.documents.selection import Bend
from studio.flow.records import Socket, Wire
from studio.ids import NodeId
from studio.ui.canvas.camera import Camera
from studio.ui.canvas.cards.cards import Cards
from studio.ui.canvas.cards.details import Detail, Marked, detail_of_node, detail_of_wire
from studio.ui.canvas.scene import wires as shapes
from studio.ui.canvas.scene.areas import PILL_WIDTH
from studio.ui.canvas.scene.box_places import EDGE_REACH, NO_EDGES, Edges, Key
from studio.ui.canvas.scene.geometry import Spot
from studio.ui.canvas.scene.ghosts import GhostHit
from studio.ui.canvas.scene.scene import Scene
from studio.ui.canvas.sight import CARDS_FROM

PORT_REACH = 11.0
"""Widget points around a port in which the pointer is at the port; from near, scene units."""
PORT_REACH_FAR = 20.0
"""The most scene units that this is from far: ports stand 22 apart."""
WIRE_REACH = 7.0
"""Widget points around a wire in which the pointer is at the wire."""

BEND_REACH = 8.0
"""Widget points around a bend in which the pointer is at the bend."""


class Target(StrEnum):
    """What the pointer can be at."""

    NOTHING = ""
    PORT = "port"
    NODE = "node"
    AREA_TITLE = "area title"
    AREA = "area"
    WIRE = "wire"
    BEND = "bend"
    FRAME = "frame"
    NOTE = "note"
    GHOST = "ghost"


@dataclass(frozen=True, slots=True)
class Hit:
    """What is at a point; an area's inside counts as `AREA` and is otherwise like empty canvas."""

    target: Target = Target.NOTHING
    node: NodeId | None = None
    spot: Spot | None = None
    wire: Wire | None = None
    bend: Bend | None = None
    box: Key | None = None
    """The frame or note that was hit."""
    edges: Edges = NO_EDGES
    """The edges of it that were hit."""
    ghost: GhostHit | None = None
    """What was hit of that which a step makes as it goes."""
    detail: Detail | None = None
    """What a click here is for, beyond selecting the node or wire."""

    @property
    def socket(self) -> Socket | None:
        """The socket of the port that was hit."""
        return Socket(self.node, self.spot.port) if self.node is not None and self.spot is not None else None


NOTHING = Hit()


def hit_at(cards: Cards, camera: Camera, x: float, y: float, unfolded: Collection[NodeId] = ()) -> Hit:
    """What is at a widget point: ports before nodes before bends before wires before areas' titles.

    Spare ports are hit on `unfolded` cards only, which lie above all others with their drawers.
    """
    sx, sy = camera.to_scene(x, y)
    is_near = camera.scale >= CARDS_FROM
    reach = min(PORT_REACH / min(camera.scale, 1.0), PORT_REACH_FAR) if is_near else 0.0
    found = _hit_drawer(cards, sx, sy, reach, unfolded) if reach else None
    found = found or _hit_node(cards, sx, sy, reach) or _hit_area(cards, sx, sy, reach)
    is_ground = found is not None and found.target in {Target.AREA, Target.AREA_TITLE}
    if found is not None and (found.detail is not None or not is_ground):
        return found
    bend = cards.scene.bends.nearest(sx, sy, BEND_REACH / camera.scale) if is_near else None
    if bend is not None:
        return Hit(Target.BEND, bend=bend)
    if len(cards.scene.wires):
        scene = cards.scene
        piece = shapes.nearest(scene.curves, scene.curve_bounds, sx, sy, WIRE_REACH / camera.scale)
        if piece is not None:
            wire = scene.wires[int(scene.piece_wire[piece])]
            detail = detail_of_wire(cards, wire, sx, sy) if is_near else None
            return Hit(Target.WIRE, wire=wire, detail=detail)
    if found is not None and found.target is Target.AREA_TITLE:
        return found
    ghost = cards.ghosts.hit(sx, sy)
    if ghost is not None:
        return Hit(Target.GHOST, ghost=ghost)
    box = cards.scene.standing.hit(sx, sy, EDGE_REACH / camera.scale)
    if box is not None:
        return Hit(Target(box[0].kind), box=box[0], edges=box[1])
    return found or NOTHING


def _hit_node(cards: Cards, x: float, y: float, reach: float) -> Hit | None:
    scene = cards.scene
    if not len(scene.ids):
        return None
    left, top, width, height = scene.rects.T
    near = (
        (x >= left - reach) & (x <= left + width + reach) & (y >= top - reach) & (y <= top + height + reach)
    )
    rows: list[int] = np.nonzero(near & scene.has_card)[0][::-1].tolist()
    for row in rows:
        node = scene.ids[row]
        detail = detail_of_node(cards, node, x, y) if reach else None
        if isinstance(detail, Marked):
            return Hit(Target.NODE, node, detail=detail)
        spot = _spot_at(cards.scene, node, x, y, reach)
        if spot is not None:
            return Hit(Target.PORT, node, spot)
        if scene.rect(node).contains(x, y):
            return Hit(Target.NODE, node, detail=detail)
    return None


def _hit_drawer(cards: Cards, x: float, y: float, reach: float, unfolded: Collection[NodeId]) -> Hit | None:
    scene = cards.scene
    for node in unfolded:
        place = scene.drawer(node)
        if place is None or not place.grown(reach).contains(x, y):
            continue
        spot = _spot_at(scene, node, x, y, reach, spare=True) or _spot_at(scene, node, x, y, reach)
        if spot is not None:
            return Hit(Target.PORT, node, spot)
        if place.contains(x, y):
            return Hit(Target.NODE, node, detail=detail_of_node(cards, node, x, y))
    return None


def _hit_area(cards: Cards, x: float, y: float, reach: float) -> Hit | None:
    for area in sorted(cards.scene.areas.values(), key=lambda one: -one.depth):
        if not area.rect.grown(PILL_WIDTH).contains(x, y):
            continue
        for node in (area.node, *area.region.collects):
            spot = _spot_at(cards.scene, node, x, y, reach)
            if spot is not None:
                return Hit(Target.PORT, node, spot)
        if area.title.contains(x, y):
            detail = detail_of_node(cards, area.node, x, y) if reach else None
            return Hit(Target.AREA_TITLE, area.node, detail=detail)
        if area.rect.contains(x, y):
            return Hit(Target.AREA, area.node)
    return None


def _spot_at(
    scene: Scene, node: NodeId, x: float, y: float, reach: float, *, spare: bool = False
) -> Spot | None:
    if not reach:
        return None
    rect = scene.rect(node)
    best, found = reach, None
    for spot in scene.spots(node):
        if spot.is_spare is not spare:
            continue
        gap = max(abs(rect.x + spot.x - x), abs(rect.y + spot.y - y))
        if gap < best:
            best, found = gap, spot
    return found
