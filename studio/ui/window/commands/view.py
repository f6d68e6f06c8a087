"""What is done to how things look."""

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command
from studio.ui.window.chrome.appearance import REDUCED
from studio.ui.window.chrome.focus_traversal import go_round
from studio.ui.window.roles import HasFront, has_flow

if TYPE_CHECKING:
    from studio.ui.window.chrome.appearance import Appearance
    from studio.ui.window.docks.dock_strips import DockStrips
    from studio.ui.window.docks.docks import Docks
    from studio.ui.window.front import Front
    from studio.ui.window.project.documents import Documents
    from studio.ui.window.tabs.flow_tabs import FlowTabs

translate = QCoreApplication.translate


class Window(HasFront, Protocol):
    """What this asks of the window."""

    @property
    def acts(self) -> "Front":
        """Acts on the flow in front."""
        ...

    @property
    def appearance(self) -> "Appearance":
        """Theme and motion."""
        ...

    @property
    def docks(self) -> "Docks":
        """The places around the canvas."""
        ...

    @property
    def tabs(self) -> "FlowTabs":
        """The open documents."""
        ...

    @property
    def strips(self) -> "DockStrips":
        """The bars that name the docks."""
        ...

    @property
    def documents(self) -> "Documents":
        """Shows the script."""
        ...


def view_commands() -> "list[Command[Window]]":
    """What is done to how things look."""
    return [
        Command(
            "view.palette",
            translate("actions", "Command palette…"),
            "view",
            lambda window: window.acts.open_palette(),
            "Ctrl+Shift+P",
            words=translate("actions", "search actions"),
        ),
    ]


def place_commands() -> "list[Command[Window]]":
    """What is seen beside the canvas, and how all looks."""
    return [
        Command(
            "view.next_place",
            translate("actions", "Focus the next area"),
            "view",
            lambda window: go_round(window, 1),
            "Ctrl+F6",
            has_flow,
            translate("actions", "Move the keyboard focus to the canvas, then to each visible panel"),
        ),
        Command(
            "view.previous_place",
            translate("actions", "Focus the previous area"),
            "view",
            lambda window: go_round(window, -1),
            "Ctrl+Shift+F6",
            has_flow,
        ),
        Command(
            "view.search",
            translate("actions", "Search the library"),
            "view",
            lambda window: window.acts.search_library(),
            "Ctrl+L",
            begins=True,
            words=translate("actions", "find node types add palette"),
        ),
        Command(
            "view.script",
            translate("actions", "Python script"),
            "view",
            lambda window: window.documents.turn_script(),
            "Ctrl+E",
            has_flow,
            translate(
                "actions", "Show the flow as Python that follows every edit; from there, back to the canvas"
            ),
            begins=True,
            words=translate("actions", "Python code export source"),
        ),
        Command(
            "view.script_beside",
            translate("actions", "Python script beside the flow"),
            "view",
            lambda window: window.documents.show_script_beside(),
            "Ctrl+Alt+E",
            has_flow,
            translate("actions", "Show the canvas on one side and its script on the other"),
            words=translate("actions", "Python code split side"),
        ),
        Command(
            "view.canvas_alone",
            translate("actions", "Canvas alone"),
            "view",
            lambda window: window.docks.turn_alone(),
            "F12",
            has_flow,
            translate("actions", "Take away all that stands around the canvas; again brings it back"),
            begins=True,
            words=translate("actions", "full screen zen focus distraction hide panels"),
        ),
        Command(
            "view.arrange",
            translate("actions", "Reset panels"),
            "view",
            lambda window: window.docks.arrange(),
            words=translate("actions", "layout default docks restore windows"),
        ),
        _theme("system", translate("actions", "Theme: same as system")),
        _theme("dark", translate("actions", "Theme: dark")),
        _theme("light", translate("actions", "Theme: light")),
        _theme("high_contrast", translate("actions", "Theme: high contrast")),
        _motion("", translate("actions", "Motion: smooth")),
        _motion(REDUCED, translate("actions", "Motion: reduced")),
    ]


def _theme(name: str, title: str) -> "Command[Window]":
    return Command(
        f"view.theme_{name}",
        title,
        "view",
        lambda window: window.appearance.choose(name),
        begins=name == "system",
    )


def _motion(choice: str, title: str) -> "Command[Window]":
    return Command(
        f"view.motion_{choice or 'smooth'}",
        title,
        "view",
        lambda window: window.appearance.choose_motion(choice),
    )
