"""Pasting and duplicating with the wires that come in."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from studio.flow.boxes import Things
from studio.flow.pasting import paste_wired, with_incoming
from studio.flow.records import Flow, Point
from studio.ui.canvas.board import Board
from studio.ui.canvas.commands.clipboard import PASTE_STEP, clipboard_flow, paste, placed_fragment
from studio.ui.canvas.commands.command import Command, has_nodes
from studio.ui.canvas.commands.desk import Desk
from studio.ui.canvas.hand.carrying import selected_things

translate = QCoreApplication.translate


def paste_with_wires(desk: Desk) -> None:
    """Paste what the clipboard holds, fed by what fed it where it was copied, as far as that is here."""
    fragment = clipboard_flow()
    if fragment is None or not fragment.nodes:
        paste(desk)
        return
    x, y = desk.pointed_at()
    _insert(desk.board, fragment, Point(round(x), round(y)))


def duplicate_with_wires(desk: Desk) -> None:
    """Add a copy of the selected nodes beside them, fed by the same wires."""
    board = desk.board
    things = selected_things(board)
    if things == Things():
        return
    fragment = placed_fragment(board, things)
    layout = fragment.layout
    places = (*layout.nodes.values(), *layout.frames.values(), *layout.notes.values())
    at = Point(min(point.x for point in places) + PASTE_STEP, min(point.y for point in places) + PASTE_STEP)
    _insert(board, with_incoming(board.flow, fragment), at)


def _insert(board: Board, fragment: Flow, at: Point) -> None:
    nodes, change = paste_wired(board.flow, fragment, at, board.document.library)
    board.document.history.do(change)
    board.select(nodes, (), change.frames, change.notes)


def commands() -> Sequence[Command]:
    """Paste and duplicate with incoming wires."""
    return (
        Command(
            "paste_wired",
            translate("actions", "Paste with incoming wires"),
            "edit",
            paste_with_wires,
            "Ctrl+Shift+V",
            help=translate("actions", "The copies are fed by what feeds the originals"),
            offered_on=frozenset({"nothing"}),
        ),
        Command(
            "duplicate_wired",
            translate("actions", "Duplicate with incoming wires"),
            "edit",
            duplicate_with_wires,
            "Ctrl+Shift+D",
            has_nodes,
            offered_on=frozenset({"node"}),
        ),
    )
