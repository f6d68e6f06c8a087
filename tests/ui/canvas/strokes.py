"""Strokes of the mouse with keys held, event by event."""

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from tests.ui.canvas.conftest import Hand

NONE = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier


def press(h: Hand, at: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    _send(h, QEvent.Type.MouseButtonPress, at, keys)


def move(h: Hand, at: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    _send(h, QEvent.Type.MouseMove, at, keys)


def release(h: Hand, at: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    _send(h, QEvent.Type.MouseButtonRelease, at, keys)


def hold(h: Hand, start: QPoint, end: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    """Press, and drag without letting go."""
    press(h, start, keys)
    for share in (0.25, 0.5, 0.75, 1.0):
        move(h, start + (end - start) * share, keys)


def stroke(h: Hand, start: QPoint, end: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    """Press, drag, let go."""
    hold(h, start, end, keys)
    release(h, end, keys)


def wheel(h: Hand, at: QPointF, delta: int = 120, keys: Qt.KeyboardModifier = NONE) -> None:
    """Turn the wheel of a mouse; a notch is 120."""
    event = QWheelEvent(
        at, at, QPoint(), QPoint(0, delta), Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(h.view, event)


def _send(h: Hand, kind: QEvent.Type, at: QPoint, keys: Qt.KeyboardModifier) -> None:
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    button = none if kind is QEvent.Type.MouseMove else left
    held = none if kind is QEvent.Type.MouseButtonRelease else left
    place = QPointF(h.view.mapToGlobal(at))
    QApplication.sendEvent(h.view, QMouseEvent(kind, QPointF(at), place, button, held, keys))
