"""Copying, cutting and pasting nodes, as text of a flow."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QCoreApplication, QMimeData
from PySide6.QtGui import QGuiApplication

from studio.errors import FlowFileError
from studio.flow import edits
from studio.flow.change import Change
from studio.flow.edits.boxes import Things, remove_boxes
from studio.flow.edits.fed_fragments import with_incoming
from studio.flow.files.codec import dumps, loads
from studio.flow.records import Flow, Point
from studio.ids import NodeId
from studio.ui.canvas.commands.command import Command, Place, has_things
from studio.ui.canvas.things import selected_things
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.board import Board
    from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate
in_edit = Menu("edit")

FLOW_MIME = "application/x-stepwire-flow"
PASTE_STEP = 32
"""Scene units by which a duplicate stands beside its original."""


def copy(desk: "Desk") -> None:
    """Put what is selected on the clipboard: nodes, the wires among them, frames with all in them, notes."""
    board = desk.board
    things = selected_things(board)
    if things == Things():
        return
    fragment = placed_fragment(board, things)
    data = QMimeData()
    data.setText(dumps(fragment))
    data.setData(FLOW_MIME, dumps(with_incoming(board.flow, fragment)).encode())
    QGuiApplication.clipboard().setMimeData(data)


def cut(desk: "Desk") -> None:
    """Copy, then delete."""
    copy(desk)
    board = desk.board
    things = selected_things(board)
    if things != Things():
        change = edits.remove(board.flow, sorted(things.nodes))
        boxes = remove_boxes(change.applied_to(board.flow), things.frames, things.notes)
        change = change.then(boxes) if things.nodes else boxes
        board.document.history.do(change.labelled(change.label.replace("Delete", "Cut", 1)))
        board.select()


def paste(desk: "Desk") -> None:
    """Add what the clipboard holds where the pointer is; says so when it is no flow."""
    fragment = clipboard_flow()
    if fragment is None or not (fragment.nodes or fragment.layout.frames or fragment.layout.notes):
        desk.tell(translate("actions", "There are no nodes on the clipboard."))
        return
    insert(desk.board, edits.paste(desk.board.flow, fragment, pointed_at(desk)))


def duplicate(desk: "Desk") -> None:
    """Add a copy of the selected nodes beside them."""
    board = desk.board
    things = selected_things(board)
    if things != Things():
        fragment = placed_fragment(board, things)
        insert(board, edits.paste(board.flow, fragment, beside(fragment)))


def pointed_at(desk: "Desk") -> Point:
    """Where the upper left corner of what is pasted comes to stand."""
    x, y = desk.pointed_at()
    return Point(round(x), round(y))


def beside(fragment: Flow) -> Point:
    """Where the upper left corner of a copy comes to stand, a step off the original."""
    layout = fragment.layout
    places = (*layout.nodes.values(), *layout.frames.values(), *layout.notes.values())
    return Point(min(point.x for point in places) + PASTE_STEP, min(point.y for point in places) + PASTE_STEP)


def clipboard_flow() -> Flow | None:
    """What the clipboard holds, None where that is no flow."""
    data = cast("QMimeData | None", QGuiApplication.clipboard().mimeData())
    if data is None:
        return None  # as Qt has it while nothing lies there
    text = bytes(data.data(FLOW_MIME).data()).decode() if data.hasFormat(FLOW_MIME) else data.text()
    try:
        return loads(text).flow
    except FlowFileError:
        return None


def placed_fragment(board: "Board", things: Things) -> Flow:
    """A fragment in which every node has a place, also those that the layout does not know."""
    scene, flow = board.scene, board.flow
    chosen = sorted(things.nodes)
    homes = {node: scene.home[scene.row[node]].tolist() for node in chosen}
    placed = edits.move(flow, {node: Point(round(x), round(y)) for node, (x, y) in homes.items()})
    return edits.fragment(placed.applied_to(flow), chosen, things.frames, things.notes)


def insert(board: "Board", pasted: tuple[frozenset[NodeId], Change]) -> None:
    """Add what was pasted, the new nodes with the change that brings them, and select it: one step."""
    nodes, change = pasted
    board.document.history.do(change)
    board.select(nodes, (), change.frames, change.notes)


def commands() -> Sequence[Command]:
    """Cut, copy, paste, duplicate."""
    on_node = frozenset[Place]({"node", "frame", "note"})
    return (
        in_edit("cut", "Cut", cut, "Ctrl+X", has_things, on=on_node, begins=True),
        in_edit("copy", "Copy", copy, "Ctrl+C", has_things, on=on_node),
        in_edit("paste", "Paste", paste, "Ctrl+V", on={"nothing"}),
        in_edit("duplicate", "Duplicate", duplicate, "Ctrl+D", has_things, words="copy clone", on=on_node),
    )
