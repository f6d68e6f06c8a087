"""What keys do on the canvas. Each is one undo step, and also a method that a menu may call."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent

from studio.errors import EditRefusedError, FlowFileError
from studio.flow import edits
from studio.flow.arrange import arrange
from studio.flow.change import Change
from studio.flow.codec import dumps, loads
from studio.flow.ports import Port
from studio.flow.records import Flow, Node, Point, Socket, title_of
from studio.flow.wiring import acceptable
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.geometry import FIRST_ROW, HEADER, WIDTH
from studio.ui.canvas.steering import neighbour

FLOW_MIME = "application/x-stepwire-flow"
PASTE_STEP = 32
_CONTROL = Qt.KeyboardModifier.ControlModifier
_PLAIN = Qt.KeyboardModifier.NoModifier


class Commands:
    """Edits of what is selected, on one board."""

    def __init__(
        self, board: Board, toggle_breakpoint: Callable[[Iterable[NodeId]], None], tell: Callable[[str], None]
    ) -> None:
        self._board = board
        self._toggle_breakpoint = toggle_breakpoint
        self._tell = tell
        key = Qt.Key
        self._keys: dict[tuple[int, Qt.KeyboardModifier], Callable[[], None]] = {
            (key.Key_Delete, _PLAIN): self.delete,
            (key.Key_Backspace, _PLAIN): self.delete,
            (key.Key_A, _CONTROL): self.select_all,
            (key.Key_C, _CONTROL): self.copy,
            (key.Key_X, _CONTROL): self.cut,
            (key.Key_D, _CONTROL): self.duplicate,
            (key.Key_F9, _PLAIN): self.toggle_breakpoint,
            (key.Key_M, _PLAIN): self.mute,
            (key.Key_B, _PLAIN): self.bypass,
            (key.Key_L, _PLAIN): self.tidy,
            (key.Key_L, Qt.KeyboardModifier.ShiftModifier): self.tidy_all,
            (key.Key_Return, _PLAIN): self.open,
            (key.Key_Enter, _PLAIN): self.open,
            (key.Key_Left, _PLAIN): lambda: self.step("left"),
            (key.Key_Right, _PLAIN): lambda: self.step("right"),
            (key.Key_Up, _PLAIN): lambda: self.step("up"),
            (key.Key_Down, _PLAIN): lambda: self.step("down"),
        }

    def run(self, event: QKeyEvent, pointer: tuple[float, float]) -> bool:
        """Do what a key says; False when it says nothing here. `pointer` is where a paste goes."""
        keys = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if (event.key(), keys) == (Qt.Key.Key_V, _CONTROL):
            self.paste(pointer)
            return True
        command = self._keys.get((event.key(), keys))
        if command is not None:
            command()
        return command is not None

    # ---------------------------------------------------------------- selection

    def select_all(self) -> None:
        """Select every node."""
        self._board.select(self._board.scene.ids)

    def step(self, way: str) -> None:
        """Select the next node along the wires (left, right), or the one above or below."""
        scene = self._board.scene
        here = self._board.document.selection.now.only_node
        if here is None or here not in scene.row:
            first = min(scene.ids, key=lambda node: (scene.rect(node).x, scene.rect(node).y), default=None)
        else:
            first = neighbour(scene, here, way)
        if first is not None:
            self._board.select([first])

    def open(self) -> None:
        """Ask for the selected node to be opened."""
        node = self._board.document.selection.now.only_node
        if node is not None:
            self._board.opened.tell(node)

    def toggle_breakpoint(self) -> None:
        """Ask for the next state of the selected nodes' breakpoints."""
        self._toggle_breakpoint(self._board.selected)

    # ---------------------------------------------------------------- edits of what is there

    def delete(self) -> None:
        """Delete what is selected, wires of deleted nodes included."""
        now = self._board.document.selection.now
        if now.nodes or now.wires:
            self._board.document.history.do(edits.remove(self._board.flow, sorted(now.nodes), now.wires))
            self._board.select()

    def mute(self) -> None:
        """Mute the selected nodes, or let them take part again."""
        self._switch("muted", "Mute")

    def bypass(self) -> None:
        """Bypass the selected nodes, or let them take part again."""
        self._switch("bypassed", "Bypass")

    def tidy(self) -> None:
        """Tidy the selected nodes with what stands in their areas, or without a selection everything."""
        board = self._board
        nodes = board.scene.bodies(board.selected)
        sizes = {node: self._size(node) for node in board.scene.ids}
        board.document.history.do(arrange(board.flow, board.document.library, nodes or None, sizes))

    def _size(self, node: NodeId) -> tuple[int, int]:
        """The room of a node's card; areas have none of their own, only what stands in them."""
        area = self._board.scene.area_of(node)
        if area is not None and (area.node != node or area.region.body):
            return 0, 0
        rect = self._board.scene.rect(node)
        return round(rect.width), round(rect.height)

    def tidy_all(self) -> None:
        """Tidy the whole flow."""
        self._board.select()
        self.tidy()

    def _switch(self, state: str, verb: str) -> None:
        nodes = sorted(self._board.selected)
        flow = self._board.flow
        if not nodes:
            return
        is_off = all(flow.nodes[node].run.state == state for node in nodes)
        change = Change("")
        for node in nodes:
            run = flow.nodes[node].run.model_copy(update={"state": "" if is_off else state})
            change = change.then(edits.set_run(change.applied_to(flow), node, run))
        named = title_of(flow, nodes[0]) if len(nodes) == 1 else f"{len(nodes)} nodes"
        self._board.document.history.do(change.labelled(f"{'Restore' if is_off else verb} {named}"))

    # ---------------------------------------------------------------- clipboard

    def copy(self) -> None:
        """Put the selected nodes and the wires among them on the clipboard, as text of a flow."""
        nodes = self._board.scene.bodies(self._board.selected)
        if not nodes:
            return
        text = dumps(self._placed_fragment(nodes))
        data = QMimeData()
        data.setText(text)
        data.setData(FLOW_MIME, text.encode())
        QGuiApplication.clipboard().setMimeData(data)

    def cut(self) -> None:
        """Copy, then delete."""
        self.copy()
        nodes = self._board.scene.bodies(self._board.selected)
        if nodes:
            self._board.document.history.do(edits.remove(self._board.flow, sorted(nodes)))
            self._board.select()

    def paste(self, at: tuple[float, float]) -> None:
        """Add what the clipboard holds, its middle at a scene point; says so when it is no flow."""
        data = QGuiApplication.clipboard().mimeData()
        text = bytes(data.data(FLOW_MIME).data()).decode() if data.hasFormat(FLOW_MIME) else data.text()
        try:
            fragment = loads(text).flow
        except FlowFileError:
            self._tell("The clipboard holds no nodes.")
            return
        self._insert(fragment, Point(round(at[0]), round(at[1])))

    def duplicate(self) -> None:
        """Add a copy of the selected nodes beside them."""
        nodes = self._board.scene.bodies(self._board.selected)
        if not nodes:
            return
        fragment = self._placed_fragment(nodes)
        places = fragment.layout.nodes.values()
        at = Point(
            min(point.x for point in places) + PASTE_STEP, min(point.y for point in places) + PASTE_STEP
        )
        self._insert(fragment, at)

    def _placed_fragment(self, nodes: Iterable[NodeId]) -> Flow:
        """A fragment in which every node has a place, also those that the layout does not know."""
        scene, flow = self._board.scene, self._board.flow
        chosen = list(nodes)
        homes = {node: scene.home[scene.row[node]].tolist() for node in chosen}
        placed = edits.move(flow, {node: Point(round(x), round(y)) for node, (x, y) in homes.items()})
        return edits.fragment(placed.applied_to(flow), chosen)

    def _insert(self, fragment: Flow, at: Point) -> None:
        if not fragment.nodes:
            self._tell("The clipboard holds no nodes.")
            return
        nodes, change = edits.paste(self._board.flow, fragment, at)
        self._board.document.history.do(change)
        self._board.select(nodes)

    # ---------------------------------------------------------------- adding

    def add(self, kind: str, at: tuple[float, float], end: tuple[Socket, bool] | None) -> NodeId | None:
        """Add a node of a kind at a scene point and, given a loose wire's fixed end, wire it: one step."""
        look = self._board.document.describe(kind)
        if look is None:
            self._board.refused.tell(f"There is no kind of node called `{kind}`.")
            return None
        x, y = at[0] - WIDTH / 2, at[1] - HEADER / 2
        if end is not None:
            x, y = (at[0] if end[1] else at[0] - WIDTH), at[1] - FIRST_ROW
        flow, library = self._board.flow, self._board.document.library
        node, change = edits.add_node(flow, kind, look.title, Point(round(x / 8) * 8, round(y / 8) * 8))
        if end is not None:
            grown = change.applied_to(flow)
            fixed, is_output = end
            for other in self._ends(grown, fixed, is_output=is_output, node=node):
                source, target = (fixed, other) if is_output else (other, fixed)
                try:
                    change = change.then(edits.connect(grown, source, target, library))
                except EditRefusedError:
                    continue
                break
        self._board.document.history.do(change)
        return node

    def fitting_kinds(self, fixed: Socket, *, is_output: bool) -> frozenset[str]:
        """The kinds that have a port at which a wire from `fixed` may end."""
        flow = self._board.flow
        kinds = [look.kind for look in self._board.document.kinds()]
        trial = {NodeId(f"trial_{index}"): Node(kind=kind) for index, kind in enumerate(kinds)}
        grown = Change("Try", {node: (None, record) for node, record in trial.items()}).applied_to(flow)
        fits = acceptable(grown, fixed, self._board.document.library, is_output=is_output)
        return frozenset(
            trial[socket.node].kind for socket in fits if socket.node in trial and not _is_order(socket)
        )

    def _ends(self, flow: Flow, fixed: Socket, *, is_output: bool, node: NodeId) -> list[Socket]:
        """The accepting ports of one node, in its own order of ports."""
        library = self._board.document.library
        fits = acceptable(flow, fixed, library, is_output=is_output)
        signature = library.signature(flow.nodes[node])
        if signature is None:
            return []
        ports: tuple[Port, ...] = signature.inputs if is_output else signature.outputs
        return [socket for port in ports if (socket := Socket(node, port.name)) in fits]


def _is_order(socket: Socket) -> bool:
    return socket.port in {"after", "then"}
