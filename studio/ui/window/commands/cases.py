"""Steps that become cases, and cases that run."""

from typing import TYPE_CHECKING

from studio.app.commands import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.cases.cases import Cases
    from studio.ui.window.front import Front

in_run = Menu("run")


def case_commands() -> "list[Command[Cases]]":
    """What is done with cases."""
    return [
        in_run(
            "run.case",
            "Turn the shown step into a case…",
            lambda cases: cases.make(),
            "Ctrl+Alt+K",
            lambda cases: cases.can_make,
            "Save its inputs and outputs, to check later that it still behaves the same",
            words="test evaluate assert regression example dataset",
            begins=True,
        ),
        in_run(
            "run.cases",
            "Run all cases",
            lambda cases: cases.run_all(),
            can=lambda cases: cases.can_run,
            help="Run each case's step alone and compare its outputs",
            words="test evaluate measure check regression dataset eval",
        ),
    ]


def answer_commands() -> "list[Command[Front]]":
    """What is done with the answers of the shown run."""
    return [
        in_run(
            "run.keep_answers",
            "Save these as scripted answers",
            lambda acts: acts.keep_answers(),
            can=lambda acts: acts.can_keep_answers(),
            help=(
                "Made-up and typed answers of the shown run are saved in scripts/ and answer again from there"
            ),
            words="record script mock cassette",
        ),
    ]
