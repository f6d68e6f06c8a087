"""Taking nodes away so that what they stood between stays joined."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.flow.edits import splices
from studio.ui.canvas.commands.command import Command, has_nodes
from studio.ui.canvas.commands.deletion import remove_with
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate
in_edit = Menu("edit")


def delete(desk: "Desk") -> None:
    """Delete what is selected, and join what the nodes stood between."""
    board, wires = desk.board, desk.board.document.selection.now.wires
    library = board.document.library
    remove_with(board, splices.remove_joined(board.flow, sorted(board.selected), wires, library))


def take_out(desk: "Desk") -> None:
    """Free the selected nodes of their wires, and join what they stood between."""
    board = desk.board
    change = splices.take_out(board.flow, sorted(board.scene.bodies(board.selected)), board.document.library)
    if change.is_empty:
        desk.tell(translate("canvas", "Nothing selected is wired to other nodes."))
    board.document.history.do(change)


def commands() -> Sequence[Command]:
    """Delete and join, take out."""
    return (
        in_edit(
            "delete_join",
            "Delete and reconnect",
            delete,
            "Ctrl+Del",
            has_nodes,
            on={"node"},
            also=("Ctrl+Backspace",),
        ),
        in_edit(
            "take_out",
            "Detach from its wires",
            take_out,
            "Alt+Del",
            has_nodes,
            on={"node"},
            also=("Alt+Backspace",),
        ),
    )
