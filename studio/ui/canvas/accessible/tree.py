"""The canvas as a tree for screen readers: made where it is asked for, so that large flows cost nothing."""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtGui import QAccessibleInterface
from PySide6.QtWidgets import QWidget

from studio.flow.records import Wire
from studio.ids import NodeId, PortName
from studio.ui.canvas.accessible.boxes import FramePart, NotePart
from studio.ui.canvas.accessible.part import Part
from studio.ui.canvas.accessible.parts import NodePart, PortPart, WirePart
from studio.ui.canvas.commands.desk import Desk
from studio.ui.canvas.scene.keyboard import Stand

P = TypeVar("P", bound=Part)


class PartTree:
    """Makes each part once and keeps it, for Qt remembers parts by their address."""

    def __init__(self, canvas: QWidget, desk: Desk, root: Callable[[], QAccessibleInterface]) -> None:
        self.canvas, self.desk, self.root = canvas, desk, root
        self._made: dict[tuple[object, ...], Part] = {}
        self._read: object = None
        self._around: dict[NodeId, NodeId] = {}
        self._inside: dict[NodeId | None, list[NodeId]] = {}

    def top(self) -> list[Part]:
        """What stands on the canvas itself: nodes and areas, then frames, then notes."""
        layout = self.desk.board.flow.layout
        frames = (self._kept(("frame", one), lambda one=one: FramePart(self, one)) for one in layout.frames)
        notes = (self._kept(("note", one), lambda one=one: NotePart(self, one)) for one in layout.notes)
        return [
            *(self.node(one) for one in self.nodes_in(None)),
            *(part for part in (*frames, *notes) if part.exists()),
        ]

    @property
    def made(self) -> list[Part]:
        """The parts that somebody has asked for."""
        return list(self._made.values())

    def node(self, node: NodeId) -> NodePart:
        """The part of a node."""
        return self._kept(("node", node), lambda: NodePart(self, node))

    def port(self, node: NodeId, port: PortName, *, is_output: bool) -> PortPart:
        """The part of a port."""
        key = ("port", node, port, is_output)
        return self._kept(key, lambda: PortPart(self, node, port, is_output=is_output))

    def wire(self, wire: Wire, *, is_output: bool) -> WirePart:
        """The part of a wire at one of its ends."""
        return self._kept(("wire", wire, is_output), lambda: WirePart(self, wire, is_output=is_output))

    def at(self, stand: Stand) -> Part:
        """The part at which the keyboard stands."""
        if stand.wire is not None:
            return self.wire(stand.wire, is_output=stand.is_output)
        if stand.port is not None:
            return self.port(stand.node, stand.port, is_output=stand.is_output)
        return self.node(stand.node)

    def area_around(self, node: NodeId) -> NodeId | None:
        """The loop or map in whose area a node stands."""
        self._follow()
        return self._around.get(node)

    def nodes_in(self, area: NodeId | None) -> list[NodeId]:
        """The nodes that stand in an area, or on the canvas itself, and in no area further in."""
        self._follow()
        return self._inside.get(area, [])

    def connect_from(self, stand: Stand) -> None:
        """Offer what a port can be wired to."""
        self.canvas.setFocus()
        self.desk.board.keyboard.go_and_select(stand)
        self.desk.board.keyboard.link_asked.tell(stand)

    def open_menu(self, stand: Stand) -> None:
        """Open the menu of what stands there."""
        self.desk.board.keyboard.menu_asked.tell(stand)

    def _follow(self) -> None:
        """Read anew where nodes stand, once after each edit; what is collapsed away is not walked."""
        scene = self.desk.board.scene
        if self._read is scene.flow:
            return
        self._read = scene.flow
        self._around = {}
        for area in sorted(scene.areas.values(), key=lambda one: one.depth):
            for node in (*area.region.body, *area.region.collects):
                if node in scene.row:
                    self._around[node] = area.node
        self._inside = {}
        shown = [node for node in scene.ids if node not in scene.hidden]
        for node in sorted(shown, key=lambda one: (scene.rect(one).x, scene.rect(one).y)):  # as wires lead
            self._inside.setdefault(self._around.get(node), []).append(node)

    def _kept(self, key: tuple[object, ...], make: Callable[[], P]) -> P:
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = make()
        return found  # type: ignore[return-value]  # pyright: ignore[reportReturnType]  # a key belongs to one kind
