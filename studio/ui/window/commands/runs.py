"""A run as a whole: begun, held, stopped, given its inputs."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.front import Front
    from studio.ui.window.open_flow import OpenFlow

translate = QCoreApplication.translate


def run_commands() -> "list[Command[OpenFlow]]":
    """What is done to a run as a whole."""
    return [
        Command(
            "run.run",
            translate("actions", "Run"),
            "run",
            lambda flow: flow.controls.run_or_continue(),
            "F5",
            lambda flow: flow.controls.can_run or flow.controls.is_held,
            translate("actions", "Run the flow; where its shown run is paused, continue that"),
            words=translate("actions", "start execute play launch go"),
        ),
        Command(
            "run.another",
            translate("actions", "Run another"),
            "run",
            lambda flow: flow.controls.run(),
            "Ctrl+Shift+F5",
            lambda flow: flow.controls.can_run and flow.controls.live is not None,
            translate("actions", "Start a run beside the one that is active or paused"),
            words=translate("actions", "start execute second parallel new"),
        ),
        Command(
            "run.inputs",
            translate("actions", "Edit inputs…"),
            "run",
            _show_inputs,
            "Ctrl+I",
            words=translate("actions", "arguments parameters values form"),
        ),
        Command(
            "run.hold",
            translate("actions", "Pause"),
            "run",
            lambda flow: flow.controls.hold(),
            "F6",
            lambda flow: flow.controls.can_hold,
            translate("actions", "Pause at the next step"),
            begins=True,
            words=translate("actions", "hold break suspend halt interrupt"),
        ),
        Command(
            "run.stop",
            translate("actions", "Stop"),
            "run",
            lambda flow: flow.controls.stop(),
            "Shift+F5",
            lambda flow: flow.controls.live is not None,
            translate("actions", "Stop the run; press again to force it"),
            words=translate("actions", "cancel abort kill end terminate"),
        ),
        Command(
            "run.leave_elsewhere",
            translate("actions", "Stop following the run of another process"),
            "run",
            lambda flow: flow.controls.leave_old(),
            can=lambda flow: flow.controls.attached.is_attached,
            help=translate("actions", "The run goes on, and paused steps continue"),
            words=translate("actions", "detach disconnect"),
        ),
        Command(
            "run.cancel_step",
            translate("actions", "Cancel the shown step"),
            "run",
            lambda flow: flow.controls.cancel_step(),
            can=lambda flow: flow.controls.can_cancel_step,
            help=translate("actions", "It fails, and its error policy decides what happens next"),
            offered_on=frozenset({"node"}),
            words=translate("actions", "abort stop skip"),
        ),
    ]


def attach_commands() -> "list[Command[Front]]":
    """What is done to runs of other processes that are listed."""
    return [
        Command(
            "run.attach",
            translate("actions", "Follow a run of another process"),
            "run",
            lambda acts: acts.attach(),
            can=lambda acts: acts.can_attach(),
            help=translate("actions", "A run started in a terminal: follow it, and pause it at breakpoints"),
            words=translate("actions", "connect terminal process"),
        ),
    ]


def _show_inputs(flow: "OpenFlow") -> None:
    """Show the form of what a run is given."""
    flow.work.session.selection.select()
    flow.work.raise_asked.emit("inspector")
    flow.work.inspector.focus_inputs()
