"""A run as a whole: begun, held, stopped, given its inputs."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.front import Front
    from studio.ui.window.tabs import OpenFlow

translate = QCoreApplication.translate


def run_commands() -> "list[Command[OpenFlow]]":
    """What is done to a run as a whole."""
    return [
        Command(
            "run.run",
            translate("actions", "Run"),
            "run",
            lambda flow: flow.controls.run(),
            "F5",
            lambda flow: flow.controls.can_run,
            translate("actions", "Run the flow"),
        ),
        Command(
            "run.inputs",
            translate("actions", "What the run is given…"),
            "run",
            _show_inputs,
            "Ctrl+I",
        ),
        Command(
            "run.hold",
            translate("actions", "Hold"),
            "run",
            lambda flow: flow.controls.hold(),
            "F6",
            lambda flow: flow.controls.can_hold,
            translate("actions", "Hold at the next step"),
            begins=True,
        ),
        Command(
            "run.stop",
            translate("actions", "Stop"),
            "run",
            lambda flow: flow.controls.stop(),
            "Shift+F5",
            lambda flow: flow.controls.live is not None,
            translate("actions", "Stop the run; again: end its host"),
        ),
        Command(
            "run.leave_elsewhere",
            translate("actions", "Leave the run of another process"),
            "run",
            lambda flow: flow.controls.leave_old(),
            can=lambda flow: flow.controls.attaching.is_attached,
            help=translate("actions", "It goes on, and with it what was held"),
        ),
        Command(
            "run.cancel_step",
            translate("actions", "Cancel the shown step"),
            "run",
            lambda flow: flow.controls.cancel_step(),
            can=lambda flow: flow.controls.can_cancel_step,
            help=translate("actions", "It fails; the run goes on as its error policy says"),
            offered_on=frozenset({"node"}),
        ),
    ]


def attach_commands() -> "list[Command[Front]]":
    """What is done to runs of other processes that are listed."""
    return [
        Command(
            "run.attach",
            translate("actions", "Attach to the run of another process"),
            "run",
            lambda acts: acts.attach(),
            can=lambda acts: acts.can_attach(),
            help=translate(
                "actions", "One that goes on in a terminal: it is followed, and held at breakpoints"
            ),
        ),
    ]


def _show_inputs(flow: "OpenFlow") -> None:
    """Show the form of what a run is given."""
    flow.work.session.selection.select()
    flow.work.raise_asked.emit("inspector")
    flow.work.inspector.focus_inputs()
