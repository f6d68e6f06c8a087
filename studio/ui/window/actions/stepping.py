"""Going through a run: breakpoints, and steps over, into and out."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.runtime.stepping import Stepping
from studio.ui.window.actions.making import make, on_controls

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def step_actions(window: "MainWindow") -> list[Action]:
    """What is done while a run is gone through."""
    group = translate("actions", "Debug")
    on, can = on_controls(window)
    return [
        make(
            "run.step",
            translate("actions", "Step"),
            group,
            on(lambda c: c.step()),
            "F10",
            can(lambda c: c.can_step_into_one or c.can_step),
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
    ]
