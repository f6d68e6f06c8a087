"""Actions on the flows of a project: subflows, the way between them, and finding in them."""

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command
from studio.ui.window.roles import HasFront, has_flow, has_selection

if TYPE_CHECKING:
    from studio.ui.window.chrome.breadcrumb import Trails
    from studio.ui.window.project.find_replace import FindReplace
    from studio.ui.window.project.node_rename import NodeRename
    from studio.ui.window.project.subflows import Subflows
    from studio.ui.window.tabs.flow_tabs import FlowTabs

translate = QCoreApplication.translate


class Window(HasFront, Protocol):
    """What this asks of the window."""

    @property
    def tabs(self) -> "FlowTabs":
        """The open flows."""
        ...

    @property
    def trails(self) -> "Trails":
        """The way from flow to flow."""
        ...

    @property
    def find_replace(self) -> "FindReplace":
        """Finds in flows."""
        ...

    @property
    def subflows(self) -> "Subflows":
        """Makes and dissolves subflows."""
        ...

    @property
    def node_rename(self) -> "NodeRename":
        """Changes the ids of nodes."""
        ...


TAB_COMMANDS = (
    "view.beside",
    "view.other_side",
    "view.script_beside",
    "view.close_split",
    "file.close",
)
"""What the menu of a tab offers, as far as it is possible."""


def tab_commands() -> "list[Command[Window]]":
    """From flow to flow."""

    def has_several(window: Window) -> bool:
        return len(window.tabs.documents) > 1

    def is_split(window: Window) -> bool:
        return window.tabs.is_split

    return [
        Command(
            "view.next_flow",
            translate("actions", "Next flow"),
            "view",
            lambda window: window.tabs.step(1),
            "Ctrl+Tab",
            has_several,
            begins=True,
            words=translate("actions", "tab switch"),
        ),
        Command(
            "view.previous_flow",
            translate("actions", "Previous flow"),
            "view",
            lambda window: window.tabs.step(-1),
            "Ctrl+Shift+Tab",
            has_several,
            words=translate("actions", "tab switch back"),
        ),
        Command(
            "view.beside",
            translate("actions", "Show beside"),
            "view",
            lambda window: window.tabs.turn_side(),
            "Ctrl+\\",
            lambda window: window.tabs.can_show_beside(),
            translate("actions", "Split the place of the canvas, and show this tab at the right"),
            begins=True,
            words=translate("actions", "split right side two compare tabs"),
        ),
        Command(
            "view.other_side",
            translate("actions", "Move to the other side"),
            "view",
            lambda window: window.tabs.turn_side(),
            "Ctrl+Alt+\\",
            is_split,
            words=translate("actions", "split swap group"),
        ),
        Command(
            "view.go_to_other_side",
            translate("actions", "Go to the other side"),
            "view",
            lambda window: window.tabs.go_to_other_side(),
            "Alt+\\",
            is_split,
            translate("actions", "Focus what is shown beside this flow"),
            words=translate("actions", "split switch focus"),
        ),
        Command(
            "view.close_split",
            translate("actions", "Close the split"),
            "view",
            lambda window: window.tabs.close_split(),
            "Ctrl+Shift+\\",
            is_split,
            translate("actions", "Put all tabs on one side; none is closed"),
            words=translate("actions", "join unsplit single one side"),
        ),
        Command(
            "view.caller",
            translate("actions", "Back to the calling flow"),
            "view",
            lambda window: window.trails.go_back(),
            "Alt+Home",
            lambda window: window.trails.can_go_back(),
            translate("actions", "The flow whose node opened this one"),
            words=translate("actions", "parent up breadcrumb"),
        ),
    ]


def flow_commands() -> "list[Command[Window]]":
    """Finding, making subflows and dissolving them."""
    return [
        Command(
            "flow.find",
            translate("actions", "Find in the flow…"),
            "edit",
            lambda window: window.find_replace.open(),
            "Ctrl+F",
            has_flow,
            translate("actions", "Searches titles, ids, prompts, settings, typed values and notes"),
            words=translate("actions", "search"),
        ),
        Command(
            "flow.find_next",
            translate("actions", "Find next"),
            "edit",
            lambda window: window.find_replace.go(1),
            "F3",
            has_flow,
        ),
        Command(
            "flow.find_previous",
            translate("actions", "Find previous"),
            "edit",
            lambda window: window.find_replace.go(-1),
            "Shift+F3",
            has_flow,
        ),
        Command(
            "flow.find_project",
            translate("actions", "Find and replace in the project…"),
            "edit",
            lambda window: window.find_replace.open_project(),
            "Ctrl+Shift+F",
            has_flow,
            translate("actions", "Searches all flows of the project, open or not"),
            words=translate("actions", "search replace grep"),
        ),
        Command(
            "flow.subflow",
            translate("actions", "Make a subflow"),
            "edit",
            lambda window: window.subflows.turn(),
            "Ctrl+Shift+G",
            has_selection,
            translate(
                "actions",
                "Move the selected nodes into a flow of their own; with a single call selected, "
                "put them back",
            ),
            offered_on=frozenset({"node"}),
            begins=True,
            words=translate("actions", "group extract nested call"),
        ),
        Command(
            "flow.dissolve",
            translate("actions", "Inline the subflow"),
            "edit",
            lambda window: window.subflows.dissolve(),
            can=lambda window: window.subflows.can_dissolve(),
            help=translate("actions", "Replace the call with the nodes of the called flow"),
            offered_on=frozenset({"node"}),
            words=translate("actions", "dissolve ungroup expand unnest"),
        ),
        Command(
            "flow.rename",
            translate("actions", "Change node id…"),
            "edit",
            lambda window: window.node_rename.ask(),
            "Shift+F2",
            lambda window: window.node_rename.can_ask(),
            translate("actions", "Updates wires, breakpoints, and flows that call this one"),
            offered_on=frozenset({"node"}),
            words=translate("actions", "rename identifier"),
        ),
    ]
