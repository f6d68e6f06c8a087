"""Choosing what the next command is about."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from studio.ui.canvas.commands.command import Command, has_nodes
from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate


def select_all(desk: Desk) -> None:
    """Select every node."""
    desk.board.select(desk.board.scene.ids)


def open_selected(desk: Desk) -> None:
    """Ask for the selected node to be opened."""
    node = desk.board.document.selection.now.only_node
    if node is not None:
        desk.board.opened.tell(node)


def commands() -> Sequence[Command]:
    """Select all, open."""
    return (
        Command(
            "all",
            translate("actions", "Select all"),
            "edit",
            select_all,
            "Ctrl+A",
            offered_on=frozenset({"nothing"}),
        ),
        Command(
            "open",
            translate("actions", "Open the selected node"),
            "edit",
            open_selected,
            "Return",
            has_nodes,
            also=("Enter",),
        ),
    )
