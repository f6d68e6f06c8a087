"""Where and when a run is to be held."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.actions import Action
from studio.ui.window.actions.making import make, on_front

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

translate = QCoreApplication.translate


def break_actions(window: "MainWindow") -> list[Action]:
    """What is done to breakpoints."""
    group = translate("actions", "Debug")

    on, can = on_front(window, lambda flow: flow.breaking)

    return [
        make(
            "run.breakpoint",
            translate("actions", "Breakpoint on the selected node"),
            group,
            window.acts.toggle_breakpoint,
            "F9",
            window.acts.has_selection,
            translate("actions", "Or at the port where the keyboard stands; again: off; again: gone"),
        ),
        make(
            "run.break_when",
            translate("actions", "Breakpoint with a condition…"),
            group,
            window.acts.edit_breakpoint,
            "Shift+F9",
            window.acts.has_selection,
            translate("actions", "Hold only where it is met, from some time on, or write a line instead"),
        ),
        make(
            "run.hold_when",
            translate("actions", "Hold when something happens…"),
            group,
            on(lambda one: one.ask_for_catch()),
            "",
            window.acts.has_flow,
            translate("actions", "An error, a tool call, a policy, the budget, a text in a message"),
        ),
        make(
            "run.breakpoints",
            translate("actions", "Go to the breakpoints"),
            group,
            on(lambda one: one.show_list()),
            "Ctrl+F9",
            window.acts.has_flow,
        ),
        make(
            "run.breakpoints_off",
            translate("actions", "Switch all breakpoints off, or on"),
            group,
            on(lambda one: one.part.switch_all()),
            "",
            can(lambda one: one.has_some),
        ),
        make(
            "run.breakpoints_clear",
            translate("actions", "Remove all breakpoints"),
            group,
            on(lambda one: one.part.clear()),
            "",
            can(lambda one: one.has_some),
        ),
    ]
