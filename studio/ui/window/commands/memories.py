"""What is done with memories."""

from typing import TYPE_CHECKING

from studio.app.commands import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.memories.memories import Memories

in_run = Menu("run")


def memory_commands() -> "list[Command[Memories]]":
    """What is done with memories of the project and of the shown run."""
    return [
        in_run(
            "run.memory",
            "Show the selected memory",
            lambda memories: memories.show_selected(),
            "Ctrl+Alt+Y",
            lambda memories: memories.can_show_selected,
            "Show the items of the memory that the selected node provides",
            words="recall store",
        ),
        in_run(
            "run.take_memory",
            "Save this run's memory to the project",
            lambda memories: memories.take(),
            can=lambda memories: memories.can_take,
            help="Apply the memory changes of a fork to the project",
            words="keep commit take over",
        ),
    ]
