"""The canvas's commands as actions of the window."""

from typing import TYPE_CHECKING

from studio.app.actions import Action
from studio.ui.canvas.commands.catalog import all_commands
from studio.ui.canvas.commands.command import Command, Group
from studio.ui.window.actions.making import make

if TYPE_CHECKING:
    from studio.ui.window.main_window import MainWindow

CANVAS = "canvas."
"""Actions whose ids begin so are commands of the canvas: menus name the key, the canvas itself hears it."""


def canvas_actions(window: "MainWindow", menu: Group, group: str) -> list[Action]:
    """The canvas's commands that stand in one menu, for the canvas in front."""

    def action_of(command: Command) -> Action:
        return make(
            f"{CANVAS}{command.name}",
            command.title,
            group,
            lambda: window.acts.run_on_canvas(command),
            command.shortcut,
            lambda: window.acts.can_on_canvas(command),
            command.help,
        )

    return [action_of(command) for command in all_commands() if command.group == menu]
