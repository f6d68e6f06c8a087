"""Deleting what is selected."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from studio.flow import edits
from studio.ui.canvas.commands.command import Command, has_selection
from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate


def delete(desk: Desk) -> None:
    """Delete what is selected, wires of deleted nodes included."""
    board = desk.board
    now = board.document.selection.now
    if now.nodes or now.wires:
        board.document.history.do(edits.remove(board.flow, sorted(now.nodes), now.wires))
        board.select()


def commands() -> Sequence[Command]:
    """Delete."""
    return (
        Command(
            "delete",
            translate("actions", "Delete"),
            "edit",
            delete,
            "Del",
            has_selection,
            offered_on=frozenset({"node", "wire"}),
            also=("Backspace",),
        ),
    )
