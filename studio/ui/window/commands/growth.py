"""What is done with that which grows in a run."""

from typing import TYPE_CHECKING

from studio.app.commands import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.runs.growth import FlowGrowth

in_run = Menu("run")
in_view = Menu("view")


def growth_commands() -> "list[Command[FlowGrowth]]":
    """Parts of plans, searches and teams: kept as nodes, folded and unfolded."""
    return [
        in_run(
            "run.keep_part",
            "Keep the selected part as a node",
            lambda growing: growing.keep_chosen(),
            can=lambda growing: growing.can_keep_part,
            help="Add what the step generated to the flow, with its wires",
            words="plan ghost",
            on={"ghost"},
        ),
        in_run(
            "run.keep_parts",
            "Keep the whole plan as nodes",
            lambda growing: growing.keep(),
            can=lambda growing: growing.can_keep_all,
            help="Add everything the step generated to the flow, wired by its dependencies",
            words="ghosts",
            on={"ghost"},
        ),
        in_view(
            "view.fold_growth",
            "Fold or unfold generated parts",
            lambda growing: growing.fold(),
            can=lambda growing: growing.can_fold,
            help="Show what steps generate as one line beside their nodes, or in full",
            on={"ghost"},
        ),
    ]
