"""Where and when a run is to be held."""

from typing import TYPE_CHECKING

from studio.app.commands import Command
from studio.ui.command_table import Menu

if TYPE_CHECKING:
    from studio.ui.window.canvas_marks.breakpoints import FlowBreakpoints

in_debug = Menu("debug")


def breakpoint_commands() -> "list[Command[FlowBreakpoints]]":
    """What is done to breakpoints."""
    return [
        in_debug(
            "run.hold_when",
            "Pause on an event…",
            lambda one: one.ask_for_catch(),
            help="On an error, a tool call, a policy decision, a budget limit, or text in a message",
            words="hold break error condition event stop",
        ),
        in_debug(
            "run.breakpoints", "Go to breakpoints", lambda one: one.show_list(), "Ctrl+F9", words="list debug"
        ),
        in_debug(
            "run.breakpoints_off",
            "Disable or enable all breakpoints",
            lambda one: one.part.switch_all(),
            can=lambda one: one.has_some,
            words="mute skip",
        ),
        in_debug(
            "run.breakpoints_clear",
            "Remove all breakpoints",
            lambda one: one.part.clear(),
            can=lambda one: one.has_some,
            words="delete",
        ),
    ]
