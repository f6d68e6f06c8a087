"""What is done to how things look."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.canvas import canvas_actions
from studio.ui.window.actions.making import make
from studio.ui.window.appearance import REDUCED
from studio.ui.window.going_round import go_round

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def view_actions(window: "MainWindow") -> list[Action]:
    """What is done to how things look."""
    group, has = translate("actions", "View"), window.acts.has_flow
    return [
        make(
            "view.palette",
            translate("actions", "Command palette…"),
            group,
            window.acts.open_palette,
            "Ctrl+Shift+P",
        ),
        *canvas_actions(window, "view", group),
        make("view.zoom_in", translate("actions", "Zoom in"), group, window.acts.zoom_in, "Ctrl++", has),
        make("view.zoom_out", translate("actions", "Zoom out"), group, window.acts.zoom_out, "Ctrl+-", has),
        make(
            "view.next_place",
            translate("actions", "Go to the next place"),
            group,
            lambda: go_round(window, 1),
            "Ctrl+F6",
            has,
            translate("actions", "Give the keyboard to the canvas, then to each dock that is seen"),
        ),
        make(
            "view.previous_place",
            translate("actions", "Go to the place before"),
            group,
            lambda: go_round(window, -1),
            "Ctrl+Shift+F6",
            has,
        ),
        make(
            "view.search",
            translate("actions", "Search the library"),
            group,
            window.acts.search_library,
            "Ctrl+L",
        ),
        make(
            "view.script",
            translate("actions", "Script beside the canvas"),
            group,
            window.documents.turn_script,
            "Ctrl+E",
            has,
            translate("actions", "Show the flow as Python that follows each edit; from there, hide it"),
        ),
        make("view.arrange", translate("actions", "Put the panels back"), group, window.docks.arrange),
        _theme(window, "system", translate("actions", "Theme: as the system")),
        _theme(window, "dark", translate("actions", "Theme: dark")),
        _theme(window, "light", translate("actions", "Theme: light")),
        _theme(window, "high_contrast", translate("actions", "Theme: high contrast")),
        _motion(window, "", translate("actions", "Motion: smooth")),
        _motion(window, REDUCED, translate("actions", "Motion: reduced")),
    ]


def _theme(window: "MainWindow", name: str, title: str) -> Action:
    return make(
        f"view.theme_{name}", title, translate("actions", "View"), lambda: window.appearance.choose(name)
    )


def _motion(window: "MainWindow", choice: str, title: str) -> Action:
    return make(
        f"view.motion_{choice or 'smooth'}",
        title,
        translate("actions", "View"),
        lambda: window.appearance.choose_motion(choice),
    )
