"""What is done with that which grows in a run."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.growing import Growing

translate = QCoreApplication.translate


def growing_commands() -> "list[Command[Growing]]":
    """Parts of plans, searches and teams: kept as nodes, folded and unfolded."""
    return [
        Command(
            "run.keep_part",
            translate("actions", "Keep the chosen part as a node"),
            "run",
            lambda growing: growing.keep_chosen(),
            can=lambda growing: growing.can_keep_part,
            help=translate("actions", "Put what the step made as it went into the flow, with its wires"),
            offered_on=frozenset({"ghost"}),
        ),
        Command(
            "run.keep_parts",
            translate("actions", "Keep the whole plan as nodes"),
            "run",
            lambda growing: growing.keep(),
            can=lambda growing: growing.can_keep_all,
            help=translate(
                "actions", "Put all that the step made as it went into the flow, wired as it waited"
            ),
            offered_on=frozenset({"ghost"}),
        ),
        Command(
            "view.fold_growth",
            translate("actions", "Fold or unfold what grows"),
            "view",
            lambda growing: growing.fold(),
            can=lambda growing: growing.can_fold,
            help=translate(
                "actions", "Show what steps make as they go as one line beside their nodes, or all of it"
            ),
            offered_on=frozenset({"ghost"}),
        ),
    ]
