"""What is done with a run that is over: again, replayed, gone on with."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.making import make, on_controls

if TYPE_CHECKING:
    from studio.ui.window.comparing import Comparing
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def going_back_actions(window: "MainWindow") -> list[Action]:
    """What is done with a run that is over."""
    group = translate("actions", "Run")
    on, can = on_controls(window)

    def with_comparing(act: "Callable[[Comparing], None]") -> None:
        if window.front is not None:
            act(window.front.comparing)
            window.bridge.wake()

    def take_over() -> None:
        if window.front is not None:
            window.front.taking_over.ask()
            window.bridge.wake()

    def compare_selected() -> None:
        pair = window.runs.pair
        if pair is not None:
            with_comparing(lambda one: one.compare(*pair))

    return [
        make(
            "run.from_here",
            translate("actions", "Run again from the shown step…"),
            group,
            on(lambda c: c.earlier.ask_again_here()),
            "F7",
            can(lambda c: c.can_fork_here),
            translate(
                "actions", "Edit what it reads, gives or is told, and see what runs again and what is reused"
            ),
        ),
        make(
            "run.held_here",
            translate("actions", "Run again, held at the shown step"),
            group,
            on(lambda c: c.earlier.hold_here()),
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
            "run.take_over",
            translate("actions", "Take the shown run's edits into the flow…"),
            group,
            take_over,
            "",
            lambda: window.front is not None and window.front.taking_over.can_ask,
            translate("actions", "What was edited for a run that goes back to another one; one step to undo"),
        ),
        make(
            "run.compare",
            translate("actions", "Compare the shown run with the one before"),
            group,
            lambda: with_comparing(lambda one: one.compare_with_before()),
            "Ctrl+F7",
            lambda: window.front is not None and window.front.comparing.can_compare,
            translate("actions", "With the run that it goes back to, or the last one of the flow"),
        ),
        make(
            "run.compare_selected",
            translate("actions", "Compare the two selected runs"),
            group,
            compare_selected,
            "",
            lambda: window.front is not None and window.runs.pair is not None,
            translate("actions", "Select two in the list of runs"),
        ),
        make(
            "run.next_difference",
            translate("actions", "Next step that differs"),
            group,
            lambda: with_comparing(lambda one: one.go(1)),
            "Alt+N",
            lambda: window.front is not None and window.front.comparing.is_on,
        ),
        make(
            "run.difference_before",
            translate("actions", "Step before that differs"),
            group,
            lambda: with_comparing(lambda one: one.go(-1)),
            "Alt+Shift+N",
            lambda: window.front is not None and window.front.comparing.is_on,
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
