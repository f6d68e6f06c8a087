"""What is done with that which grows in a run."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.runs.growth import FlowGrowth

translate = QCoreApplication.translate


def growth_commands() -> "list[Command[FlowGrowth]]":
    """Parts of plans, searches and teams: kept as nodes, folded and unfolded."""
    return [
        Command(
            "run.keep_part",
            translate("actions", "Keep the selected part as a node"),
            "run",
            lambda growing: growing.keep_chosen(),
            can=lambda growing: growing.can_keep_part,
            help=translate("actions", "Add what the step generated to the flow, with its wires"),
            offered_on=frozenset({"ghost"}),
            words=translate("actions", "plan ghost"),
        ),
        Command(
            "run.keep_parts",
            translate("actions", "Keep the whole plan as nodes"),
            "run",
            lambda growing: growing.keep(),
            can=lambda growing: growing.can_keep_all,
            help=translate(
                "actions", "Add everything the step generated to the flow, wired by its dependencies"
            ),
            offered_on=frozenset({"ghost"}),
            words=translate("actions", "ghosts"),
        ),
        Command(
            "view.fold_growth",
            translate("actions", "Fold or unfold generated parts"),
            "view",
            lambda growing: growing.fold(),
            can=lambda growing: growing.can_fold,
            help=translate("actions", "Show what steps generate as one line beside their nodes, or in full"),
            offered_on=frozenset({"ghost"}),
        ),
    ]
