"""Steps that become cases, and cases that run."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.cases.cases import Cases
    from studio.ui.window.front import Front

translate = QCoreApplication.translate


def case_commands() -> "list[Command[Cases]]":
    """What is done with cases."""
    return [
        Command(
            "run.case",
            translate("actions", "Turn the shown step into a case…"),
            "run",
            lambda cases: cases.make(),
            "Ctrl+Alt+K",
            lambda cases: cases.can_make,
            translate(
                "actions", "Save its inputs and outputs, to check later that it still behaves the same"
            ),
            begins=True,
            words=translate("actions", "test evaluate assert regression example dataset"),
        ),
        Command(
            "run.cases",
            translate("actions", "Run all cases"),
            "run",
            lambda cases: cases.run_all(),
            can=lambda cases: cases.can_run,
            help=translate("actions", "Run each case's step alone and compare its outputs"),
            words=translate("actions", "test evaluate measure check regression dataset eval"),
        ),
    ]


def answer_commands() -> "list[Command[Front]]":
    """What is done with the answers of the shown run."""
    return [
        Command(
            "run.keep_answers",
            translate("actions", "Save these as scripted answers"),
            "run",
            lambda acts: acts.keep_answers(),
            can=lambda acts: acts.can_keep_answers(),
            help=translate(
                "actions",
                "Made-up and typed answers of the shown run are saved in scripts/ and answer "
                "again from there",
            ),
            words=translate("actions", "record script mock cassette"),
        ),
    ]
