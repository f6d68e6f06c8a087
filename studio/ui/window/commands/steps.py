"""Going through a run: breakpoints, and steps over, into and out."""

from typing import TYPE_CHECKING

from studio.app.commands import Command
from studio.runtime.gates.step_mode import Stepping
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.runs.run_controls import RunControls

in_debug = Menu("debug")


def step_commands() -> "list[Command[RunControls]]":
    """What is done while a run is gone through."""
    return [
        in_debug(
            "run.step",
            "Step",
            lambda c: c.step(),
            "F10",
            lambda c: c.can_step_into_one or c.can_step,
            "Run one step; where no run goes on, start one that is paused at its first step",
            words="next over advance",
        ),
        in_debug(
            "run.into",
            "Step into",
            lambda c: c.step(Stepping.INTO),
            "F11",
            lambda c: c.can_step,
            "Step into a loop, a map, a called flow, or an agent's chats and tools",
            words="enter descend",
        ),
        in_debug(
            "run.out",
            "Step out",
            lambda c: c.step(Stepping.OUT),
            "Shift+F11",
            lambda c: c.can_step,
            "Step out of the loop, map, called flow or agent",
            words="leave return",
        ),
        in_debug(
            "run.continue",
            "Continue",
            lambda c: c.resume(),
            "F8",
            lambda c: c.is_held,
            "Run to the next breakpoint",
            words="resume release go on proceed",
        ),
    ]
