"""What can be done with what is held, and with several runs at once."""

from typing import TYPE_CHECKING

from studio.app.commands import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.runs.run_controls import RunControls

in_debug = Menu("debug")


def held_commands() -> "list[Command[RunControls]]":
    """What is done with the chosen held step of the run that is meant."""
    return [
        in_debug(
            "run.to_here",
            "Run to the selected node",
            lambda c: c.run_to_here(),
            "Ctrl+F10",
            lambda c: c.can_run_to_here,
            "Continue, and pause at its next step; without a run, start one",
            words="cursor until",
            on={"node"},
            begins=True,
        ),
        in_debug(
            "run.held_list",
            "Go to paused steps",
            lambda c: c.held.show_list(),
            "Ctrl+Shift+F9",
            lambda c: bool(c.debugger.runs),
            "Of every run of the flow; Enter shows one, the menu key lists the actions",
            words="held waiting",
        ),
        in_debug(
            "run.edit_held",
            "Edit the paused step",
            lambda c: c.held.edit(),
            "Ctrl+Shift+F10",
            lambda c: c.held.chosen is not None,
            "Move the keyboard focus to the inputs or outputs of the paused step",
            words="held change values modify",
        ),
        in_debug(
            "run.scopes",
            "Go to scopes",
            lambda c: c.held.show_scopes(),
            help="The values in each round, item and called flow",
        ),
        *_release_commands(),
    ]


def _release_commands() -> "list[Command[RunControls]]":
    """How one held step, or none any more, goes on."""
    return [
        in_debug(
            "run.release_alone",
            "Continue this paused step only",
            lambda c: c.held.release_alone(),
            "Ctrl+F8",
            lambda c: c.held.chosen is not None,
            "The other paused steps stay paused",
            words="release resume held",
        ),
        in_debug(
            "run.drop",
            "Drop the paused step",
            lambda c: c.held.drop(),
            can=lambda c: c.held.chosen is not None,
            help="Skips it, or discards its output; a tool call is not made",
            words="discard skip held",
        ),
        in_debug(
            "run.choose_case",
            "Choose another case for the paused step…",
            lambda c: c.held.choose_case(),
            can=lambda c: c.held.has_cases,
            help="Sends its value to another output",
            words="branch route held",
        ),
        in_debug(
            "run.others",
            "Run other steps while one is paused (on/off)",
            lambda c: c.held.switch_others(),
            can=lambda c: c.live is not None,
            help="Applies to the shown run",
        ),
        in_debug(
            "run.detach",
            "Detach from the run",
            lambda c: c.held.detach(),
            can=lambda c: c.live is not None and (not c.held.is_detached),
            help="It runs on by itself: nothing stays paused, and breakpoints are ignored",
            words="disconnect leave",
        ),
        in_debug(
            "run.attach_again",
            "Attach to the run again",
            lambda c: c.held.attach_again(),
            can=lambda c: c.held.is_detached,
            help="Breakpoints pause it again",
            words="reconnect",
        ),
    ]


def several_runs_commands() -> "list[Command[RunControls]]":
    """What is done with several runs of a flow at once."""
    return [
        in_debug(
            "run.next_run",
            "Show the next active run",
            lambda c: c.own.show_next(),
            "Ctrl+F5",
            lambda c: c.own.next is not None,
            "The buttons act on the shown run",
            words="switch other",
            begins=True,
        ),
        in_debug(
            "run.continue_all",
            "Continue all runs",
            lambda c: c.debugger.resume_all(),
            "Shift+F8",
            lambda c: bool(c.debugger.held),
            "Continue every run of this flow to its next breakpoint",
            words="resume release",
        ),
        in_debug(
            "run.hold_all",
            "Pause all runs",
            lambda c: c.debugger.hold_all(),
            "Shift+F6",
            lambda c: len(c.debugger.runs) > 1,
            "Pause every run of this flow at its next step",
            words="hold suspend break",
        ),
        in_debug(
            "run.stop_all",
            "Stop all runs",
            lambda c: c.stop_all(),
            can=lambda c: len(c.debugger.runs) > 1,
            help="Stop every run of this flow",
            words="cancel abort kill",
        ),
    ]
