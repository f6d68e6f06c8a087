"""Qt's one door to what runs: once a frame it takes in what came, and has every panel told in one go."""

from collections.abc import Callable
from contextlib import ExitStack

from PySide6.QtCore import QObject, Qt, QTimer

from studio.app.listeners import Listeners
from studio.app.runs.live_runs import LiveRuns
from studio.garbage_collection import seldom_collected

FRAME = 16
"""Milliseconds between looks while something is told by a run, or read."""
IDLE = 120
"""Milliseconds between looks while nothing is: a run that is held, or waits, tells nothing."""
ATTENTIVE = 60
"""Frames that follow the last in which a run told something."""
FOLD_WORK = 0.004
"""Seconds of a frame that go into what runs told; the rest waits for the next, so that all can be painted."""
READ_WORK = 0.012
"""Seconds of a frame that go into reading old runs, for which somebody waits."""
OLD_SELDOM = 3_000
"""How often the collector goes through what is younger, while runs go on, until it goes through all once."""


class Bridge(QObject):
    """Pumps runs and then tells its listeners that a frame begins; nobody else asks for entries."""

    def __init__(self, runs: LiveRuns, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._frames: Listeners[()] = Listeners()
        self._awake = 0
        self._told: int = 0
        self._is_busy = False
        self._while_busy = ExitStack()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(IDLE)
        self._timer.timeout.connect(self.pump)

    def on_frame(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Be called once a frame, after runs were pumped; returns the function that ends it."""
        return self._frames.subscribe(lambda: (listener(), None)[1])

    def start(self) -> None:
        """Begin to look."""
        self._timer.start()

    def stop(self) -> None:
        """Look no more."""
        self._timer.stop()
        self._tell_busy(is_busy=False)

    def wake(self, frames: int = ATTENTIVE) -> None:
        """Look at full speed for a while: something was asked for."""
        self._awake = max(self._awake, frames)
        self._pace()

    def pump(self) -> None:
        """One frame."""
        self._runs.pump(FOLD_WORK, READ_WORK)
        self._frames.tell()
        self._awake = max(self._awake - 1, 0)
        told: int = sum(run.state.entries_count for run in self._runs.running)
        if told != self._told:
            self._told, self._awake = told, ATTENTIVE
        self._pace()

    def _pace(self) -> None:
        self._tell_busy(is_busy=self._runs.is_busy)
        wanted = FRAME if self._awake or self._runs.is_reading else IDLE
        if self._timer.interval() != wanted:
            self._timer.setInterval(wanted)

    def _tell_busy(self, *, is_busy: bool) -> None:
        """Have garbage among all objects looked for seldom while frames follow one another.

        To go through all that a window holds takes as long as a dozen frames. What is new is looked at as
        often as ever, for that is quick, and would take a frame if it were much.
        """
        if is_busy == self._is_busy:
            return
        self._is_busy = is_busy
        if is_busy:
            self._while_busy.enter_context(seldom_collected(0, looks=OLD_SELDOM))
        else:
            self._while_busy.close()
