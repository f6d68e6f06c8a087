"""A run as a whole: begun, held, stopped, given its inputs."""

from typing import TYPE_CHECKING

from studio.app.commands import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.front import Front
    from studio.ui.window.open_flow import OpenFlow

in_run = Menu("run")


def run_commands() -> "list[Command[OpenFlow]]":
    """What is done to a run as a whole."""
    return [
        in_run(
            "run.run",
            "Run",
            lambda flow: flow.controls.run_or_continue(),
            "F5",
            lambda flow: flow.controls.can_run or flow.controls.is_held,
            "Run the flow; where its shown run is paused, continue that",
            words="start execute play launch go",
        ),
        in_run(
            "run.another",
            "Run another",
            lambda flow: flow.controls.run(),
            "Ctrl+Shift+F5",
            lambda flow: flow.controls.can_run and flow.controls.live is not None,
            "Start a run beside the one that is active or paused",
            words="start execute second parallel new",
        ),
        in_run(
            "run.inputs", "Edit inputs…", _show_inputs, "Ctrl+I", words="arguments parameters values form"
        ),
        in_run(
            "run.hold",
            "Pause",
            lambda flow: flow.controls.hold(),
            "F6",
            lambda flow: flow.controls.can_hold,
            "Pause at the next step",
            words="hold break suspend halt interrupt",
            begins=True,
        ),
        in_run(
            "run.stop",
            "Stop",
            lambda flow: flow.controls.stop(),
            "Shift+F5",
            lambda flow: flow.controls.live is not None,
            "Stop the run; press again to force it",
            words="cancel abort kill end terminate",
        ),
        in_run(
            "run.leave_elsewhere",
            "Stop following the run of another process",
            lambda flow: flow.controls.leave_old(),
            can=lambda flow: flow.controls.attached.is_attached,
            help="The run goes on, and paused steps continue",
            words="detach disconnect",
        ),
        in_run(
            "run.cancel_step",
            "Cancel the shown step",
            lambda flow: flow.controls.cancel_step(),
            can=lambda flow: flow.controls.can_cancel_step,
            help="It fails, and its error policy decides what happens next",
            words="abort stop skip",
            on={"node"},
        ),
    ]


def attach_commands() -> "list[Command[Front]]":
    """What is done to runs of other processes that are listed."""
    return [
        in_run(
            "run.attach",
            "Follow a run of another process",
            lambda acts: acts.attach(),
            can=lambda acts: acts.can_attach(),
            help="A run started in a terminal: follow it, and pause it at breakpoints",
            words="connect terminal process",
        ),
    ]


def _show_inputs(flow: "OpenFlow") -> None:
    """Show the form of what a run is given."""
    flow.work.session.selection.select()
    flow.work.raise_asked.emit("inspector")
    flow.work.inspector.focus_inputs()
