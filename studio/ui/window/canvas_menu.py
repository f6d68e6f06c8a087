"""What a right-click on the canvas offers: the actions that fit what was hit, with their keys."""

from PySide6.QtWidgets import QMenu, QWidget

from studio.ui.canvas.commands.catalog import all_commands
from studio.ui.canvas.commands.command import Command, Place
from studio.ui.window.actions.canvas import CANVAS
from studio.ui.window.actions.flows import ON_NODE
from studio.ui.window.menus import Menus

ON_STEP = ("run.to_here", "run.cancel_step", "run.from_here", "run.held_here")
"""Offered on a node besides, where it has a step that this can be done to."""
ON_GHOST = ("run.keep_part", "run.keep_parts", "view.fold_growth", "panel.tree")
"""Offered on what a step made as it went."""
ON_VALUE = ("run.origin",)
"""Offered where a value has passed."""


def canvas_menu(menus: Menus, hit: Place, parent: QWidget) -> QMenu:
    """Make the menu for what was hit: the commands that are offered there and can be done now."""
    menus.refresh()
    menu = QMenu(parent)
    if hit == "node":
        menu.addAction(menus.action("run.breakpoint"))
        menu.addAction(menus.action("run.break_when"))
    before: Command | None = None
    for command in all_commands():
        action = menus.action(f"{CANVAS}{command.name}") if command.group else None
        if action is None or hit not in command.offered_on or not action.isEnabled():
            continue
        if menu.actions() and (before is None or command.begins or command.group != before.group):
            menu.addSeparator()
        menu.addAction(action)
        before = command
    for names, places in (
        (ON_GHOST, {"ghost"}),
        (ON_NODE, {"node"}),
        (ON_STEP, {"node"}),
        (ON_VALUE, {"node", "wire"}),
    ):
        offered = [menus.action(name) for name in names if hit in places and menus.action(name).isEnabled()]
        if offered:
            if menu.actions():
                menu.addSeparator()
            menu.addActions(offered)
    return menu
