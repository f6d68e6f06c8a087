"""What the canvas shows and where the hand is: the scene under a camera, asked by view and gestures alike."""

from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet

import numpy as np

from studio.app.documents.selection import Bend
from studio.app.listeners import Listeners
from studio.errors import EditRefusedError
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.ports import ERROR, Structure
from studio.flow.records import Flow, Point, Socket, Wire
from studio.flow.structure.graph import INTO_BODY, OUT_OF_BODY
from studio.ids import NodeId, PortName
from studio.ui.canvas.camera import Camera, Rect
from studio.ui.canvas.cards.cards import Cards
from studio.ui.canvas.document import CanvasDocument
from studio.ui.canvas.hits import NOTHING, Hit, hit_at
from studio.ui.canvas.scene.box_places import Key
from studio.ui.canvas.scene.geometry import HEADER, WIDTH, Spot
from studio.ui.canvas.scene.ghosts import GhostHit
from studio.ui.canvas.scene.keyboard import Keyboard
from studio.ui.canvas.scene.offer import Offer
from studio.ui.canvas.scene.order_marks import OrderMarks
from studio.ui.canvas.scene.regions import regions_of
from studio.ui.canvas.scene.scene import Ints, Parts, Scene
from studio.ui.canvas.style import Style

SPREAD = 64
"""Scene units between the places that are tried for a new node."""


class Board:
    """Scene, cards, camera and what is going on between press and release. No widget."""

    wiring: NodeId | None = None
    """While a wire is dragged: the node at its fixed end."""

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
        self.break_asked: Listeners[str] = Listeners()
        """The breakpoint of a port, `node.port`, is to be set; again: switched off; again: removed."""
        self.condition_asked: Listeners[str] = Listeners()
        """The breakpoint of a place, a node or port, is to be edited."""
        self.pin_asked: Listeners[frozenset[NodeId]] = Listeners()
        """What these nodes gave is to be pinned, or unpinned."""
        self.pin_edit_asked: Listeners[NodeId] = Listeners()
        """Another value is to be pinned to a node."""
        self.box_opened: Listeners[Key] = Listeners()
        """A frame's title or a note's text is to be edited."""
        self.keyboard = Keyboard(document.selection)
        self.told_anew: Listeners[Collection[NodeId]] = Listeners()
        """A run made these nodes say something else."""
        self.ghost_chosen: Listeners[GhostHit] = Listeners()
        """A ghost was clicked, or pointed out for its menu."""
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
        return hit_at(self.cards, self.camera, x, y, self.unfolded())

    def unfolded(self) -> list[NodeId]:
        """The nodes whose spare ports show, what the hand is at first.

        Those are the one under the pointer, the one where the keyboard stands, the one that a wire is being
        drawn from, and those with a breakpoint at a spare port; none while nodes are dragged.
        """
        if self.moving is not None:
            return []
        stand = self.keyboard.at(self.scene)
        at = stand.node if stand is not None and stand.wire is None else None
        found = [self.hover.node, self.wiring, at]
        broken = (place.partition(".") for place in self.cards.shown.breakpoints if "." in place)
        found += [NodeId(node) for node, _, port in broken if self._is_spare(NodeId(node), port)]
        return [node for node in dict.fromkeys(found) if node is not None and self.scene.drawer(node)]

    def _is_spare(self, node: NodeId, port: str) -> bool:
        row = self.scene.row.get(node)
        spots = self.scene.boxes[row].spots if row is not None else ()
        return any(spot.is_spare and spot.port == port for spot in spots)

    def port_point(self, node: NodeId, spot: Spot) -> tuple[float, float]:
        """The scene point of a port."""
        rect = self.scene.rect(node)
        return rect.x + spot.x, rect.y + spot.y

    def carries_values(self, node: NodeId, spot: Spot) -> bool:
        """Whether a run can be held at a port: not at order, what is lent, or where an area meets its body.

        A loop or map is held for what it is given and for what it gives at its end, not round by round.
        """
        if spot.is_order or spot.type.is_binding:
            return False
        signature = self.scene.signatures.get(node)
        if self.scene.area_of(node) is None or signature is None or signature.structure is None:
            return True
        if signature.structure is Structure.COLLECT:
            return True
        inner = INTO_BODY if spot.is_output else OUT_OF_BODY
        return spot.port != ERROR and spot.port not in inner.get(signature.structure, ())

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
