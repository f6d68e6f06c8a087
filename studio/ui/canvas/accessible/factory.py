"""Has Qt ask for what screen readers are told of a canvas; imports the canvas only once there is one."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface

if TYPE_CHECKING:
    from studio.ui.canvas.accessible.canvas import AccessibleCanvas

_MADE: "dict[int, AccessibleCanvas]" = {}
"""Kept for as long as their canvases live: Qt holds them by address alone."""


def make_canvas_accessible() -> None:
    """Tell Qt of canvases; for the whole application, and once."""
    QAccessible.installFactory(_made_for)


def _made_for(key: str, thing: QObject) -> QAccessibleInterface | None:
    if key != "CanvasView":  # Qt asks with the name of the thing's class, and of each that it inherits
        return None
    from studio.ui.canvas.accessible.canvas import AccessibleCanvas
    from studio.ui.canvas.view import CanvasView

    assert isinstance(thing, CanvasView)  # noqa: S101  # no other class has the name
    made, place = AccessibleCanvas(thing), id(thing)
    _MADE[place] = made
    thing.destroyed.connect(lambda: _MADE.pop(place, None))
    return made
