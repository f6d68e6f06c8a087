"""Where and when a run is to be held."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.app.commands import Command

if TYPE_CHECKING:
    from studio.ui.window.canvas_marks.breakpoints import FlowBreakpoints

translate = QCoreApplication.translate


def breakpoint_commands() -> "list[Command[FlowBreakpoints]]":
    """What is done to breakpoints."""
    return [
        Command(
            "run.hold_when",
            translate("actions", "Pause on an event…"),
            "debug",
            lambda one: one.ask_for_catch(),
            help=translate(
                "actions", "On an error, a tool call, a policy decision, a budget limit, or text in a message"
            ),
            words=translate("actions", "hold break error condition event stop"),
        ),
        Command(
            "run.breakpoints",
            translate("actions", "Go to breakpoints"),
            "debug",
            lambda one: one.show_list(),
            "Ctrl+F9",
            words=translate("actions", "list debug"),
        ),
        Command(
            "run.breakpoints_off",
            translate("actions", "Disable or enable all breakpoints"),
            "debug",
            lambda one: one.part.switch_all(),
            can=lambda one: one.has_some,
            words=translate("actions", "mute skip"),
        ),
        Command(
            "run.breakpoints_clear",
            translate("actions", "Remove all breakpoints"),
            "debug",
            lambda one: one.part.clear(),
            can=lambda one: one.has_some,
            words=translate("actions", "delete"),
        ),
    ]
