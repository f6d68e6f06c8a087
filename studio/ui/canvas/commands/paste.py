"""Pasting and duplicating with the wires that come in."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.flow.edits.boxes import Things
from studio.flow.edits.fed_fragments import paste_wired, with_incoming
from studio.ui.canvas.commands.clipboard import (
    beside,
    clipboard_flow,
    insert,
    paste,
    placed_fragment,
    pointed_at,
)
from studio.ui.canvas.commands.command import Command, has_nodes
from studio.ui.canvas.things import selected_things
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

in_edit = Menu("edit")


def paste_with_wires(desk: "Desk") -> None:
    """Paste what the clipboard holds, fed by what fed it where it was copied, as far as that is here."""
    fragment = clipboard_flow()
    if fragment is None or not fragment.nodes:
        paste(desk)
        return
    board = desk.board
    insert(board, paste_wired(board.flow, fragment, pointed_at(desk), board.document.library))


def duplicate_with_wires(desk: "Desk") -> None:
    """Add a copy of the selected nodes beside them, fed by the same wires."""
    board = desk.board
    things = selected_things(board)
    if things != Things():
        fragment = with_incoming(board.flow, placed_fragment(board, things))
        insert(board, paste_wired(board.flow, fragment, beside(fragment), board.document.library))


def commands() -> Sequence[Command]:
    """Paste and duplicate with incoming wires."""
    return (
        in_edit(
            "paste_wired",
            "Paste with incoming wires",
            paste_with_wires,
            "Ctrl+Shift+V",
            help="The copies get the same inputs as the originals",
            on={"nothing"},
        ),
        in_edit(
            "duplicate_wired",
            "Duplicate with incoming wires",
            duplicate_with_wires,
            "Ctrl+Shift+D",
            has_nodes,
            on={"node"},
        ),
    )
