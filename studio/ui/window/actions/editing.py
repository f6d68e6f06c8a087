"""What is done to the flow, and to where things stand."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.canvas import canvas_actions
from studio.ui.window.actions.making import make

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def edit_actions(window: "MainWindow") -> list[Action]:
    """What is done to the flow."""
    group, acts = translate("actions", "Edit"), window.acts
    return [
        make("edit.undo", translate("actions", "Undo"), group, acts.undo, "Ctrl+Z", acts.can_undo),
        make("edit.redo", translate("actions", "Redo"), group, acts.redo, "Ctrl+Shift+Z", acts.can_redo),
        make(
            "edit.history",
            translate("actions", "History of steps"),
            group,
            acts.show_history,
            "Ctrl+Alt+Z",
            acts.has_flow,
            translate("actions", "Every step that was taken, to go back to any of them"),
        ),
        *canvas_actions(window, "edit", group),
        make("edit.go", translate("actions", "Go to node…"), group, acts.open_go_to, "Ctrl+P", acts.has_flow),
    ]


def arrange_actions(window: "MainWindow") -> list[Action]:
    """What is done to where things stand."""
    return canvas_actions(window, "arrange", translate("actions", "Arrange"))
