"""Fingers on the canvas: one drags what it touches or else the paper, two move and zoom the paper."""

from collections.abc import Callable
from math import hypot

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QMouseEvent, QTouchEvent
from PySide6.QtWidgets import QApplication, QWidget

from studio.ui.canvas.board import Board
from studio.ui.canvas.hand.viewport import Looking
from studio.ui.canvas.hits import Target

SLACK = 10.0
"""Widget points that a finger may tremble during a tap."""
HOLD = 550
"""Milliseconds after which a finger that rests asks for the menu."""
_PAPER = {Target.NOTHING, Target.AREA, Target.WIRE, Target.GHOST}


class Touch(QObject):
    """Tells the canvas what one finger does as if it were the mouse, and moves the paper by two."""

    def __init__(self, canvas: QWidget, board: Board, looking: Looking, let_go: Callable[[], bool]) -> None:
        super().__init__(canvas)
        self._canvas, self._board, self._looking, self._let_go = canvas, board, looking, let_go
        self._from = self._at = QPointF()
        self._button = Qt.MouseButton.NoButton
        self._keys = Qt.KeyboardModifier.NoModifier
        self._is_tap = False
        self._fingers: tuple[QPointF, float] | None = None
        self._tapped_at: QPointF | None = None
        self.resting = QTimer(self, singleShot=True, interval=HOLD)
        self.resting.timeout.connect(self._ask_menu)
        self._between = QTimer(self, singleShot=True)
        canvas.setAttribute(Qt.WidgetAttribute.WA_AcceptTouchEvents)
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take what fingers do."""
        if not isinstance(event, QTouchEvent):
            return super().eventFilter(watched, event)
        self._keys = event.modifiers()
        points = [self._canvas.mapFromGlobal(point.globalPosition()) for point in event.points()]
        if event.type() == QEvent.Type.TouchCancel:
            self._give_up()
        elif event.type() == QEvent.Type.TouchEnd:
            self._end()
        elif len(points) > 1:
            self._spread(points[0], points[1])
        elif event.type() == QEvent.Type.TouchBegin:
            self._begin(points[0])
        elif self._fingers is None:
            self._move(points[0])
        event.accept()
        return True

    def _begin(self, at: QPointF) -> None:
        self._from = self._at = at
        self._is_tap = True
        self.resting.start()

    def _move(self, at: QPointF) -> None:
        self._at = at
        if self._is_tap:
            if hypot(at.x() - self._from.x(), at.y() - self._from.y()) <= SLACK:
                return
            self._is_tap = False
            self.resting.stop()
            hit = self._board.hit(self._from.x(), self._from.y())
            is_paper = hit.target in _PAPER
            self._button = Qt.MouseButton.MiddleButton if is_paper else Qt.MouseButton.LeftButton
            self._send(QEvent.Type.MouseButtonPress, self._from)
        if self._button != Qt.MouseButton.NoButton:
            self._send(QEvent.Type.MouseMove, at)

    def _spread(self, one: QPointF, other: QPointF) -> None:
        """Keep what is under the fingers under them."""
        middle, width = (one + other) / 2, max(1.0, hypot(one.x() - other.x(), one.y() - other.y()))
        if self._fingers is None:
            self._give_up()
        else:
            before, breadth = self._fingers
            moved = self._board.camera.panned(middle.x() - before.x(), middle.y() - before.y())
            self._looking.look(moved.zoomed(width / breadth, middle.x(), middle.y()))
        self._fingers = middle, width

    def _end(self) -> None:
        self.resting.stop()
        if self._fingers is None and self._button != Qt.MouseButton.NoButton:
            self._send(QEvent.Type.MouseButtonRelease, self._at)
        elif self._fingers is None and self._is_tap:
            self._tap()
        self._button, self._is_tap, self._fingers = Qt.MouseButton.NoButton, False, None

    def _tap(self) -> None:
        """A click; the second of two quick ones on a place, a double click."""
        self._button = Qt.MouseButton.LeftButton
        last = self._tapped_at if self._between.isActive() else None
        if last is not None and (last - self._from).manhattanLength() <= 2 * SLACK:
            self._tapped_at = None
            self._send(QEvent.Type.MouseButtonDblClick, self._from)
            return
        self._tapped_at = self._from
        self._between.start(QGuiApplication.styleHints().mouseDoubleClickInterval())
        self._send(QEvent.Type.MouseButtonPress, self._from)
        self._send(QEvent.Type.MouseButtonRelease, self._from)

    def _give_up(self) -> None:
        """Put back what one finger was doing."""
        self.resting.stop()
        self._let_go()
        self._button, self._is_tap, self._fingers = Qt.MouseButton.NoButton, False, None

    def _ask_menu(self) -> None:
        self._is_tap = False
        at = self._from.toPoint()
        reason = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(self._canvas, QContextMenuEvent(reason, at, self._canvas.mapToGlobal(at)))

    def _send(self, kind: QEvent.Type, at: QPointF) -> None:
        none = Qt.MouseButton.NoButton
        button = none if kind is QEvent.Type.MouseMove else self._button
        held = none if kind is QEvent.Type.MouseButtonRelease else self._button
        place = QPointF(self._canvas.mapToGlobal(at.toPoint()))
        QApplication.sendEvent(self._canvas, QMouseEvent(kind, at, place, button, held, self._keys))
