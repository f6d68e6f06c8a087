"""What a right-click on the canvas offers: the commands that fit what was hit, with their keys."""

from PySide6.QtWidgets import QMenu, QWidget

from studio.app.commands import Commands, Offer
from studio.ui.canvas.commands.command import CANVAS, Place
from studio.ui.window.chrome.menus import Menus

_FIRST = "debug"
"""The menu whose commands of the canvas come first: breakpoints."""
_LAST = 2
"""The place of what the rest of the window does."""


def canvas_menu(commands: Commands, menus: Menus, hit: Place, parent: QWidget) -> QMenu:
    """Make the menu for what was hit: the commands that are offered there and can be done now.

    Breakpoints come first, and stand there grey where they can't be set; then what the canvas does, then what
    the rest of the window does.
    """
    menus.refresh()
    menu = QMenu(parent)
    before: Offer | None = None
    for one in sorted((one for one in commands if hit in one.command.offered_on), key=_place):
        if not menus.action(one.id).isEnabled() and _place(one) > 0:
            continue
        if before is not None and _is_apart(one, before):
            menu.addSeparator()
        menu.addAction(menus.action(one.id))
        before = one
    return menu


def _is_apart(one: Offer, before: Offer) -> bool:
    """Whether a line stands between two."""
    return _section(one) != _section(before) or (one.command.begins and _place(one) < _LAST)


def _section(one: Offer) -> tuple[int, str | None]:
    """What stands together: each menu's commands of the canvas; then what edits the flow; then all else."""
    place = _place(one)
    return place, one.menu if place < _LAST or one.menu == "edit" else None


def _place(one: Offer) -> int:
    if not one.id.startswith(CANVAS):
        return _LAST
    return 0 if one.menu == _FIRST else 1
