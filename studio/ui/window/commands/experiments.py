"""Experiments on the flows of the project in front."""

from typing import TYPE_CHECKING

from studio.app.commands import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.experiments.pages import Experiments

in_run = Menu("run")


def experiment_commands() -> "list[Command[Experiments]]":
    """What is done with experiments."""
    return [
        in_run(
            "run.experiments",
            "Experiments",
            lambda part: part.show(),
            "Ctrl+Alt+X",
            lambda part: part.can_show,
            "Variants of flows on the rows of a dataset: which is better, and where",
            words="evaluate eval compare variants dataset benchmark trials table",
            begins=True,
        ),
        in_run(
            "run.new_experiment",
            "New experiment from this flow…",
            lambda part: part.ask_new(),
            can=lambda part: part.can_show,
            help="Choose a dataset, variants and a scorer; nothing is run yet",
            words="evaluate eval variants prompt dataset benchmark",
        ),
    ]
