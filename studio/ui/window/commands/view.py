"""What is done to how things look."""

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command
from studio.ui.command_table import Menu
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
in_view = Menu("view")


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
        in_view(
            "view.palette",
            "Command palette…",
            lambda w: w.acts.open_palette(),
            "Ctrl+Shift+P",
            words="search actions",
        ),
    ]


def place_commands() -> "list[Command[Window]]":
    """What is seen beside the canvas, and how all looks."""
    return [
        in_view(
            "view.next_place",
            "Focus the next area",
            lambda w: go_round(w, 1),
            "Ctrl+F6",
            has_flow,
            "Move the keyboard focus to the canvas, then to each visible panel",
        ),
        in_view(
            "view.previous_place",
            "Focus the previous area",
            lambda w: go_round(w, -1),
            "Ctrl+Shift+F6",
            has_flow,
        ),
        in_view(
            "view.search",
            "Search the library",
            lambda w: w.acts.search_library(),
            "Ctrl+L",
            words="find node types add palette",
            begins=True,
        ),
        in_view(
            "view.script",
            "Python script",
            lambda w: w.documents.turn_script(),
            "Ctrl+E",
            has_flow,
            "Show the flow as Python that follows every edit; from there, back to the canvas",
            words="Python code export source",
            begins=True,
        ),
        in_view(
            "view.script_beside",
            "Python script beside the flow",
            lambda w: w.documents.show_script_beside(),
            "Ctrl+Alt+E",
            has_flow,
            "Show the canvas on one side and its script on the other",
            words="Python code split side",
        ),
        in_view(
            "view.canvas_alone",
            "Canvas alone",
            lambda w: w.docks.turn_alone(),
            "F12",
            has_flow,
            "Take away all that stands around the canvas; again brings it back",
            words="full screen zen focus distraction hide panels",
            begins=True,
        ),
        in_view(
            "view.arrange",
            "Reset panels",
            lambda w: w.docks.arrange(),
            words="layout default docks restore windows",
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
        lambda w: w.appearance.choose(name),
        begins=name == "system",
    )


def _motion(choice: str, title: str) -> "Command[Window]":
    return Command(
        f"view.motion_{choice or 'smooth'}",
        title,
        "view",
        lambda w: w.appearance.choose_motion(choice),
    )
