"""Values on their way: for a moment a dot runs along each wire that carried one."""

from collections.abc import Callable, Iterable
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

from studio.flow.records import Wire
from studio.ui.canvas.board import Board
from studio.ui.motion import is_motion_reduced

PULSE_SECONDS = 0.14


class Pulses:
    """The wires that pulse; while any do, `repaint` is called once a frame."""

    def __init__(self, board: Board, repaint: Callable[[], None], parent: QObject) -> None:
        self._board, self._repaint = board, repaint
        self._started: dict[int, float] = {}
        self._clock = QTimer(parent, interval=16)
        self._clock.timeout.connect(self._advance)

    def start(self, wires: Iterable[Wire]) -> None:
        """Show that a value passes along these wires."""
        if is_motion_reduced():
            return
        now = perf_counter()
        rows = self._board.scene.wire_row
        self._started.update({rows[wire]: now for wire in wires if wire in rows})
        if self._started:
            self._clock.start()

    def clear(self) -> None:
        """Forget them all, for their rows mean other wires now."""
        self._started.clear()

    def progress(self) -> list[tuple[int, float]]:
        """The rows of the wires that pulse, and how far each pulse has come, from 0 to 1."""
        now = perf_counter()
        return [(row, min(1.0, (now - start) / PULSE_SECONDS)) for row, start in self._started.items()]

    def _advance(self) -> None:
        now = perf_counter()
        self._started = {row: start for row, start in self._started.items() if now - start < PULSE_SECONDS}
        if not self._started:
            self._clock.stop()
        self._repaint()
