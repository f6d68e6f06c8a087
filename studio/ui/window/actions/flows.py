"""Actions on the flows of a project: subflows, the way between them, and finding in them."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate

ON_NODE = ("flow.subflow", "flow.dissolve", "flow.rename")
"""What a node's menu offers of these, where it is possible."""


def tab_actions(window: "MainWindow") -> list[Action]:
    """From flow to flow."""
    group, tabs = translate("actions", "View"), window.tabs

    def has_several() -> bool:
        return len(tabs.flows) > 1

    return [
        Action(
            "view.next_flow",
            translate("actions", "Next flow"),
            group,
            lambda: tabs.step(1),
            "Ctrl+Tab",
            is_enabled=has_several,
        ),
        Action(
            "view.previous_flow",
            translate("actions", "Previous flow"),
            group,
            lambda: tabs.step(-1),
            "Ctrl+Shift+Tab",
            is_enabled=has_several,
        ),
        Action(
            "view.caller",
            translate("actions", "Back to the calling flow"),
            group,
            window.trails.go_back,
            "Alt+Home",
            translate("actions", "Where this flow was opened from a node that calls it"),
            window.trails.can_go_back,
        ),
    ]


def flow_actions(window: "MainWindow") -> list[Action]:
    """Finding, making subflows and dissolving them."""
    group, subflows, finding = translate("actions", "Edit"), window.subflows, window.finding
    has = window.acts.has_flow
    return [
        Action(
            "flow.find",
            translate("actions", "Find in the flow…"),
            group,
            finding.open,
            "Ctrl+F",
            translate("actions", "In titles, ids, prompts, settings, typed values and notes"),
            has,
        ),
        Action(
            "flow.find_next",
            translate("actions", "Find next"),
            group,
            lambda: finding.go(1),
            "F3",
            is_enabled=has,
        ),
        Action(
            "flow.find_previous",
            translate("actions", "Find previous"),
            group,
            lambda: finding.go(-1),
            "Shift+F3",
            is_enabled=has,
        ),
        Action(
            "flow.find_project",
            translate("actions", "Find and replace in the project…"),
            group,
            finding.open_project,
            "Ctrl+Shift+F",
            translate("actions", "In all flows of the project, open or not"),
            has,
        ),
        Action(
            "flow.subflow",
            translate("actions", "Make a subflow"),
            group,
            subflows.turn,
            "Ctrl+Shift+G",
            translate("actions", "Move the selected nodes into a flow of their own; on a call alone: back"),
            window.acts.has_selection,
        ),
        Action(
            "flow.dissolve",
            translate("actions", "Dissolve the subflow"),
            group,
            subflows.dissolve,
            "",
            translate("actions", "Put the nodes of the called flow in the place of the call"),
            subflows.can_dissolve,
        ),
        Action(
            "flow.rename",
            translate("actions", "Change the id of the node…"),
            group,
            window.renaming.ask,
            "Shift+F2",
            translate("actions", "Everywhere: wires, breakpoints, and flows that call this one"),
            window.renaming.can_ask,
        ),
    ]
