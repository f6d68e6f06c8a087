"""Actions on the flows of a project: subflows, the way between them, and finding in them."""

from typing import TYPE_CHECKING, Protocol

from studio.app.commands import Command
from studio.ui.command_table import Menu
from studio.ui.window.roles import HasFront, has_flow, has_selection

if TYPE_CHECKING:
    from studio.ui.window.chrome.breadcrumb import Trails
    from studio.ui.window.project.find_replace import FindReplace
    from studio.ui.window.project.node_rename import NodeRename
    from studio.ui.window.project.subflows import Subflows
    from studio.ui.window.tabs.flow_tabs import FlowTabs

in_edit = Menu("edit")
in_view = Menu("view")


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

    return [
        in_view(
            "view.next_flow",
            "Next flow",
            lambda w: w.tabs.step(1),
            "Ctrl+Tab",
            has_several,
            words="tab switch",
            begins=True,
        ),
        in_view(
            "view.previous_flow",
            "Previous flow",
            lambda w: w.tabs.step(-1),
            "Ctrl+Shift+Tab",
            has_several,
            words="tab switch back",
        ),
        *_side_commands(),
    ]


def _side_commands() -> "list[Command[Window]]":
    """Two documents side by side, and the way back to the caller."""

    def is_split(window: Window) -> bool:
        return window.tabs.is_split

    return [
        in_view(
            "view.beside",
            "Show beside",
            lambda w: w.tabs.turn_side(),
            "Ctrl+\\",
            lambda w: w.tabs.can_show_beside(),
            "Split the place of the canvas, and show this tab at the right",
            words="split right side two compare tabs",
            begins=True,
        ),
        in_view(
            "view.other_side",
            "Move to the other side",
            lambda w: w.tabs.turn_side(),
            "Ctrl+Alt+\\",
            is_split,
            words="split swap group",
        ),
        in_view(
            "view.go_to_other_side",
            "Go to the other side",
            lambda w: w.tabs.go_to_other_side(),
            "Alt+\\",
            is_split,
            "Focus what is shown beside this flow",
            words="split switch focus",
        ),
        in_view(
            "view.close_split",
            "Close the split",
            lambda w: w.tabs.close_split(),
            "Ctrl+Shift+\\",
            is_split,
            "Put all tabs on one side; none is closed",
            words="join unsplit single one side",
        ),
        in_view(
            "view.caller",
            "Back to the calling flow",
            lambda w: w.trails.go_back(),
            "Alt+Home",
            lambda w: w.trails.can_go_back(),
            "The flow whose node opened this one",
            words="parent up breadcrumb",
        ),
    ]


def flow_commands() -> "list[Command[Window]]":
    """Finding, making subflows and dissolving them."""
    return [
        in_edit(
            "flow.find",
            "Find in the flow…",
            lambda w: w.find_replace.open(),
            "Ctrl+F",
            has_flow,
            "Searches titles, ids, prompts, settings, typed values and notes",
            words="search",
        ),
        in_edit("flow.find_next", "Find next", lambda w: w.find_replace.go(1), "F3", has_flow),
        in_edit(
            "flow.find_previous",
            "Find previous",
            lambda w: w.find_replace.go(-1),
            "Shift+F3",
            has_flow,
        ),
        in_edit(
            "flow.find_project",
            "Find and replace in the project…",
            lambda w: w.find_replace.open_project(),
            "Ctrl+Shift+F",
            has_flow,
            "Searches all flows of the project, open or not",
            words="search replace grep",
        ),
        in_edit(
            "flow.subflow",
            "Make a subflow",
            lambda w: w.subflows.turn(),
            "Ctrl+Shift+G",
            has_selection,
            "Move the selected nodes into a flow of their own; with a single call selected, put them back",
            words="group extract nested call",
            on={"node"},
            begins=True,
        ),
        in_edit(
            "flow.dissolve",
            "Inline the subflow",
            lambda w: w.subflows.dissolve(),
            can=lambda w: w.subflows.can_dissolve(),
            help="Replace the call with the nodes of the called flow",
            words="dissolve ungroup expand unnest",
            on={"node"},
        ),
        in_edit(
            "flow.rename",
            "Change node id…",
            lambda w: w.node_rename.ask(),
            "Shift+F2",
            lambda w: w.node_rename.can_ask(),
            "Updates wires, breakpoints, and flows that call this one",
            words="rename identifier",
            on={"node"},
        ),
    ]
