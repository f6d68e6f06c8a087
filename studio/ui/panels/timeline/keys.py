"""What keys do in the timeline."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from studio.ui.panels.timeline.view import TimelineView

KEY_ZOOM = 1.5
KEY_PAN = 80
"""Pixels that Alt and an arrow move everything."""
_ALONG = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_ACROSS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


def press_key(view: TimelineView, event: QKeyEvent) -> bool:
    """Do what a key says; gives whether it says anything.

    Arrows go from bar to bar and from lane to lane, Enter chooses. With Shift they choose a part of the run,
    with Ctrl the playhead goes from event to event, with Alt everything is moved. + and - zoom, Home shows
    all, End and Escape lead back to how the run is now.
    """
    key, held = Qt.Key(event.key()), event.modifiers()
    if key in _ALONG:
        _go_along(view, _ALONG[key], held)
        return True
    if key in _ACROSS:
        view.step_across(_ACROSS[key])
        return True
    match key:
        case Qt.Key.Key_Return | Qt.Key.Key_Enter:
            view.choose()
        case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
            view.zoom(KEY_ZOOM)
        case Qt.Key.Key_Minus:
            view.zoom(1 / KEY_ZOOM)
        case Qt.Key.Key_Home | Qt.Key.Key_F:
            view.follow()
        case Qt.Key.Key_End:
            view.moment_asked.emit(None)
        case Qt.Key.Key_Escape:
            return _leave(view)
        case _:
            return False
    return True


def _go_along(view: TimelineView, direction: int, held: Qt.KeyboardModifier) -> None:
    if held & Qt.KeyboardModifier.ControlModifier:
        view.moment_stepped.emit(direction)
    elif held & Qt.KeyboardModifier.AltModifier:
        view.pan(-direction * KEY_PAN, 0)
    else:
        view.step_along(direction, grows=bool(held & Qt.KeyboardModifier.ShiftModifier))


def _leave(view: TimelineView) -> bool:
    """Leave the chosen part, then the moment; gives whether there was anything to leave."""
    if view.chosen is not None:
        view.choose_part(None)
    elif view.moment is not None:
        view.moment_asked.emit(None)
    else:
        return False
    return True
