"""Copying, cutting and pasting nodes, as text of a flow."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QCoreApplication, QMimeData
from PySide6.QtGui import QGuiApplication

from studio.errors import FlowFileError
from studio.flow import edits
from studio.flow.codec import dumps, loads
from studio.flow.records import Flow, Point
from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.commands.command import Command, Place, has_nodes
from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate

FLOW_MIME = "application/x-stepwire-flow"
PASTE_STEP = 32
"""Scene units by which a duplicate stands beside its original."""


def copy(desk: Desk) -> None:
    """Put the selected nodes and the wires among them on the clipboard."""
    board = desk.board
    nodes = board.scene.bodies(board.selected)
    if not nodes:
        return
    text = dumps(placed_fragment(board, nodes))
    data = QMimeData()
    data.setText(text)
    data.setData(FLOW_MIME, text.encode())
    QGuiApplication.clipboard().setMimeData(data)


def cut(desk: Desk) -> None:
    """Copy, then delete."""
    copy(desk)
    board = desk.board
    nodes = board.scene.bodies(board.selected)
    if nodes:
        board.document.history.do(edits.remove(board.flow, sorted(nodes)))
        board.select()


def paste(desk: Desk) -> None:
    """Add what the clipboard holds where the pointer is; says so when it is no flow."""
    fragment = clipboard_flow()
    if fragment is None or not fragment.nodes:
        desk.tell(translate("actions", "The clipboard holds no nodes."))
        return
    x, y = desk.pointed_at()
    insert(desk.board, fragment, Point(round(x), round(y)))


def duplicate(desk: Desk) -> None:
    """Add a copy of the selected nodes beside them."""
    board = desk.board
    nodes = board.scene.bodies(board.selected)
    if not nodes:
        return
    fragment = placed_fragment(board, nodes)
    places = fragment.layout.nodes.values()
    at = Point(min(point.x for point in places) + PASTE_STEP, min(point.y for point in places) + PASTE_STEP)
    insert(board, fragment, at)


def clipboard_flow() -> Flow | None:
    """What the clipboard holds, None where that is no flow."""
    data = QGuiApplication.clipboard().mimeData()
    text = bytes(data.data(FLOW_MIME).data()).decode() if data.hasFormat(FLOW_MIME) else data.text()
    try:
        return loads(text).flow
    except FlowFileError:
        return None


def placed_fragment(board: Board, nodes: Iterable[NodeId]) -> Flow:
    """A fragment in which every node has a place, also those that the layout does not know."""
    scene, flow = board.scene, board.flow
    chosen = list(nodes)
    homes = {node: scene.home[scene.row[node]].tolist() for node in chosen}
    placed = edits.move(flow, {node: Point(round(x), round(y)) for node, (x, y) in homes.items()})
    return edits.fragment(placed.applied_to(flow), chosen)


def insert(board: Board, fragment: Flow, at: Point) -> None:
    """Add a fragment, its upper left corner at a scene point, and select it: one step."""
    nodes, change = edits.paste(board.flow, fragment, at)
    board.document.history.do(change)
    board.select(nodes)


def commands() -> Sequence[Command]:
    """Cut, copy, paste, duplicate."""
    on_node = frozenset[Place]({"node"})
    return (
        Command(
            "cut",
            translate("actions", "Cut"),
            "edit",
            cut,
            "Ctrl+X",
            has_nodes,
            offered_on=on_node,
            begins=True,
        ),
        Command("copy", translate("actions", "Copy"), "edit", copy, "Ctrl+C", has_nodes, offered_on=on_node),
        Command(
            "paste", translate("actions", "Paste"), "edit", paste, "Ctrl+V", offered_on=frozenset({"nothing"})
        ),
        Command(
            "duplicate",
            translate("actions", "Duplicate"),
            "edit",
            duplicate,
            "Ctrl+D",
            has_nodes,
            offered_on=on_node,
        ),
    )
