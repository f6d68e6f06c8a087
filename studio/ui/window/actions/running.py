"""What is done to a run."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.runtime.gate import Stepping
from studio.ui.window.actions.making import Can, Run, make
from studio.ui.window.run_controls import RunControls

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def run_actions(window: "MainWindow") -> list[Action]:
    """What is done to a run."""
    group = translate("actions", "Run")

    def on(act: Callable[[RunControls], None]) -> Run:
        return lambda: window.acts.with_controls(act)

    def can(ask: Callable[[RunControls], bool]) -> Can:
        return lambda: window.acts.asks_controls(ask)

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
            "run.hold",
            translate("actions", "Hold"),
            group,
            on(lambda c: c.hold()),
            "F6",
            can(lambda c: c.can_hold),
            translate("actions", "Hold at the next step"),
        ),
        make(
            "run.step",
            translate("actions", "Step"),
            group,
            on(lambda c: c.step()),
            "F10",
            can(lambda c: c.can_run or c.can_step),
            translate("actions", "One step on; with no run, start one that is held at once"),
        ),
        make(
            "run.into",
            translate("actions", "Into"),
            group,
            on(lambda c: c.step(Stepping.INTO)),
            "F11",
            can(lambda c: c.can_step),
            translate("actions", "Step into a loop, a map, a called flow, or an agent's chats and tools"),
        ),
        make(
            "run.out",
            translate("actions", "Out"),
            group,
            on(lambda c: c.step(Stepping.OUT)),
            "Shift+F11",
            can(lambda c: c.can_step),
            translate("actions", "Step out of the loop, map, called flow or agent"),
        ),
        make(
            "run.continue",
            translate("actions", "Continue"),
            group,
            on(lambda c: c.resume()),
            "F8",
            can(lambda c: c.is_held),
            translate("actions", "Go on until a breakpoint"),
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
        make(
            "run.breakpoint",
            translate("actions", "Breakpoint on the selected node"),
            group,
            window.acts.toggle_breakpoint,
            "F9",
            window.acts.has_selection,
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
            "run.from_here",
            translate("actions", "Run again from the shown step"),
            group,
            on(lambda c: c.earlier.fork_here()),
            "F7",
            can(lambda c: c.can_fork_here),
            translate("actions", "Do again what depends on it, with the flow as it is now; reuse the rest"),
        ),
        make(
            "run.held_here",
            translate("actions", "Run again, held at the shown step"),
            group,
            on(lambda c: c.earlier.fork_here(hold=True)),
            "Shift+F7",
            can(lambda c: c.can_fork_here),
            translate("actions", "As before, and hold there, so that its inputs can be edited"),
        ),
        make(
            "run.replay",
            translate("actions", "Replay the shown run"),
            group,
            on(lambda c: c.replay_shown()),
            "",
            can(lambda c: c.can_go_back),
            translate("actions", "Execute it again from its recording, asking nobody"),
        ),
        make(
            "run.go_on",
            translate("actions", "Go on with the shown run"),
            group,
            on(lambda c: c.go_on_with_shown()),
            "",
            can(lambda c: c.can_run and c.earlier.can_go_on),
            translate("actions", "What it finished is kept; the rest is begun again"),
        ),
        make(
            "run.leave",
            translate("actions", "Leave the old run"),
            group,
            on(lambda c: c.leave_old()),
            "",
            window.acts.shows_old_run,
        ),
    ]
