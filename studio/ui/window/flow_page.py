"""The page of an open flow: its canvas, and above it what is to be said of the flow."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QMoveEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.ui.canvas.view import CanvasView


class FlowPage(QWidget):
    """Gives what stands above its own place. Where the pointer is on the canvas, nothing moves for that."""

    def __init__(self, canvas: CanvasView, *above: QWidget) -> None:
        super().__init__()
        self._canvas = canvas
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        for strip in above:
            rows.addWidget(strip)
        rows.addWidget(canvas, 1)
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave what is drawn where it is on the screen as the canvas moves down or up."""
        if isinstance(event, QMoveEvent) and watched is self._canvas and self._canvas.underMouse():
            self._canvas.looking.slide(event.oldPos().y() - event.pos().y())
        return super().eventFilter(watched, event)
