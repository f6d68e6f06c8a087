"""What each worker does with its editor, the same for all; needs nothing but Qt.

An editor shows the graph in a window of 1,600 x 1,000 points. A step is what a hand does in one movement,
and all the painting that follows from it; its cost is the time that the process was busy, so that the
machine's other work falls out. A step after which nothing was painted is an error.
"""

import json
import statistics
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING or find_spec("PySide6") is not None:
    from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QApplication, QWidget
else:  # Orange's layer over Qt knows no PySide6
    from PyQt6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
    from PyQt6.QtGui import QMouseEvent
    from PyQt6.QtWidgets import QApplication, QWidget

WIDTH, HEIGHT = 1600, 1000
DRAGGED = 50


class Editor(Protocol):
    """One editor with the graph in it."""

    canvas: QWidget
    """The widget that is painted and that hears the mouse."""

    def whole(self) -> None:
        """Look at the whole graph."""
        ...

    def full_size(self) -> None:
        """Look at the middle of the graph, at 100 %."""
        ...

    def repaint(self) -> None:
        """Draw all that is seen afresh, at once."""
        ...

    def pan(self, dx: int, dy: int) -> None:
        """Move the paper, as the editor does when a hand does."""
        ...

    def select_around_middle(self, count: int) -> QPoint:
        """Select the nodes nearest to the middle of what is seen; gives the point to grab them by."""
        ...


class Paints(QObject):
    """Counts how often a widget was painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Count, and let the event pass."""
        self.count += event.type() == QEvent.Type.Paint
        return super().eventFilter(watched, event)


def resident() -> float:
    """Megabytes of memory that this process holds; 0 where the system does not tell in this way."""
    file = Path("/proc/self/status")
    lines = file.read_text().splitlines() if file.exists() else []
    found = [line.split()[1] for line in lines if line.startswith("VmRSS")]
    return float(found[0]) / 1024 if found else 0.0


def send(widget: QWidget, kind: QEvent.Type, at: QPoint) -> None:
    """Have the left button do something."""
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
    place, there = QPointF(at), QPointF(widget.mapToGlobal(at))
    QApplication.sendEvent(
        widget, QMouseEvent(kind, place, there, button, held, Qt.KeyboardModifier.NoModifier)
    )


def measure(make: Callable[[int], Editor]) -> None:
    """Build the graph of `argv[1]` nodes, take `argv[2]` steps of each kind, print the figures as JSON."""
    count, times = int(sys.argv[1]), int(sys.argv[2])
    application = QApplication.instance() or QApplication([])
    before, began = resident(), process_time()
    editor = make(count)
    application.processEvents()
    figures: dict[str, float] = {"load": (process_time() - began) * 1000, "memory": resident() - before}
    paints = Paints(editor.canvas)

    def steps(name: str, act: Callable[[int], None]) -> None:
        costs: list[float] = []
        for turn in range(times + 2):
            seen, start = paints.count, process_time()
            act(turn)
            application.processEvents()
            if paints.count == seen:
                raise AssertionError(f"Nothing was painted: {name}, step {turn}.")
            costs.append((process_time() - start) * 1000)
        costs = sorted(costs[2:])
        figures[name] = statistics.median(costs)
        figures[f"{name} p95"] = costs[min(len(costs) - 1, round(0.95 * (len(costs) - 1)))]

    for name, look in (("whole", editor.whole), ("100 %", editor.full_size)):
        look()
        application.processEvents()
        steps(f"{name}: repaint", lambda _: editor.repaint())
        steps(f"{name}: shown again", lambda _: editor.canvas.repaint())
        steps(f"{name}: pan", lambda turn: editor.pan(7 if turn % 2 else -7, 5 if turn % 2 else -5))
    at = editor.select_around_middle(DRAGGED)
    application.processEvents()
    send(editor.canvas, QEvent.Type.MouseButtonPress, at)
    application.processEvents()
    send(editor.canvas, QEvent.Type.MouseMove, at + QPoint(40, 40))
    application.processEvents()
    steps(
        "drag of 50",
        lambda turn: send(editor.canvas, QEvent.Type.MouseMove, at + QPoint(48 + turn * 19, 48 + turn * 19)),
    )
    send(editor.canvas, QEvent.Type.MouseButtonRelease, at)
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()
