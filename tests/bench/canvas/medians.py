"""Medians of the canvas's own costs: `python tests/bench/canvas/medians.py [NODES]`. Not a test.

What was seen stands in `tests/bench/README.md`.
"""

import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[3]))

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from studio.ui.canvas.camera import Camera
from studio.ui.canvas.document import NodeState
from studio.ui.canvas.view import CanvasView
from studio.ui.theme.fonts import load_fonts
from studio.ui.theme.tokens import load_theme
from tests.ui.canvas.builders import document, grid_flow

TIMES = 15


def median(action: Callable[[int], None], times: int = TIMES) -> float:
    costs: list[float] = []
    for turn in range(times):
        started = process_time()
        action(turn)
        costs.append((process_time() - started) * 1000)
    return statistics.median(costs)


def main(count: int) -> None:  # noqa: PLR0915 - one list of figures
    application = QApplication([])
    load_fonts()
    doc = document(grid_flow(count))
    started = process_time()
    view = CanvasView(doc, load_theme("dark"))
    view.resize(1600, 1000)
    view.show()
    application.processEvents()
    opened = (process_time() - started) * 1000
    rows = [f"open {count} nodes, {len(view.board.scene.wires)} wires: {opened:.0f} ms"]

    def repaint(_: int) -> None:
        view._layer.clear()
        view.repaint()

    def pan(turn: int) -> None:
        view.board.camera = view.board.camera.panned(7 if turn % 2 else -7, 5 if turn % 2 else -5)
        view.repaint()

    def zoom(turn: int) -> None:
        view.looking.zoom(1.19 if turn % 2 else 1 / 1.19, QPointF(800, 500))
        view.repaint()

    def crisp(turn: int) -> None:
        view.looking._crisp.stop()
        repaint(turn)

    for name in ("whole", "100 %"):
        if name == "whole":
            view.fit()
        else:
            view.board.camera = Camera(1.0, -2000, -2000)
        view.repaint()
        view.repaint()
        crisp(0)
        rows.append(
            f"{name}: repaint {median(repaint):.1f}, pan {median(pan):.1f}, zoom step {median(zoom):.1f} ms"
        )
        view.looking._crisp.stop()
    view.board.camera = Camera(1.0, -2000, -2000)
    seen = view.board.scene.rows_in(view.looking.view().seen())
    dragged = np.concatenate([seen, np.setdiff1d(np.arange(min(count, 100)), seen)])[:50]
    view.board.moving = dragged
    view._layer.clear()
    view.repaint()

    def drag(turn: int) -> None:
        view.board.scene.shift(dragged, turn * 4, turn * 3)
        view.repaint()

    rows.append(f"drag of 50 at 100 %: {median(drag):.1f} ms")
    view.board.moving = None
    view.board.scene.settle()
    view._layer.clear()
    view.repaint()
    names = [view.board.scene.ids[row] for row in seen[:20].tolist()]

    def stream(turn: int) -> None:
        text = "The notes say that a dunnock was seen. " * (turn % 5 + 1)
        view.update_nodes({name: NodeState("running", text, float(turn)) for name in names})
        view.streaming._timer.stop()
        view.streaming.show_waiting()
        view.repaint()

    rows.append(f"text streamed into {len(names)} visible nodes: {median(stream):.1f} ms")

    def edit(turn: int) -> None:
        name = view.board.scene.ids[turn]
        view.board.select([name])
        view.run("mute")

    rows.append(f"edit of one node, seen: {median(edit):.1f} ms")
    sys.stdout.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
