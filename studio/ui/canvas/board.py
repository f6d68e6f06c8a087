"""What the canvas shows and where the hand is: the scene under a camera, asked by view and gestures alike."""

from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from studio.app.listeners import Listeners
from studio.app.selection import Bend
from studio.errors import EditRefusedError
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.records import Flow, Point, Socket, Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.camera import Camera, Rect
from studio.ui.canvas.cards.cards import Cards
from studio.ui.canvas.cards.details import Detail, Marked, detail_of_node, detail_of_wire
from studio.ui.canvas.document import CanvasDocument
from studio.ui.canvas.drawing.order_marks import OrderMarks
from studio.ui.canvas.drawing.painter import Parts
from studio.ui.canvas.drawing.sight import CARDS_FROM
from studio.ui.canvas.scene import wires as shapes
from studio.ui.canvas.scene.areas import PILL_WIDTH
from studio.ui.canvas.scene.geometry import HEADER, WIDTH, Spot
from studio.ui.canvas.scene.keyboard import Keyboard
from studio.ui.canvas.scene.offer import Offer
from studio.ui.canvas.scene.regions import regions_of
from studio.ui.canvas.scene.scene import Ints, Scene
from studio.ui.canvas.scene.standing import EDGE_REACH, NO_EDGES, Edges, Key
from studio.ui.canvas.style import Style

SPREAD = 64
"""Scene units between the places that are tried for a new node."""
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
    detail: Detail | None = None
    """What a click here is for, beyond selecting the node or wire."""

    @property
    def socket(self) -> Socket | None:
        """The socket of the port that was hit."""
        return Socket(self.node, self.spot.port) if self.node is not None and self.spot is not None else None


NOTHING = Hit()


class Board:
    """Scene, cards, camera and what is going on between press and release. No widget."""

    def __init__(self, document: CanvasDocument, style: Style) -> None:
        self.document = document
        self.scene = Scene(
            document.history.flow, document.library, document.describe, style.measure, regions_of
        )
        self.cards = Cards(self.scene, style)
        self.order_marks = OrderMarks(self.scene)
        self.camera = Camera()
        self.ratio = 1.0
        self.hover = NOTHING
        self.moving: Ints | None = None
        """The rows that are being dragged and therefore drawn live."""
        self.loose: frozenset[Wire] = frozenset()
        """The wires that the hand has taken up and which are therefore not drawn in their places."""
        self.offered: AbstractSet[Socket] | None = None
        """While a wire is dragged: the ports at its other end that accept it."""
        self.stirred: Listeners[()] = Listeners()
        """Something live changed: paint again over the same still picture."""
        self.redrawn: Listeners[()] = Listeners()
        """What stands still changed: draw the still picture again."""
        self.refused: Listeners[str] = Listeners()
        """An edit was refused, with the reason."""
        self.offered_way: Listeners[Offer] = Listeners()
        """An edit was refused, or did not do what a hand may have meant, and there is one that does."""
        self.wire_dropped: Listeners[Socket, bool, tuple[float, float]] = Listeners()
        """A wire was dropped on empty canvas: its fixed end, whether that is an output, the scene point."""
        self.opened: Listeners[NodeId] = Listeners()
        self.step_asked: Listeners[NodeId, int] = Listeners()
        """The step of a node in the round before (-1) or after (1) is to be shown."""
        self.value_asked: Listeners[()] = Listeners()
        """What passed last where the keyboard stands is to be shown."""
        self.pin_asked: Listeners[frozenset[NodeId]] = Listeners()
        """What these nodes gave is to be pinned, or unpinned."""
        self.pin_edit_asked: Listeners[NodeId] = Listeners()
        """Another value is to be pinned to a node."""
        self.box_opened: Listeners[Key] = Listeners()
        """A frame's title or a note's text is to be edited."""
        self.keyboard = Keyboard(document.selection)
        self.told_anew: Listeners[Collection[NodeId]] = Listeners()
        """A run made these nodes say something else."""
        self.clicked: Listeners[Hit] = Listeners()
        """A plain click, told after it has selected what it hit."""
        self.typing_asked: Listeners[NodeId, PortName | None] = Listeners()
        """A value is to be typed at an unwired port, None for a node's first."""
        self.remedies_asked: Listeners[NodeId | Wire] = Listeners()
        """The problems of a node or wire are to be shown with their remedies."""

    @property
    def style(self) -> Style:
        """The theme in use."""
        return self.cards.style

    @property
    def flow(self) -> Flow:
        """The flow as it is now."""
        return self.document.history.flow

    @property
    def selected(self) -> frozenset[NodeId]:
        """The selected nodes that exist."""
        return frozenset(node for node in self.document.selection.now.nodes if node in self.scene.row)

    @property
    def chosen(self) -> list[Key]:
        """The selected frames and notes."""
        now = self.document.selection.now
        frames = [Key("frame", name) for name in sorted(now.frames)]
        return [*frames, *(Key("note", name) for name in sorted(now.notes))]

    # ---------------------------------------------------------------- following the document

    def follow(self, change: Change) -> None:
        """Bring scene and cards up to the flow after `change`."""
        self.cards.forget(self.scene.apply(self.flow, change))
        self.hover = NOTHING
        self.redrawn.tell()

    def restyle(self, style: Style) -> None:
        """Show everything in another theme."""
        self.cards.restyle(style)
        self.redrawn.tell()

    # ---------------------------------------------------------------- edits

    def do(self, edit: Callable[[], Change], *, merge: bool = False) -> bool:
        """Make an edit and apply it as one step; a refusal is told, and nothing is changed."""
        try:
            change = edit()
        except EditRefusedError as error:
            self.refused.tell(error.message)
            return False
        self.document.history.do(change, merge=merge)
        return True

    def put(self, places: Mapping[NodeId, tuple[float, float]], label: str = "") -> None:
        """Move nodes to scene points, as one step."""
        points = {node: Point(round(x), round(y)) for node, (x, y) in places.items()}
        change = edits.move(self.flow, points)
        self.document.history.do(change.labelled(label) if label else change)

    def select(
        self,
        nodes: Iterable[NodeId] = (),
        wires: Iterable[Wire] = (),
        frames: Iterable[str] = (),
        notes: Iterable[str] = (),
        bends: Iterable[Bend] = (),
    ) -> None:
        """Select these and nothing else."""
        self.document.selection.select(nodes, wires, frames, notes, bends)

    def add_to_selection(self, nodes: Iterable[NodeId]) -> None:
        """Select these nodes besides what is selected."""
        now = self.document.selection.now
        self.select(now.nodes.union(nodes), now.wires, now.frames, now.notes)

    # ---------------------------------------------------------------- what is where

    def hit(self, x: float, y: float) -> Hit:
        """What is at a widget point: ports before nodes before bends before wires before areas' titles."""
        sx, sy = self.camera.to_scene(x, y)
        is_near = self.camera.scale >= CARDS_FROM
        reach = min(PORT_REACH / min(self.camera.scale, 1.0), PORT_REACH_FAR) if is_near else 0.0
        found = self._hit_node(sx, sy, reach) or self._hit_area(sx, sy, reach)
        is_ground = found is not None and found.target in {Target.AREA, Target.AREA_TITLE}
        if found is not None and (found.detail is not None or not is_ground):
            return found
        bend = self.scene.bends.nearest(sx, sy, BEND_REACH / self.camera.scale) if is_near else None
        if bend is not None:
            return Hit(Target.BEND, bend=bend)
        if len(self.scene.wires):
            scene = self.scene
            piece = shapes.nearest(scene.curves, scene.curve_bounds, sx, sy, WIRE_REACH / self.camera.scale)
            if piece is not None:
                wire = scene.wires[int(scene.piece_wire[piece])]
                detail = detail_of_wire(self.cards, wire, sx, sy) if is_near else None
                return Hit(Target.WIRE, wire=wire, detail=detail)
        if found is not None and found.target is Target.AREA_TITLE:
            return found
        box = self.scene.standing.hit(sx, sy, EDGE_REACH / self.camera.scale)
        if box is not None:
            return Hit(Target(box[0].kind), box=box[0], edges=box[1])
        return found or NOTHING

    def port_point(self, node: NodeId, spot: Spot) -> tuple[float, float]:
        """The scene point of a port."""
        rect = self.scene.rect(node)
        return rect.x + spot.x, rect.y + spot.y

    def carries_values(self, node: NodeId, spot: Spot) -> bool:
        """Whether a run can be held at a port: not at order, at what is lent, or on an area's border."""
        return not spot.is_order and not spot.type.is_binding and self.scene.area_of(node) is None

    def free_point(self, x: float, y: float) -> tuple[float, float]:
        """The place nearest to a scene point where a new card, in the middle there, lies on no other."""
        left, top = x - WIDTH / 2, y - HEADER * 2
        steps = range(-12, 13)
        tries = sorted(
            ((i, j) for i in steps for j in steps), key=lambda one: (abs(one[0]) + abs(one[1]), one)
        )
        for across, down in tries:
            box = Rect(left + across * SPREAD, top + down * SPREAD, WIDTH, HEADER * 7)
            if not len(self.scene.rows_in(box.grown(SPREAD / 4))):
                return box.x, box.y
        return left, top

    def parts(self) -> tuple[Parts, Parts]:
        """What to draw into the still picture, and what live above it."""
        count = len(self.scene.wires)
        wires = np.zeros(count, dtype=np.bool_)
        nodes = np.zeros(len(self.scene.ids), dtype=np.bool_)
        if self.moving is not None:
            nodes[self.moving] = True
            wires |= self.scene.wire_rows_of(self.moving)
        still = ~wires
        for wire in self.loose:
            row = self.scene.wire_row.get(wire)
            if row is not None:
                still[row] = wires[row] = False
        return Parts(~nodes, still), Parts(nodes, wires)

    def _hit_node(self, x: float, y: float, reach: float) -> Hit | None:
        scene = self.scene
        if not len(scene.ids):
            return None
        left, top, width, height = scene.rects.T
        near = (
            (x >= left - reach)
            & (x <= left + width + reach)
            & (y >= top - reach)
            & (y <= top + height + reach)
        )
        rows: list[int] = np.nonzero(near & scene.has_card)[0][::-1].tolist()
        for row in rows:
            node = scene.ids[row]
            detail = detail_of_node(self.cards, node, x, y) if reach else None
            if isinstance(detail, Marked):
                return Hit(Target.NODE, node, detail=detail)
            spot = self._spot_at(node, x, y, reach)
            if spot is not None:
                return Hit(Target.PORT, node, spot)
            if scene.rect(node).contains(x, y):
                return Hit(Target.NODE, node, detail=detail)
        return None

    def _hit_area(self, x: float, y: float, reach: float) -> Hit | None:
        for area in sorted(self.scene.areas.values(), key=lambda one: -one.depth):
            if not area.rect.grown(PILL_WIDTH).contains(x, y):
                continue
            for node in (area.node, *area.region.collects):
                spot = self._spot_at(node, x, y, reach)
                if spot is not None:
                    return Hit(Target.PORT, node, spot)
            if area.title.contains(x, y):
                detail = detail_of_node(self.cards, area.node, x, y) if reach else None
                return Hit(Target.AREA_TITLE, area.node, detail=detail)
            if area.rect.contains(x, y):
                return Hit(Target.AREA, area.node)
        return None

    def _spot_at(self, node: NodeId, x: float, y: float, reach: float) -> Spot | None:
        if not reach:
            return None
        rect = self.scene.rect(node)
        best, found = reach, None
        for spot in self.scene.spots(node):
            gap = max(abs(rect.x + spot.x - x), abs(rect.y + spot.y - y))
            if gap < best:
                best, found = gap, spot
        return found
