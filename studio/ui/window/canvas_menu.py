"""What a right-click on the canvas offers: the actions that fit what was hit, with their keys."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from studio.app.breakpoints import Breakpoints, place_parts
from studio.ui.canvas.commands.catalog import all_commands
from studio.ui.canvas.commands.command import Command, Place
from studio.ui.slots import of_flag
from studio.ui.window.actions.canvas import CANVAS
from studio.ui.window.actions.flows import ON_NODE
from studio.ui.window.menus import Menus

ON_STEP = ("run.cancel_step", "run.from_here", "run.held_here")
"""Offered on a node besides, where it has a step that this can be done to."""
ON_VALUE = ("run.origin",)
"""Offered where a value has passed."""


def port_menu(breakpoints: Breakpoints, place: str, parent: QWidget, *, is_output: bool) -> QMenu:
    """Make the menu for a port, `node.port`: whether a run is held when a value is there."""
    menu = QMenu(parent)
    said = menu.tr("Break when this value leaves") if is_output else menu.tr("Break when this value arrives")
    action = menu.addAction(said)
    action.setCheckable(True)
    action.setChecked(breakpoints.state(place) is True)
    action.toggled.connect(of_flag(lambda is_on: breakpoints.set(place, state=is_on or None)))
    return menu


def add_call_breakpoints(menu: QMenu, breakpoints: Breakpoints, places: Sequence[str]) -> None:
    """Offer below what a node's menu has whether a run is held at the calls that the node makes."""
    if not places:
        return
    inner = menu.addMenu(menu.tr("Break at its calls"))
    for place in places:
        _, call, port = place_parts(place)
        before, after = (
            (menu.tr("Before each chat"), menu.tr("After each chat"))
            if call == "chat"
            else (menu.tr("Before each tool call"), menu.tr("After each tool call"))
        )
        action = inner.addAction(after if port else before)
        action.setCheckable(True)
        action.setChecked(breakpoints.state(place) is True)
        action.toggled.connect(of_flag(partial(_switch, breakpoints, place)))


def _switch(breakpoints: Breakpoints, place: str, is_on: bool) -> None:  # noqa: FBT001  # a slot
    breakpoints.set(place, state=is_on or None)


def canvas_menu(menus: Menus, hit: Place, parent: QWidget) -> QMenu:
    """Make the menu for what was hit: the commands that are offered there and can be done now."""
    menus.refresh()
    menu = QMenu(parent)
    if hit == "node":
        menu.addAction(menus.action("run.breakpoint"))
    before: Command | None = None
    for command in all_commands():
        action = menus.action(f"{CANVAS}{command.name}") if command.group else None
        if action is None or hit not in command.offered_on or not action.isEnabled():
            continue
        if menu.actions() and (before is None or command.begins or command.group != before.group):
            menu.addSeparator()
        menu.addAction(action)
        before = command
    for names, places in ((ON_NODE, {"node"}), (ON_STEP, {"node"}), (ON_VALUE, {"node", "wire"})):
        offered = [menus.action(name) for name in names if hit in places and menus.action(name).isEnabled()]
        if offered:
            menu.addSeparator()
            menu.addActions(offered)
    return menu
