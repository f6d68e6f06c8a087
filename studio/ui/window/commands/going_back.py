"""What is done with a run that is over: again, replayed, gone on with."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.front import Front
    from studio.ui.window.tabs import OpenFlow

translate = QCoreApplication.translate


def going_back_commands() -> "list[Command[OpenFlow]]":
    """What is done with a run that is over."""
    return [
        Command(
            "run.from_here",
            translate("actions", "Run again from the shown step…"),
            "run",
            lambda flow: flow.controls.earlier.ask_again_here(),
            "F7",
            lambda flow: flow.controls.can_fork_here,
            translate(
                "actions", "Edit what it reads, gives or is told, and see what runs again and what is reused"
            ),
            offered_on=frozenset({"node"}),
            begins=True,
        ),
        Command(
            "run.held_here",
            translate("actions", "Run again, held at the shown step"),
            "run",
            lambda flow: flow.controls.earlier.hold_here(),
            "Shift+F7",
            lambda flow: flow.controls.can_fork_here,
            translate("actions", "As before, and hold there, so that its inputs can be edited"),
            offered_on=frozenset({"node"}),
        ),
        Command(
            "run.replay",
            translate("actions", "Replay the shown run"),
            "run",
            lambda flow: flow.controls.replay_shown(),
            can=lambda flow: flow.controls.can_go_back,
            help=translate("actions", "Execute it again from its recording, asking nobody"),
        ),
        Command(
            "run.go_on",
            translate("actions", "Go on with the shown run"),
            "run",
            lambda flow: flow.controls.go_on_with_shown(),
            can=lambda flow: flow.controls.can_run and flow.controls.earlier.can_go_on,
            help=translate("actions", "What it finished is kept; the rest is begun again"),
        ),
        Command(
            "run.take_over",
            translate("actions", "Take the shown run's edits into the flow…"),
            "run",
            lambda flow: flow.taking_over.ask(),
            can=lambda flow: flow.taking_over.can_ask,
            help=translate(
                "actions", "What was edited for a run that goes back to another one; one step to undo"
            ),
        ),
        Command(
            "run.compare",
            translate("actions", "Compare the shown run with the one before"),
            "run",
            lambda flow: flow.comparing.compare_with_before(),
            "Ctrl+F7",
            lambda flow: flow.comparing.can_compare,
            translate("actions", "With the run that it goes back to, or the last one of the flow"),
        ),
        Command(
            "run.next_difference",
            translate("actions", "Next step that differs"),
            "run",
            lambda flow: flow.comparing.go(1),
            "Alt+N",
            lambda flow: flow.comparing.is_on,
            also=("Alt+F7",),
        ),
        Command(
            "run.difference_before",
            translate("actions", "Step before that differs"),
            "run",
            lambda flow: flow.comparing.go(-1),
            "Alt+Shift+N",
            lambda flow: flow.comparing.is_on,
            also=("Alt+Shift+F7",),
        ),
        Command(
            "run.leave",
            translate("actions", "Leave the old run"),
            "run",
            lambda flow: flow.controls.leave_old(),
            can=lambda flow: flow.shows_old,
        ),
    ]


def compare_commands() -> "list[Command[Front]]":
    """What is done with two runs that are selected in the list."""
    return [
        Command(
            "run.compare_selected",
            translate("actions", "Compare the two selected runs"),
            "run",
            lambda acts: acts.compare_selected(),
            can=lambda acts: acts.can_compare_selected(),
            help=translate("actions", "Select two in the list of runs"),
        ),
    ]
