"""Choosing what the next command is about."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.ui.canvas.commands.command import Command, has_nodes
from studio.ui.canvas.scene.arrow_targets import wires_at
from studio.ui.canvas.scene.keyboard import spot_of
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.canvas.commands.desk import Desk

in_edit = Menu("edit")


def select_all(desk: "Desk") -> None:
    """Select every node."""
    desk.board.select(desk.board.scene.ids)


def open_selected(desk: "Desk") -> None:
    """Ask for the selected node to be opened; at a port, type its value, or offer what it can be wired to."""
    board = desk.board
    stand, spot = board.keyboard.at(board.scene), None
    if stand is not None and stand.wire is None:
        spot = spot_of(board.scene, stand)
    if stand is not None and spot is not None:
        if spot.is_output or spot.is_order or spot.type.is_binding or wires_at(board.scene, stand):
            board.keyboard.link_asked.tell(stand)
        else:
            board.typing_asked.tell(stand.node, spot.port)
        return
    node = desk.board.document.selection.now.only_node
    if node is not None:
        desk.board.opened.tell(node)


def commands() -> Sequence[Command]:
    """Select all, open."""
    return (
        in_edit("all", "Select all", select_all, "Ctrl+A", on={"nothing"}),
        in_edit(
            "open",
            "Open the selected node",
            open_selected,
            "Return",
            has_nodes,
            words="edit enter inspect settings",
            also=("Enter",),
        ),
    )
