"""What our canvas costs by itself: `python tests/bench/canvas/medians.py [NODES] [RATIO]`. Not a test.

Medians and 95th percentiles of the time that the process was busy, in ms, painting included. `RATIO` is the
number of device pixels to a point. What was seen stands in `tests/bench/README.md`.
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
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from studio.flow import edits
from studio.flow.records import Point, Socket
from studio.ids import NodeId, PortName
from studio.ui.canvas.camera import Camera
from studio.ui.canvas.document import NodeState
from studio.ui.canvas.hand.gestures.drag_wire import drag_wire
from studio.ui.canvas.hand.placement import fitting_kinds
from studio.ui.canvas.scene.keyboard import Stand
from studio.ui.canvas.view import CanvasView
from studio.ui.theme.fonts import load_fonts
from studio.ui.theme.tokens import load_theme
from studio.ui.window.garbage import set_apart
from tests.bench.canvas.flows import LOOKS, flow_text, read

TIMES = 40
STREAMING = 50


def figure(action: Callable[[int], None], times: int = TIMES) -> str:
    """How long an action takes, the first two times left out."""
    costs: list[float] = []
    for turn in range(times + 2):
        started = process_time()
        action(turn)
        costs.append((process_time() - started) * 1000)
    costs = sorted(costs[2:])
    return f"{statistics.median(costs):.1f} / {costs[round(0.95 * (len(costs) - 1))]:.1f}"


def look(view: CanvasView, name: str) -> None:
    """Measure what a person does who looks around."""

    def repaint(_: int) -> None:
        view._layer.clear()
        view.repaint()

    def pan(turn: int) -> None:
        view.board.camera = view.board.camera.panned(7 if turn % 2 else -7, 5 if turn % 2 else -5)
        view.repaint()

    def zoom(turn: int) -> None:
        view.looking.zoom(1.19 if turn % 2 else 1 / 1.19, QPointF(800, 500))
        view.repaint()

    for title, action in (("repaint", repaint), ("pan", pan), ("zoom step", zoom)):
        say(f"{name}: {title}", figure(action))
    view.looking._crisp.stop()


def drag(view: CanvasView) -> None:
    """Measure a drag of fifty nodes, those that are seen first."""
    seen = view.board.scene.rows_in(view.looking.view().seen())
    rest = np.setdiff1d(np.arange(len(view.board.scene.ids)), seen)
    dragged = np.concatenate([seen, rest])[:50]
    view.board.moving = dragged
    view._layer.clear()
    view.repaint()

    def step(turn: int) -> None:
        view.board.scene.shift(dragged, turn * 4, turn * 3)
        view.repaint()

    say("100 %: drag of 50", figure(step))
    view.board.moving = None
    view.board.scene.settle()


def stream(view: CanvasView) -> None:
    """Measure the frames in which text streams into fifty nodes, all of which are seen."""
    view.board.camera = Camera(0.7, -2000, -2000)
    view._layer.clear()
    view.repaint()
    seen: list[int] = view.board.scene.rows_in(view.looking.view().seen()).tolist()
    names = [view.board.scene.ids[row] for row in seen[:STREAMING]]

    def step(turn: int) -> None:
        text = f"The notes say that a dunnock was seen {turn} times. " * (turn % 5 + 1)
        view.update_nodes({name: NodeState("running", text, float(turn)) for name in names})
        view.streaming.show_waiting()
        view.repaint()

    say(f"frame while {len(names)} seen nodes stream", figure(step, 4 * TIMES))


def edit(view: CanvasView) -> None:
    """Measure edits, each with the undo step, the scene, and the picture drawn again."""
    history, library = view.document.history, view.document.library
    names: list[NodeId] = []

    def add(turn: int) -> None:
        name, change = edits.add_node(history.flow, LOOKS[1].kind, "New", Point(8 * turn, 8 * turn))
        names.append(name)
        history.do(change)
        view.repaint()

    def connect(turn: int) -> None:
        source, target = Socket(NodeId("n4"), PortName("out_0")), Socket(names[turn], PortName("in_1"))
        history.do(edits.connect(history.flow, source, target, library))
        view.repaint()

    def remove(turn: int) -> None:
        history.do(edits.remove(history.flow, [NodeId(f"n{turn + 20}")]))
        view.repaint()

    def undo(_: int) -> None:
        history.undo()
        view.repaint()

    def mute(turn: int) -> None:
        view.board.select([view.board.scene.ids[turn]])
        view.run("mute")
        view.repaint()

    for title, action in (
        ("mute", mute),
        ("add a node", add),
        ("wire it", connect),
        ("delete a wired node", remove),
        ("undo that", undo),
    ):
        say(f"edit: {title}", figure(action))


def begin_wires(view: CanvasView) -> None:
    """Measure the hand at a port: a wire begun, led past ports, and the list of what fits."""
    board, node = view.board, NodeId("n4")
    spot = next(one for one in board.scene.spots(node) if one.is_output and not one.is_order)

    def begin(_: int) -> None:
        drag_wire(board, node, spot).cancel()

    def offer(_: int) -> None:
        view.linking.open(Stand(node, spot.port, is_output=True))
        view.linking.palette.dismiss()

    def drop(_: int) -> None:
        fitting_kinds(board, Socket(node, spot.port), is_output=True)

    held = drag_wire(board, node, spot)

    def lead(turn: int) -> None:
        held.move(QPointF(200 + 9 * turn, 100 + 7 * turn), Qt.KeyboardModifier.NoModifier)

    rows = (("begun", begin), ("led", lead), ("W", offer), ("dropped: what fits", drop))
    for title, action in rows:
        say(f"wire: {title}", figure(action))
    held.cancel()


def say(what: str, found: str) -> None:
    """Print one figure."""
    sys.stdout.write(f"{what}: {found}\n")


def main(count: int) -> None:
    """Print all figures for a grid of so many nodes."""
    application = QApplication([])
    load_fonts()
    text = flow_text(count)
    started = process_time()
    view = CanvasView(read(text), load_theme("dark"))
    view.resize(1600, 1000)
    view.show()
    application.processEvents()
    opened = (process_time() - started) * 1000
    set_apart()  # as the window does
    say(f"open {count} nodes, {len(view.board.scene.wires)} wires", f"{opened:.0f}")
    view.fit()
    look(view, "whole")
    view.board.camera = Camera(1.0, -2000, -2000)
    view._layer.clear()
    look(view, "100 %")
    view.board.camera = Camera(1.0, -2000, -2000)
    drag(view)
    stream(view)
    view.board.camera = Camera(1.0, 0, 0)
    begin_wires(view)
    edit(view)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        os.environ["QT_SCALE_FACTOR"] = sys.argv[2]
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
