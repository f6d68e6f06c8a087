"""Deleting what is selected."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.flow import edits
from studio.flow.change import Change
from studio.flow.edits.boxes import remove_boxes
from studio.flow.edits.wire_bends import straighten
from studio.ui.canvas.commands.command import Command, has_selection
from studio.ui.canvas.scene.arrow_targets import wires_at
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.board import Board
    from studio.ui.canvas.commands.desk import Desk

in_edit = Menu("edit")


def delete(desk: "Desk") -> None:
    """Delete what is selected, wires of deleted nodes included; at a port, the wires that end there."""
    board = desk.board
    stand = board.keyboard.at(board.scene)
    if stand is not None and stand.port is not None and stand.wire is None:
        board.document.history.do(edits.disconnect(board.flow, wires_at(board.scene, stand)))
        return
    now = board.document.selection.now
    if not now.is_empty:
        remove_with(board, edits.remove(board.flow, sorted(now.nodes), now.wires))


def remove_with(board: "Board", change: Change) -> None:
    """Make a change that takes the selected nodes and wires away, and take away what else is selected."""
    now = board.document.selection.now
    boxes = remove_boxes(change.applied_to(board.flow), now.frames, now.notes)
    change = change.then(boxes) if now.nodes or now.wires else boxes
    bends = straighten(change.applied_to(board.flow), now.bends)
    board.document.history.do(bends if change.is_empty else change.then(bends))
    board.select()


def commands() -> Sequence[Command]:
    """Delete."""
    return (
        in_edit(
            "delete",
            "Delete",
            delete,
            "Del",
            has_selection,
            words="remove",
            on={"node", "wire", "frame", "note"},
            also=("Backspace",),
        ),
    )
