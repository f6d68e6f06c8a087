"""What can be done with what is held, and with several runs at once."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.making import make, on_controls

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def held_actions(window: "MainWindow") -> list[Action]:
    """What is done with the chosen held step of the run that is meant."""
    group = translate("actions", "Debug")
    on, can = on_controls(window)
    return [
        make(
            "run.to_here",
            translate("actions", "Run to the selected node"),
            group,
            on(lambda c: c.run_to_here()),
            "Ctrl+F10",
            can(lambda c: c.can_run_to_here),
            translate("actions", "Go on until its next step, and hold there once; with no run, start one"),
        ),
        make(
            "run.held_list",
            translate("actions", "Go to the held steps"),
            group,
            on(lambda c: c.held.show_list()),
            "Ctrl+Shift+F9",
            can(lambda c: bool(c.debugger.runs)),
            translate(
                "actions", "Of every run of the flow; Enter shows one, the menu key offers what can be done"
            ),
        ),
        make(
            "run.edit_held",
            translate("actions", "Edit what is held"),
            group,
            on(lambda c: c.held.edit()),
            "Ctrl+Shift+F10",
            can(lambda c: c.held.chosen is not None),
            translate("actions", "Give the keyboard to the values that the held step reads, or gave"),
        ),
        make(
            "run.scopes",
            translate("actions", "Go to the scopes"),
            group,
            on(lambda c: c.held.show_scopes()),
            "",
            window.acts.has_flow,
            translate("actions", "What is known in each round, item and called flow"),
        ),
        make(
            "run.release_alone",
            translate("actions", "Continue the held step alone"),
            group,
            on(lambda c: c.held.release_alone()),
            "Ctrl+F8",
            can(lambda c: c.held.chosen is not None),
            translate("actions", "The other held steps stay held"),
        ),
        make(
            "run.drop",
            translate("actions", "Drop the held step"),
            group,
            on(lambda c: c.held.drop()),
            "",
            can(lambda c: c.held.chosen is not None),
            translate("actions", "It is skipped, or what it gave goes nowhere; a tool's call is not made"),
        ),
        make(
            "run.choose_case",
            translate("actions", "Choose another case for the held step…"),
            group,
            on(lambda c: c.held.choose_case()),
            "",
            can(lambda c: c.held.has_cases),
            translate("actions", "Its value leaves at another output"),
        ),
        make(
            "run.others",
            translate("actions", "Let others go on while steps are held, or no longer"),
            group,
            on(lambda c: c.held.switch_others()),
            "",
            can(lambda c: c.live is not None),
            translate("actions", "For the run that is shown"),
        ),
        make(
            "run.detach",
            translate("actions", "Detach from the run"),
            group,
            on(lambda c: c.held.detach()),
            "",
            can(lambda c: c.live is not None and not c.held.is_detached),
            translate("actions", "It goes on by itself: nothing is held any more, and no breakpoint counts"),
        ),
        make(
            "run.attach_again",
            translate("actions", "Attach to the run again"),
            group,
            on(lambda c: c.held.attach_again()),
            "",
            can(lambda c: c.held.is_detached),
            translate("actions", "Breakpoints hold it again"),
        ),
    ]


def several_runs_actions(window: "MainWindow") -> list[Action]:
    """What is done with several runs of a flow at once."""
    group = translate("actions", "Debug")
    on, can = on_controls(window)
    return [
        make(
            "run.next_run",
            translate("actions", "Show the next run that goes on"),
            group,
            on(lambda c: c.own.show_next()),
            "Ctrl+F5",
            can(lambda c: c.own.next is not None),
            translate("actions", "The buttons act on the run that is shown"),
        ),
        make(
            "run.continue_all",
            translate("actions", "Continue all runs"),
            group,
            on(lambda c: c.debugger.resume_all()),
            "Shift+F8",
            can(lambda c: bool(c.debugger.held)),
            translate("actions", "Go on in every run of this flow, until a breakpoint"),
        ),
        make(
            "run.hold_all",
            translate("actions", "Hold all runs"),
            group,
            on(lambda c: c.debugger.hold_all()),
            "Shift+F6",
            can(lambda c: len(c.debugger.runs) > 1),
            translate("actions", "Hold every run of this flow at its next step"),
        ),
        make(
            "run.stop_all",
            translate("actions", "Stop all runs"),
            group,
            on(lambda c: c.stop_all()),
            "",
            can(lambda c: len(c.debugger.runs) > 1),
            translate("actions", "Stop every run of this flow"),
        ),
    ]
