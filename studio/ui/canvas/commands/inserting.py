"""Adding nodes."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from studio.ui.canvas.commands.command import Command
from studio.ui.canvas.commands.desk import Desk

translate = QCoreApplication.translate


def add(desk: Desk) -> None:
    """Search for a node to add, at the pointer."""
    desk.adding.search()


def commands() -> Sequence[Command]:
    """Add a node."""
    return (
        Command(
            "add",
            translate("actions", "Add a node…"),
            "edit",
            add,
            "Tab",
            offered_on=frozenset({"nothing"}),
            begins=True,
        ),
    )
