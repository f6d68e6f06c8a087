"""A run as a whole: begun, held, stopped, given its inputs."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.making import make, on_controls

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def run_actions(window: "MainWindow") -> list[Action]:
    """What is done to a run as a whole."""
    group = translate("actions", "Run")
    on, can = on_controls(window)
    return [
        make(
            "run.run",
            translate("actions", "Run"),
            group,
            on(lambda c: c.run()),
            "F5",
            can(lambda c: c.can_run),
            translate("actions", "Run the flow"),
        ),
        make(
            "run.inputs",
            translate("actions", "What the run is given…"),
            group,
            window.acts.show_inputs,
            "Ctrl+I",
            window.acts.has_flow,
        ),
        make(
            "run.hold",
            translate("actions", "Hold"),
            group,
            on(lambda c: c.hold()),
            "F6",
            can(lambda c: c.can_hold),
            translate("actions", "Hold at the next step"),
        ),
        make(
            "run.stop",
            translate("actions", "Stop"),
            group,
            on(lambda c: c.stop()),
            "Shift+F5",
            can(lambda c: c.live is not None),
            translate("actions", "Stop the run; again: end its host"),
        ),
        make(
            "run.cancel_step",
            translate("actions", "Cancel the shown step"),
            group,
            on(lambda c: c.cancel_step()),
            "",
            can(lambda c: c.can_cancel_step),
            translate("actions", "It fails; the run goes on as its error policy says"),
        ),
    ]
