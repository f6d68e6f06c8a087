"""The page of an open flow: its canvas or a document in its place, and above it what is to be said."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QMoveEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from studio.ui.canvas.view import CanvasView


class FlowPage(QWidget):
    """Gives what stands above its own place. Where the pointer is on the canvas, nothing moves for that."""

    def __init__(self, canvas: CanvasView, documents: Mapping[str, QWidget], *above: QWidget) -> None:
        """Show a canvas; `documents` can take its place, by their kind."""
        super().__init__()
        self._canvas = canvas
        self._documents = documents
        self._stack = QStackedWidget(self)
        for page in (canvas, *documents.values()):
            page.setMinimumSize(canvas.minimumSize())  # what is hidden makes no window wider
            self._stack.addWidget(page)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        for strip in above:
            rows.addWidget(strip)
        rows.addWidget(self._stack, 1)

    def show_document(self, kind: str) -> None:
        """Show the document of this kind; with another kind, the canvas."""
        self._stack.setCurrentWidget(self._documents.get(kind, self._canvas))

    @property
    def document(self) -> QWidget:
        """What is shown: the canvas, or what has its place."""
        return self._stack.currentWidget() or self._canvas

    def focus_document(self) -> None:
        """Give the keyboard to what is shown."""
        self.document.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Watch all that the canvas moves with in its window."""
        super().showEvent(event)
        moving: QWidget | None = self._canvas
        while moving is not None and not moving.isWindow():
            moving.installEventFilter(self)
            moving = moving.parentWidget()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave what is drawn where it is on the screen as the canvas moves in its window."""
        if isinstance(event, QMoveEvent) and self._canvas.isVisible() and self._canvas.underMouse():
            by = event.oldPos() - event.pos()
            self._canvas.looking.slide(by.x(), by.y())
        return super().eventFilter(watched, event)
