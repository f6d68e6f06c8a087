"""Actions on the flows of a project: subflows, the way between them, and finding in them."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate

ON_NODE = ("flow.subflow", "flow.dissolve")
"""What a node's menu offers of these, where it is possible."""


def flow_actions(window: "MainWindow") -> list[Action]:
    """Making subflows and dissolving them."""
    group, subflows = translate("actions", "Edit"), window.subflows
    return [
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
    ]
