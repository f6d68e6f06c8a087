"""What is done with a run that is over: again, replayed, gone on with."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.front import Front
    from studio.ui.window.open_flow import OpenFlow

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
                "actions",
                "Edit its inputs, outputs or instructions, and see which steps run again and "
                "which are reused",
            ),
            offered_on=frozenset({"node"}),
            begins=True,
            words=translate("actions", "fork retry restart rerun checkpoint time travel"),
        ),
        Command(
            "run.held_here",
            translate("actions", "Run again, paused at the shown step"),
            "run",
            lambda flow: flow.controls.earlier.hold_here(),
            "Shift+F7",
            lambda flow: flow.controls.can_fork_here,
            translate("actions", "Same as before, but pauses there so that you can edit its inputs"),
            offered_on=frozenset({"node"}),
            words=translate("actions", "fork hold retry restart rerun"),
        ),
        Command(
            "run.replay",
            translate("actions", "Replay the shown run"),
            "run",
            lambda flow: flow.controls.replay_shown(),
            can=lambda flow: flow.controls.can_go_back,
            help=translate("actions", "Run it again from its recording, without calling any model"),
            words=translate("actions", "play recording again offline cassette"),
        ),
        Command(
            "run.go_on",
            translate("actions", "Resume the shown run"),
            "run",
            lambda flow: flow.controls.go_on_with_shown(),
            can=lambda flow: flow.controls.can_run and flow.controls.earlier.can_go_on,
            help=translate("actions", "Finished steps are kept; the rest run again"),
            words=translate("actions", "continue checkpoint restart"),
        ),
        Command(
            "run.take_over",
            translate("actions", "Apply the shown run's edits to the flow…"),
            "run",
            lambda flow: flow.fork_edits.ask(),
            can=lambda flow: flow.fork_edits.can_ask,
            help=translate("actions", "Edits made for a forked run; one undo reverts them"),
            words=translate("actions", "take over accept commit"),
        ),
        Command(
            "run.compare",
            translate("actions", "Compare the shown run with the previous one"),
            "run",
            lambda flow: flow.comparison.compare_with_before(),
            "Ctrl+F7",
            lambda flow: flow.comparison.can_compare,
            translate("actions", "With the run it was forked from, or the flow's last run"),
            words=translate("actions", "diff difference"),
        ),
        Command(
            "run.next_difference",
            translate("actions", "Next difference"),
            "run",
            lambda flow: flow.comparison.go(1),
            "Alt+N",
            lambda flow: flow.comparison.is_on,
            also=("Alt+F7",),
        ),
        Command(
            "run.difference_before",
            translate("actions", "Previous difference"),
            "run",
            lambda flow: flow.comparison.go(-1),
            "Alt+Shift+N",
            lambda flow: flow.comparison.is_on,
            also=("Alt+Shift+F7",),
        ),
        Command(
            "run.leave",
            translate("actions", "Close the old run"),
            "run",
            lambda flow: flow.controls.leave_old(),
            can=lambda flow: flow.shows_old,
            words=translate("actions", "hide back live"),
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
            help=translate("actions", "Select two runs in the list"),
            words=translate("actions", "diff difference"),
        ),
    ]
