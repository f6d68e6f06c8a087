"""What is done with that which grows in a run."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.making import make, on_front

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def growing_actions(window: "MainWindow") -> list[Action]:
    """Parts of plans, searches and teams: kept as nodes, folded and unfolded."""
    group = translate("actions", "Run")
    on, can = on_front(window, lambda flow: flow.growing)
    return [
        make(
            "run.keep_part",
            translate("actions", "Keep the chosen part as a node"),
            group,
            on(lambda growing: growing.keep_chosen()),
            "",
            can(lambda growing: growing.can_keep_part),
            translate("actions", "Put what the step made as it went into the flow, with its wires"),
        ),
        make(
            "run.keep_parts",
            translate("actions", "Keep the whole plan as nodes"),
            group,
            on(lambda growing: growing.keep()),
            "",
            can(lambda growing: growing.can_keep_all),
            translate("actions", "Put all that the step made as it went into the flow, wired as it waited"),
        ),
        make(
            "view.fold_growth",
            translate("actions", "Fold or unfold what grows"),
            translate("actions", "View"),
            on(lambda growing: growing.fold()),
            "",
            can(lambda growing: growing.can_fold),
            translate(
                "actions", "Show what steps make as they go as one line beside their nodes, or all of it"
            ),
        ),
    ]
