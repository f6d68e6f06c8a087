"""The graph in our canvas."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
import numpy as np
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QApplication

from studio.ui.canvas.camera import Camera
from studio.ui.canvas.view import CanvasView
from studio.ui.theme.fonts import load_fonts
from studio.ui.theme.tokens import load_theme
from tests.bench.canvas.flows import flow_text, read
from tests.bench.canvas.measuring import HEIGHT, WIDTH, measure

TEXT = flow_text(int(sys.argv[1])) if len(sys.argv) > 1 else ""
"""The flow's file, which stands before the clock begins; what is measured reads it."""


class Editor:
    """One flow on a canvas."""

    def __init__(self, count: int) -> None:
        load_fonts()
        self.canvas = CanvasView(read(TEXT or flow_text(count)), load_theme("dark"))
        self.canvas.resize(WIDTH, HEIGHT)
        self.canvas.show()
        self._board = self.canvas.board

    def whole(self) -> None:
        """Look at the whole graph."""
        self.canvas.fit()

    def full_size(self) -> None:
        """Look at the middle, at 100 %."""
        extent = self._board.scene.extent()
        assert extent is not None
        x, y = extent.x + extent.width / 2, extent.y + extent.height / 2
        self._look(Camera(1.0, round(WIDTH / 2 - x), round(HEIGHT / 2 - y)))

    def repaint(self) -> None:
        """Draw all that is seen, and no picture that was kept."""
        self._board.redrawn.tell()
        self.canvas.repaint()

    def pan(self, dx: int, dy: int) -> None:
        """What its mouse does."""
        self._look(self._board.camera.panned(dx, dy))

    def select_around_middle(self, count: int) -> QPoint:
        """Select nodes."""
        scene = self._board.scene
        x, y = self._board.camera.to_scene(WIDTH / 2, HEIGHT / 2)
        near = np.argsort(np.abs(scene.rects[:, :2] - (x, y)).sum(axis=1), kind="stable")[:count]
        names = [scene.ids[row] for row in near.tolist()]
        self._board.select(names)
        rect = scene.rect(names[0])
        return QPointF(*self._board.camera.to_widget(rect.x + 60, rect.y + 18)).toPoint()

    def _look(self, camera: Camera) -> None:
        self._board.camera = camera
        self.canvas.update()


if __name__ == "__main__":
    QApplication([])
    measure(Editor)
