"""What is done with memories."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.making import make, on_front

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def memory_actions(window: "MainWindow") -> list[Action]:
    """What is done with memories of the project and of the shown run."""
    group = translate("actions", "Run")
    on, can = on_front(window, lambda flow: flow.memories)
    return [
        make(
            "run.memory",
            translate("actions", "What the selected memory keeps"),
            group,
            on(lambda memories: memories.show_selected()),
            "Ctrl+Alt+Y",
            can(lambda memories: memories.can_show_selected),
            translate("actions", "Show the items of the memory that the selected node lends"),
        ),
        make(
            "run.take_memory",
            translate("actions", "Take over what this run remembered"),
            group,
            on(lambda memories: memories.take()),
            "",
            can(lambda memories: memories.can_take),
            translate("actions", "Let the project remember what a fork did, as if it had been no fork"),
        ),
    ]
