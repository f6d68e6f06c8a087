"""What is done with memories."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.memories.memories import Memories

translate = QCoreApplication.translate


def memory_commands() -> "list[Command[Memories]]":
    """What is done with memories of the project and of the shown run."""
    return [
        Command(
            "run.memory",
            translate("actions", "Show the selected memory"),
            "run",
            lambda memories: memories.show_selected(),
            "Ctrl+Alt+Y",
            lambda memories: memories.can_show_selected,
            translate("actions", "Show the items of the memory that the selected node provides"),
            words=translate("actions", "recall store"),
        ),
        Command(
            "run.take_memory",
            translate("actions", "Save this run's memory to the project"),
            "run",
            lambda memories: memories.take(),
            can=lambda memories: memories.can_take,
            help=translate("actions", "Apply the memory changes of a fork to the project"),
            words=translate("actions", "keep commit take over"),
        ),
    ]
