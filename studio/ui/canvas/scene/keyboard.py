"""Where the keyboard stands on the canvas: at a node, at one of its ports, or on a wire at that port."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from studio.app.documents.selection import Selected, Selection
from studio.app.listeners import Listeners
from studio.flow.records import Flow, Socket, Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.scene.geometry import Spot

if TYPE_CHECKING:
    from studio.ui.canvas.scene.scene import Scene


@dataclass(frozen=True, slots=True)
class Stand:
    """A node; with `port` one of its ports, with `wire` besides a wire that ends there."""

    node: NodeId
    port: PortName | None = None
    is_output: bool = False
    wire: Wire | None = None

    @property
    def socket(self) -> Socket | None:
        """The socket of the port."""
        return Socket(self.node, self.port) if self.port is not None else None

    @property
    def off_wire(self) -> "Stand":
        """The port itself."""
        return replace(self, wire=None)


class Keyboard:
    """Remembers more than the selection says: the port, or a node that is passed without being selected."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._at: Stand | None = None
        self._of: tuple[object, ...] = ()
        """What was selected meanwhile; another selection, made by hand, takes the keyboard along."""
        self._nudged: Flow | None = None
        self._nudged_with: tuple[object, ...] = ()
        self.moved: Listeners[()] = Listeners()
        """The keyboard stands elsewhere, though what is selected may be the same."""
        self.link_asked: Listeners[Stand] = Listeners()
        """What a port can be wired to shall be offered."""
        self.title_asked: Listeners[NodeId] = Listeners()
        """A node's title shall be written."""
        self.menu_asked: Listeners[Stand] = Listeners()
        """The menu of what stands there shall open."""

    @property
    def has_gone(self) -> bool:
        """Whether it went to where it stands by itself, and not along with a selection made by hand."""
        return self._at is not None and _things(self._selection.now) == self._of

    def at(self, scene: "Scene") -> Stand | None:
        """Where it stands: where it went, else at what is selected, if that is one thing; None elsewhere."""
        now = self._selection.now
        if self._at is not None and self.has_gone and _is_there(scene, self._at):
            return self._at
        if now.only_node is not None and now.only_node in scene.row:
            return Stand(now.only_node)
        if not now.nodes and len(now.wires) == 1:
            wire = next(iter(now.wires))
            if scene.shows(wire):
                return Stand(wire.source.node, wire.source.port, is_output=True, wire=wire)
        return None

    def go(self, stand: Stand | None) -> None:
        """Stand there; the selection stays as it is."""
        self._at, self._of = stand, _things(self._selection.now)
        self.moved.tell()

    def is_nudging(self, flow: Flow) -> bool:
        """Whether nothing was done to the flow since it was last moved by a key."""
        return self._nudged is flow and self._nudged_with == _things(self._selection.now)

    def nudged(self, flow: Flow) -> None:
        """Remember the flow that a key made by moving what is selected."""
        self._nudged, self._nudged_with = flow, _things(self._selection.now)

    def go_and_select(self, stand: Stand) -> None:
        """Stand there and select what is there: the wire, else the node."""
        if stand.wire is not None:
            self._selection.select([], [stand.wire])
        else:
            self._selection.select([stand.node])
        self.go(stand)


def spot_of(scene: "Scene", stand: Stand | None) -> Spot | None:
    """The place of the port at which the keyboard stands; None where it stands at none."""
    if stand is None or stand.port is None or stand.node not in scene.row:
        return None
    return scene.spot(stand.node, stand.port, is_output=stand.is_output)


def _things(now: Selected) -> tuple[object, ...]:
    return now.nodes, now.wires, now.frames, now.notes


def _is_there(scene: "Scene", stand: Stand) -> bool:
    if stand.node not in scene.row or (stand.wire is not None and not scene.shows(stand.wire)):
        return False
    return stand.port is None or spot_of(scene, stand) is not None


def stand_point(scene: "Scene", stand: Stand) -> tuple[float, float]:
    """The scene point where the keyboard stands: the middle of a wire, a port, a node's title."""
    rect, spot = scene.rect(stand.node), spot_of(scene, stand)
    if stand.wire is not None:
        left, top, right, bottom = scene.wire_bounds[scene.wire_row[stand.wire]].tolist()
        return (left + right) / 2, (top + bottom) / 2
    return (rect.x + spot.x, rect.y + spot.y) if spot is not None else (rect.x + 24, rect.y + 18)
