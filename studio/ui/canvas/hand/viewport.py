"""Where the canvas is looked at from: fitting, revealing, zooming, by wheel, trackpad and keys."""

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QNativeGestureEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import Camera, fitted
from studio.ui.canvas.hand.zoom_glide import Gliding
from studio.ui.canvas.sight import View

CRISP_AFTER = 90
"""Milliseconds of rest after which what was zoomed is drawn crisp."""
LEAST = 200
"""Widget points of width from which a canvas is looked at."""
ZOOM_NOTCH = 2 ** (1 / 4)


class Looking(QObject):
    """Moves the camera of one canvas; implements `Sight`."""

    def __init__(self, canvas: QWidget, board: Board) -> None:
        super().__init__(canvas)
        self._canvas, self._board = canvas, board
        self._stays_fitted = True
        self._rests = self._is_late = self._is_in_hand = False
        self._pointed = QPointF()
        self._crisp = QTimer(self, singleShot=True, interval=CRISP_AFTER)
        self._crisp.timeout.connect(canvas.update)
        duration = round(board.style.theme.number("motion.normal"))
        self.gliding = Gliding(board, self._glide, duration, self)
        canvas.installEventFilter(self)

    @property
    def is_zooming(self) -> bool:
        """Whether a hand zooms just now, so that a picture may be stretched instead of drawn."""
        return self._crisp.isActive()

    def view(self) -> View:
        """What is seen just now."""
        canvas = self._canvas
        self._board.ratio = canvas.devicePixelRatioF()
        return View(self._board.camera, canvas.width(), canvas.height(), self._board.ratio)

    def fit(self, nodes: Iterable[NodeId] | None = None) -> None:
        """Look at all of these nodes, or of the whole flow."""
        extent = self._board.scene.extent(nodes)
        ghosts = self._board.cards.ghosts.extent() if nodes is None else None
        if extent is not None and ghosts is not None:
            extent = extent.united(ghosts)
        if extent is not None:
            self.look(fitted(extent, self._canvas.width(), self._canvas.height()))
            self._stays_fitted = nodes is None

    def stay_fitted(self) -> None:
        """Look at the whole flow anew, grown just now, unless somebody looked elsewhere by then."""
        if self._stays_fitted and self._canvas.width() > LEAST:
            self.fit()

    def fit_opened(self) -> None:
        """Look at all of a flow opened just now, unless a hand is on it already: then as the hand leaves."""
        if self._stays_fitted and self._canvas.width() > LEAST:
            self._fit_past_hand()

    def slide(self, dx: float, dy: float) -> None:
        """Move the paper so many points against a canvas that moved, so that all stays on the screen."""
        fitted_before = self._stays_fitted
        if fitted_before and not self._is_in_hand:
            return  # it is fitted anew
        self.look(self._board.camera.panned(dx, dy))
        self._stays_fitted = self._rests = fitted_before

    def reveal(self, node: NodeId) -> None:
        """Move just far enough that a node is in view."""
        if node not in self._board.scene.row:
            return
        rect, camera = self._board.scene.rect(node).grown(24), self._board.camera
        seen = camera.seen(self._canvas.width(), self._canvas.height())
        dx = max(seen.x - rect.x, 0) or min(seen.right - rect.right, 0)
        dy = max(seen.y - rect.y, 0) or min(seen.bottom - rect.bottom, 0)
        if dx or dy:
            self.look(camera.panned(dx * camera.scale, dy * camera.scale))

    def centre(self, x: float, y: float) -> None:
        """Bring a scene point to the middle."""
        camera = self._board.camera
        at_x, at_y = camera.to_widget(x, y)
        self.look(camera.panned(self._canvas.width() / 2 - at_x, self._canvas.height() / 2 - at_y))

    def zoom_in(self) -> None:
        """Come nearer, about the middle."""
        self._glide_on(ZOOM_NOTCH, self._canvas.rect().center().toPointF())

    def zoom_out(self) -> None:
        """Go farther away, about the middle."""
        self._glide_on(1 / ZOOM_NOTCH, self._canvas.rect().center().toPointF())

    def zoom(self, factor: float, at: QPointF) -> None:
        """Come so many times nearer; what is at the widget point stays there."""
        self.look(self._board.camera.zoomed(factor, at.x(), at.y()))
        self._crisp.start()

    def look(self, camera: Camera) -> None:
        """Look from another place; the flow does not stay fitted into the widget."""
        self.gliding.stop()
        self._show(camera)

    def _glide_on(self, factor: float, at: QPointF) -> None:
        self._stays_fitted = False  # from now on, not from the first step that is seen
        self.gliding.zoom(factor, at)

    def _glide(self, camera: Camera) -> None:
        self._show(camera)
        self._crisp.start()

    def _show(self, camera: Camera) -> None:
        self._stays_fitted = False
        self._board.camera = camera.snapped(self._canvas.devicePixelRatioF())
        self._canvas.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wheel, trackpad, pinch; and keep the whole flow in view until a person looks elsewhere."""
        if isinstance(event, QWheelEvent):
            self._wheel(event)
            return True
        if (
            isinstance(event, QNativeGestureEvent)
            and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture
        ):
            self.zoom(1 + event.value(), event.position())
            return True
        if isinstance(event, QMouseEvent):
            self._note_hand(event)
        if isinstance(event, QResizeEvent) and self._rests:
            self._rests, self._is_late = False, True
        elif self._stays_fitted and self._is_to_fit(event):
            self._fit_past_hand()
        return super().eventFilter(watched, event)

    def _fit_past_hand(self) -> None:
        self._is_late = self._is_in_hand and self._canvas.underMouse()
        if not self._is_late:
            self.fit()

    def _note_hand(self, event: QMouseEvent) -> None:
        """Tell a hand from a pointer that a window opened under, of which Qt says that it moved there."""
        at, before = event.globalPosition(), self._pointed
        self._pointed = at
        self._is_in_hand |= event.type() != QEvent.Type.MouseMove or not (before.isNull() or at == before)

    def _is_to_fit(self, event: QEvent) -> bool:
        """Whether a flow that stays fitted is to be so anew: at once, or as a pointer on it has left."""
        if isinstance(event, QResizeEvent):
            return event.size().width() > LEAST
        return event.type() == QEvent.Type.Leave and self._is_late

    def _wheel(self, event: QWheelEvent) -> None:
        """Zoom at the pointer with a wheel; move the paper with a trackpad."""
        pixels = event.pixelDelta()
        is_zoom = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if not pixels.isNull() and not is_zoom and event.phase() != Qt.ScrollPhase.NoScrollPhase:
            self.look(self._board.camera.panned(pixels.x(), pixels.y()))
        else:
            self._glide_on(ZOOM_NOTCH ** (event.angleDelta().y() / 120), event.position())
        event.accept()
