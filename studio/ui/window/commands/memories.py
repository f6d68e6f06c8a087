"""What is done with memories."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.memories import Memories

translate = QCoreApplication.translate


def memory_commands() -> "list[Command[Memories]]":
    """What is done with memories of the project and of the shown run."""
    return [
        Command(
            "run.memory",
            translate("actions", "What the selected memory keeps"),
            "run",
            lambda memories: memories.show_selected(),
            "Ctrl+Alt+Y",
            lambda memories: memories.can_show_selected,
            translate("actions", "Show the items of the memory that the selected node lends"),
        ),
        Command(
            "run.take_memory",
            translate("actions", "Take over what this run remembered"),
            "run",
            lambda memories: memories.take(),
            can=lambda memories: memories.can_take,
            help=translate("actions", "Let the project remember what a fork did, as if it had been no fork"),
        ),
    ]
