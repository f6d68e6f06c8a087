"""A run as a whole: begun, held, stopped, given its inputs."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ids import RunId
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
            "run.attach",
            translate("actions", "Attach to the run of another process"),
            group,
            lambda: window.acts.with_controls(lambda c: c.show_old(window.runs.elsewhere or RunId(""))),
            "",
            lambda: window.runs.elsewhere is not None,
            translate("actions", "One that goes on in a terminal: it is followed, and held at breakpoints"),
        ),
        make(
            "run.leave_elsewhere",
            translate("actions", "Leave the run of another process"),
            group,
            on(lambda c: c.leave_old()),
            "",
            can(lambda c: c.attaching.is_attached),
            translate("actions", "It goes on, and with it what was held"),
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
