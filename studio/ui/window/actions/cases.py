"""Steps that become cases, and cases that run."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.making import make, on_front

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def case_actions(window: "MainWindow") -> list[Action]:
    """What is done with cases."""
    group = translate("actions", "Run")
    on, can = on_front(window, lambda flow: flow.cases)

    return [
        make(
            "run.case",
            translate("actions", "Turn the shown step into a case…"),
            group,
            on(lambda cases: cases.make()),
            "Ctrl+Alt+K",
            can(lambda cases: cases.can_make),
            translate("actions", "Keep what it read and gave, to see later whether it still does"),
        ),
        make(
            "run.keep_answers",
            translate("actions", "Keep these answers as a script"),
            group,
            window.acts.keep_answers,
            "",
            window.acts.can_keep_answers,
            translate("actions", "What was made up or typed in the shown run answers again, from scripts/"),
        ),
        make(
            "run.cases",
            translate("actions", "Run all cases"),
            group,
            on(lambda cases: cases.run_all()),
            "",
            can(lambda cases: cases.can_run),
            translate("actions", "Run each step that is a case alone, and compare"),
        ),
    ]
