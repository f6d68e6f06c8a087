"""Rings on the canvas around the nodes in which something was found."""

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from studio.ids import NodeId
from studio.ui.canvas.sight import widget_rect
from studio.ui.canvas.view import CanvasView

GAP, WIDTH = 8.0, 2.0
"""Widget points between a node and its ring, and the ring's width."""


class FoundMarks(QWidget):
    """Lies over a canvas and lets the hand through; it is painted again whenever the canvas is."""

    def __init__(self, canvas: CanvasView) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self.nodes: frozenset[NodeId] = frozenset()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        canvas.installEventFilter(self)
        self.hide()

    def show_nodes(self, nodes: Iterable[NodeId]) -> None:
        """Mark these nodes and no others."""
        self.nodes = frozenset(nodes)
        self.setVisible(bool(self.nodes))
        self.setGeometry(self._canvas.rect())
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as the canvas."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._canvas.rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a ring around each of the nodes that is in sight."""
        del event
        view, board = self._canvas.looking.view(), self._canvas.board
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(board.style.color("state.held"), WIDTH)
        pen.setDashPattern([3.0, 2.0])
        painter.setPen(pen)
        scene = board.scene
        seen: list[int] = scene.rows_in(view.seen()).tolist()
        for row in seen:
            node = scene.ids[row]
            if node in self.nodes:
                place = widget_rect(scene.rect(node), view).adjusted(-GAP, -GAP, GAP, GAP)
                painter.drawRoundedRect(place, GAP * 2, GAP * 2)
        painter.end()
