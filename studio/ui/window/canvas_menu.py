"""What a right-click on the canvas offers: the actions that fit what was hit, with their keys."""

from PySide6.QtWidgets import QMenu, QWidget

from studio.ui.window.menus import Menus

ON_NODE = (
    ("run.breakpoint",),
    ("canvas.cut", "canvas.copy", "canvas.duplicate", "canvas.delete"),
    ("canvas.mute", "canvas.bypass"),
    ("canvas.frame",),
)
ON_WIRE = (("canvas.delete",),)
ON_NOTHING = (("canvas.add",), ("canvas.paste", "canvas.all"), ("canvas.fit",))
OFFERED = {"node": ON_NODE, "wire": ON_WIRE, "nothing": ON_NOTHING}
"""By what was hit: groups of actions, between which stands a line."""


def canvas_menu(menus: Menus, hit: str, parent: QWidget) -> QMenu:
    """Make the menu for what was hit: `node`, `wire` or `nothing`."""
    menus.refresh()
    menu = QMenu(parent)
    for group in OFFERED[hit]:
        if menu.actions():
            menu.addSeparator()
        for name in group:
            menu.addAction(menus.action(name))
    return menu
