"""Zooming in small steps towards where a hand has zoomed to, about the point that it zooms at."""

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QPointF, QVariantAnimation

from studio.ui.canvas.board import Board
from studio.ui.canvas.camera import CLOSEST, FARTHEST, Camera
from studio.ui.motion import is_motion_reduced


class Gliding(QObject):
    """Comes to the wanted scale within `duration` milliseconds; further steps of the wheel lengthen the way.

    The scale grows by equal factors in equal times, which an eye takes for even speed.
    """

    def __init__(self, board: Board, look: Callable[[Camera], None], duration: int, parent: QObject) -> None:
        super().__init__(parent)
        self._board, self._look = board, look
        self._at = QPointF()
        self._anchor = (0.0, 0.0)
        self._shown: Camera | None = None
        self._from = self._to = 1.0
        self.animation = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=duration)
        self.animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self.animation.valueChanged.connect(self._step)

    @property
    def is_under_way(self) -> bool:
        """Whether the scale is still changing."""
        return self.animation.state() == QVariantAnimation.State.Running

    def zoom(self, factor: float, at: QPointF) -> None:
        """Come so many times nearer than already wanted; what is at the widget point stays there."""
        here = self._board.camera.scale
        wanted = self._to if self.is_under_way else here
        self._from, self._to = here, min(CLOSEST, max(FARTHEST, wanted * factor))
        if not self.is_under_way or at != self._at:
            self._at, self._shown = at, None
        if is_motion_reduced() or not self.animation.duration():
            self._show(self._to)
            return
        self.animation.stop()
        self.animation.start()

    def stop(self) -> None:
        """Stay where it has come to."""
        self.animation.stop()

    def _step(self, done: object) -> None:
        if isinstance(done, float) and self.is_under_way:
            self._show(self._from * (self._to / self._from) ** done)

    def _show(self, scale: float) -> None:
        camera, at = self._board.camera, self._at
        if camera != self._shown:  # at first, or when the paper was moved meanwhile
            self._anchor = camera.to_scene(at.x(), at.y())
        x, y = self._anchor
        self._look(Camera(scale, at.x() - x * scale, at.y() - y * scale))
        self._shown = self._board.camera
