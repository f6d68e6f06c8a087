"""What can be done with what is held, and with several runs at once."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.runs.run_controls import RunControls

translate = QCoreApplication.translate


def held_commands() -> "list[Command[RunControls]]":
    """What is done with the chosen held step of the run that is meant."""
    return [
        Command(
            "run.to_here",
            translate("actions", "Run to the selected node"),
            "debug",
            lambda c: c.run_to_here(),
            "Ctrl+F10",
            lambda c: c.can_run_to_here,
            translate("actions", "Continue, and pause at its next step; without a run, start one"),
            offered_on=frozenset({"node"}),
            begins=True,
            words=translate("actions", "cursor until"),
        ),
        Command(
            "run.held_list",
            translate("actions", "Go to paused steps"),
            "debug",
            lambda c: c.held.show_list(),
            "Ctrl+Shift+F9",
            lambda c: bool(c.debugger.runs),
            translate("actions", "Of every run of the flow; Enter shows one, the menu key lists the actions"),
            words=translate("actions", "held waiting"),
        ),
        Command(
            "run.edit_held",
            translate("actions", "Edit the paused step"),
            "debug",
            lambda c: c.held.edit(),
            "Ctrl+Shift+F10",
            lambda c: c.held.chosen is not None,
            translate("actions", "Move the keyboard focus to the inputs or outputs of the paused step"),
            words=translate("actions", "held change values modify"),
        ),
        Command(
            "run.scopes",
            translate("actions", "Go to scopes"),
            "debug",
            lambda c: c.held.show_scopes(),
            help=translate("actions", "The values in each round, item and called flow"),
        ),
        Command(
            "run.release_alone",
            translate("actions", "Continue this paused step only"),
            "debug",
            lambda c: c.held.release_alone(),
            "Ctrl+F8",
            lambda c: c.held.chosen is not None,
            translate("actions", "The other paused steps stay paused"),
            words=translate("actions", "release resume held"),
        ),
        Command(
            "run.drop",
            translate("actions", "Drop the paused step"),
            "debug",
            lambda c: c.held.drop(),
            can=lambda c: c.held.chosen is not None,
            help=translate("actions", "Skips it, or discards its output; a tool call is not made"),
            words=translate("actions", "discard skip held"),
        ),
        Command(
            "run.choose_case",
            translate("actions", "Choose another case for the paused step…"),
            "debug",
            lambda c: c.held.choose_case(),
            can=lambda c: c.held.has_cases,
            help=translate("actions", "Sends its value to another output"),
            words=translate("actions", "branch route held"),
        ),
        Command(
            "run.others",
            translate("actions", "Run other steps while one is paused (on/off)"),
            "debug",
            lambda c: c.held.switch_others(),
            can=lambda c: c.live is not None,
            help=translate("actions", "Applies to the shown run"),
        ),
        Command(
            "run.detach",
            translate("actions", "Detach from the run"),
            "debug",
            lambda c: c.held.detach(),
            can=lambda c: c.live is not None and (not c.held.is_detached),
            help=translate(
                "actions", "It runs on by itself: nothing stays paused, and breakpoints are ignored"
            ),
            words=translate("actions", "disconnect leave"),
        ),
        Command(
            "run.attach_again",
            translate("actions", "Attach to the run again"),
            "debug",
            lambda c: c.held.attach_again(),
            can=lambda c: c.held.is_detached,
            help=translate("actions", "Breakpoints pause it again"),
            words=translate("actions", "reconnect"),
        ),
    ]


def several_runs_commands() -> "list[Command[RunControls]]":
    """What is done with several runs of a flow at once."""
    return [
        Command(
            "run.next_run",
            translate("actions", "Show the next active run"),
            "debug",
            lambda c: c.own.show_next(),
            "Ctrl+F5",
            lambda c: c.own.next is not None,
            translate("actions", "The buttons act on the shown run"),
            begins=True,
            words=translate("actions", "switch other"),
        ),
        Command(
            "run.continue_all",
            translate("actions", "Continue all runs"),
            "debug",
            lambda c: c.debugger.resume_all(),
            "Shift+F8",
            lambda c: bool(c.debugger.held),
            translate("actions", "Continue every run of this flow to its next breakpoint"),
            words=translate("actions", "resume release"),
        ),
        Command(
            "run.hold_all",
            translate("actions", "Pause all runs"),
            "debug",
            lambda c: c.debugger.hold_all(),
            "Shift+F6",
            lambda c: len(c.debugger.runs) > 1,
            translate("actions", "Pause every run of this flow at its next step"),
            words=translate("actions", "hold suspend break"),
        ),
        Command(
            "run.stop_all",
            translate("actions", "Stop all runs"),
            "debug",
            lambda c: c.stop_all(),
            can=lambda c: len(c.debugger.runs) > 1,
            help=translate("actions", "Stop every run of this flow"),
            words=translate("actions", "cancel abort kill"),
        ),
    ]
