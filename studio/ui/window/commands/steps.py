"""Going through a run: breakpoints, and steps over, into and out."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command
from studio.runtime.gates.step_mode import Stepping

if TYPE_CHECKING:
    from studio.ui.window.runs.run_controls import RunControls

translate = QCoreApplication.translate


def step_commands() -> "list[Command[RunControls]]":
    """What is done while a run is gone through."""
    return [
        Command(
            "run.step",
            translate("actions", "Step"),
            "debug",
            lambda c: c.step(),
            "F10",
            lambda c: c.can_step_into_one or c.can_step,
            translate(
                "actions",
                "Run one step; where no run goes on, start one that is paused at its first step",
            ),
            words=translate("actions", "next over advance"),
        ),
        Command(
            "run.into",
            translate("actions", "Step into"),
            "debug",
            lambda c: c.step(Stepping.INTO),
            "F11",
            lambda c: c.can_step,
            translate("actions", "Step into a loop, a map, a called flow, or an agent's chats and tools"),
            words=translate("actions", "enter descend"),
        ),
        Command(
            "run.out",
            translate("actions", "Step out"),
            "debug",
            lambda c: c.step(Stepping.OUT),
            "Shift+F11",
            lambda c: c.can_step,
            translate("actions", "Step out of the loop, map, called flow or agent"),
            words=translate("actions", "leave return"),
        ),
        Command(
            "run.continue",
            translate("actions", "Continue"),
            "debug",
            lambda c: c.resume(),
            "F8",
            lambda c: c.is_held,
            translate("actions", "Run to the next breakpoint"),
            words=translate("actions", "resume release go on proceed"),
        ),
    ]
