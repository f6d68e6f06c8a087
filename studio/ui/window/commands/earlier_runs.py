"""What is done with a run that is over: again, replayed, gone on with."""

from typing import TYPE_CHECKING

from studio.app.commands import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.front import Front
    from studio.ui.window.open_flow import OpenFlow

in_run = Menu("run")


def going_back_commands() -> "list[Command[OpenFlow]]":
    """What is done with a run that is over."""
    return [
        in_run(
            "run.from_here",
            "Run again from the shown step…",
            lambda flow: flow.controls.earlier.ask_again_here(),
            "F7",
            lambda flow: flow.controls.can_fork_here,
            "Edit its inputs, outputs or instructions, and see which steps run again and which are reused",
            words="fork retry restart rerun checkpoint time travel",
            on={"node"},
            begins=True,
        ),
        in_run(
            "run.held_here",
            "Run again, paused at the shown step",
            lambda flow: flow.controls.earlier.hold_here(),
            "Shift+F7",
            lambda flow: flow.controls.can_fork_here,
            "Same as before, but pauses there so that you can edit its inputs",
            words="fork hold retry restart rerun",
            on={"node"},
        ),
        in_run(
            "run.replay",
            "Replay the shown run",
            lambda flow: flow.controls.replay_shown(),
            can=lambda flow: flow.controls.can_go_back,
            help="Run it again from its recording, without calling any model",
            words="play recording again offline cassette",
        ),
        in_run(
            "run.go_on",
            "Resume the shown run",
            lambda flow: flow.controls.go_on_with_shown(),
            can=lambda flow: flow.controls.can_run and flow.controls.earlier.can_go_on,
            help="Finished steps are kept; the rest run again",
            words="continue checkpoint restart",
        ),
        in_run(
            "run.take_over",
            "Apply the shown run's edits to the flow…",
            lambda flow: flow.fork_edits.ask(),
            can=lambda flow: flow.fork_edits.can_ask,
            help="Edits made for a forked run; one undo reverts them",
            words="take over accept commit",
        ),
        *_difference_commands(),
    ]


def _difference_commands() -> "list[Command[OpenFlow]]":
    """What differs from another run, and the way back from an old one."""
    return [
        in_run(
            "run.compare",
            "Compare the shown run with the previous one",
            lambda flow: flow.comparison.compare_with_before(),
            "Ctrl+F7",
            lambda flow: flow.comparison.can_compare,
            "With the run it was forked from, or the flow's last run",
            words="diff difference",
        ),
        in_run(
            "run.next_difference",
            "Next difference",
            lambda flow: flow.comparison.go(1),
            "Alt+N",
            lambda flow: flow.comparison.is_on,
            also=("Alt+F7",),
        ),
        in_run(
            "run.difference_before",
            "Previous difference",
            lambda flow: flow.comparison.go(-1),
            "Alt+Shift+N",
            lambda flow: flow.comparison.is_on,
            also=("Alt+Shift+F7",),
        ),
        in_run(
            "run.leave",
            "Close the old run",
            lambda flow: flow.controls.leave_old(),
            can=lambda flow: flow.shows_old,
            words="hide back live",
        ),
    ]


def compare_commands() -> "list[Command[Front]]":
    """What is done with two runs that are selected in the list."""
    return [
        in_run(
            "run.compare_selected",
            "Compare the two selected runs",
            lambda acts: acts.compare_selected(),
            can=lambda acts: acts.can_compare_selected(),
            help="Select two runs in the list",
            words="diff difference",
        ),
    ]
