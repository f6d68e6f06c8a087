"""Nodes, ports and wires, as a screen reader walks them.

A node has its ports, and an area what stands in it besides; a port has the wires that end there, so that a
wire can be walked to from both its ends.
"""

from collections.abc import Sequence

from PySide6.QtGui import QAccessible, QAccessibleInterface

from studio.flow import edits
from studio.flow.edits import boxes
from studio.flow.records import Socket, Wire, title_of
from studio.ids import NodeId, PortName
from studio.ui.canvas.accessible.part import Act, Part, Tree
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.cards.words import (
    node_words,
    port_title,
    port_words,
    status_words,
    wire_end,
    wire_title,
    wires_of_port,
)
from studio.ui.canvas.scene.geometry import Spot
from studio.ui.canvas.scene.keyboard import Stand

PORT_SIDE = 12
"""How large a port is to a screen reader, in scene units."""


class NodePart(Part):
    """A node, or the area that a loop or map is."""

    def __init__(self, tree: Tree, node: NodeId) -> None:
        super().__init__(tree)
        self.node = node

    def exists(self) -> bool:
        """Whether the canvas shows it."""
        return self.node in self.board.scene.row and self.node not in self.board.scene.hidden

    def name(self) -> str:
        """Its title."""
        return title_of(self.flow, self.node)

    def description(self) -> str:
        """Its kind, its state, its problem."""
        look = self.board.document.describe(self.flow.nodes[self.node].kind)
        return node_words(self.flow, self.node, look, self.board.cards.shown)

    def text(self, t: QAccessible.Text) -> str:
        """What it says just now is its value."""
        if t == QAccessible.Text.Value and self.exists():
            return self.board.cards.shown.state(self.node).text
        return super().text(t)

    def setText(self, t: QAccessible.Text, text: str) -> None:
        """A name that is set renames the node."""
        if t == QAccessible.Text.Name and text.strip() and self.exists():
            self.board.do(lambda: edits.set_title(self.flow, self.node, text.strip()))

    def place(self) -> Rect:
        """Its card or its area."""
        return self.board.scene.rect(self.node)

    def around(self) -> QAccessibleInterface:
        """The area that it stands in, or the canvas."""
        area = self.tree.area_around(self.node)
        return self.tree.node(area) if area is not None else self.tree.root()

    def inside(self) -> Sequence[Part]:
        """Its ports, then what stands in it."""
        ports = [
            self.tree.port(self.node, spot.port, is_output=spot.is_output)
            for spot in self.board.scene.spots(self.node)
        ]
        return [*ports, *(self.tree.node(one) for one in self.tree.nodes_in(self.node))]

    def stand(self) -> Stand:
        """The node."""
        return Stand(self.node)

    def mark(self, state: QAccessible.State) -> None:
        """Selected, at work, muted."""
        state.multiSelectable = True
        state.selected = self.node in self.board.selected
        status = self.board.cards.shown.state(self.node).status
        state.busy = status == "running"
        state.disabled = self.flow.nodes[self.node].run.state == "muted"
        state.hasPopup = state.expandable = True
        state.collapsed = self.node in self.flow.layout.collapsed
        state.expanded = not state.collapsed

    def acts(self) -> Sequence[Act]:
        """Opening, going to, connecting, its menu."""
        tr = self.tree.canvas.tr
        return (
            ("Press", tr("Open"), lambda: self.board.opened.tell(self.node)),
            self.focus_act(),
            ("Connect", tr("Connect…"), lambda: self.tree.connect_from(self.stand())),
            ("Toggle", tr("Collapse or expand"), self._collapse),
            self.menu_act(),
        )

    def _collapse(self) -> None:
        self.board.do(lambda: boxes.collapse(self.flow, [self.node]))


class PortPart(Part):
    """A port of a node."""

    role_of = QAccessible.Role.Button

    def __init__(self, tree: Tree, node: NodeId, port: PortName, *, is_output: bool) -> None:
        super().__init__(tree)
        self.node, self.port, self.is_output = node, port, is_output

    def _spot(self) -> Spot | None:
        if self.node not in self.board.scene.row:
            return None
        return self.board.scene.spot(self.node, self.port, is_output=self.is_output)

    def exists(self) -> bool:
        """Whether its node has it."""
        return self._spot() is not None

    def name(self) -> str:
        """Its name, as the card says it."""
        spot = self._spot()
        return port_title(self.port, spot.label if spot is not None else "")

    def description(self) -> str:
        """Side, type, and where its wires lead."""
        spot = self._spot()
        mark = self.board.cards.shown.breakpoints.get(f"{self.node}.{self.port}")
        return port_words(self.flow, self.node, spot, mark) if spot is not None else ""

    def place(self) -> Rect | None:
        """A square around it."""
        spot = self._spot()
        if spot is None:
            return None
        x, y = self.board.port_point(self.node, spot)
        return Rect(x - PORT_SIDE / 2, y - PORT_SIDE / 2, PORT_SIDE, PORT_SIDE)

    def around(self) -> QAccessibleInterface:
        """Its node."""
        return self.tree.node(self.node)

    def inside(self) -> Sequence[Part]:
        """Its wires."""
        socket = Socket(self.node, self.port)
        wires = wires_of_port(self.flow, socket, is_output=self.is_output)
        return [self.tree.wire(wire, is_output=self.is_output) for wire in wires]

    def stand(self) -> Stand:
        """The port."""
        return Stand(self.node, self.port, self.is_output)

    def acts(self) -> Sequence[Act]:
        """Connecting is what a port is for."""
        connect = self.tree.canvas.tr("Connect…")
        return (
            ("Press", connect, lambda: self.tree.connect_from(self.stand())),
            self.focus_act(),
            self.menu_act(),
        )


class WirePart(Part):
    """A wire, at one of its two ends."""

    role_of = QAccessible.Role.Link

    def __init__(self, tree: Tree, wire: Wire, *, is_output: bool) -> None:
        super().__init__(tree)
        self.wire, self.is_output = wire, is_output

    def exists(self) -> bool:
        """Whether it is drawn."""
        return self.board.scene.shows(self.wire)

    def name(self) -> str:
        """Where it leads, or where it comes from."""
        return wire_end(self.flow, self.wire, is_output=self.is_output)

    def description(self) -> str:
        """Both its ends, and what came over it in the run that is shown."""
        state = self.board.cards.shown.state(self.wire.source.node)
        said = wire_title(self.flow, self.wire)
        return f"{said}, {status_words(state.status)}" if state.status else said

    def place(self) -> Rect:
        """The box around its curve."""
        left, top, right, bottom = self.board.scene.wire_bounds[self.board.scene.wire_row[self.wire]].tolist()
        return Rect(left, top, right - left, bottom - top)

    def around(self) -> QAccessibleInterface:
        """Its port on this side."""
        socket = self.wire.source if self.is_output else self.wire.target
        return self.tree.port(socket.node, socket.port, is_output=self.is_output)

    def stand(self) -> Stand:
        """The wire at its port."""
        socket = self.wire.source if self.is_output else self.wire.target
        return Stand(socket.node, socket.port, self.is_output, self.wire)

    def mark(self, state: QAccessible.State) -> None:
        """Selected."""
        state.selected = self.wire in self.board.document.selection.now.wires

    def acts(self) -> Sequence[Act]:
        """Walking to its other end, selecting and removing it."""
        tr = self.tree.canvas.tr
        other = self.wire.target if self.is_output else self.wire.source
        far = self.tree.port(other.node, other.port, is_output=not self.is_output)
        return (
            ("Press", tr("Go to the other end"), far.go),
            self.focus_act(),
            ("Disconnect", tr("Disconnect"), self._disconnect),
            self.menu_act(),
        )

    def _disconnect(self) -> None:
        self.board.do(lambda: edits.disconnect(self.flow, [self.wire]))
