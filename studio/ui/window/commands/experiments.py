"""Experiments on the flows of the project in front."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.experiments.pages import Experiments

translate = QCoreApplication.translate


def experiment_commands() -> "list[Command[Experiments]]":
    """What is done with experiments."""
    return [
        Command(
            "run.experiments",
            translate("actions", "Experiments"),
            "run",
            lambda part: part.show(),
            "Ctrl+Alt+X",
            lambda part: part.can_show,
            translate("actions", "Variants of flows on the rows of a dataset: which is better, and where"),
            begins=True,
            words=translate("actions", "evaluate eval compare variants dataset benchmark trials table"),
        ),
        Command(
            "run.new_experiment",
            translate("actions", "New experiment from this flow…"),
            "run",
            lambda part: part.ask_new(),
            can=lambda part: part.can_show,
            help=translate("actions", "Choose a dataset, variants and a scorer; nothing is run yet"),
            words=translate("actions", "evaluate eval variants prompt dataset benchmark"),
        ),
    ]
