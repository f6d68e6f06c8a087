"""Shows which breakpoints the shown run is held at or came by just now, and how often it came by each."""

import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, QTimer

from studio.app.documents.breakpoints import Breakpoint, place_parts
from studio.app.runs.live_run import LiveRun
from studio.ui.window.workspace import Workspace

JUST_NOW = 1.2
"""Seconds for which a breakpoint that was come by has a ring."""
LOOK = 200
"""Milliseconds between two looks at which rings may go."""


class BreakpointHits(QObject):
    """Follows the run that a workspace shows."""

    def __init__(self, workspace: Workspace, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(workspace)
        self._work, self._clock = workspace, clock
        self._run: LiveRun | None = None
        self._known: Mapping[str, int] = {}
        self._recent: dict[str, float] = {}
        """When each key was come by last, as long as that is just now."""
        self._stop: Callable[[], None] = _nothing
        self._timer = QTimer(self, interval=LOOK)
        self._timer.timeout.connect(self.show)
        self.endings: list[Callable[[], None]] = [
            workspace.shown.on_batch(lambda _: self._follow()),
            self._end,
        ]

    def show(self) -> None:
        """Ring what the run is held at, and what it came by just now; elsewhere no more."""
        now = self._clock()
        self._recent = {key: last for key, last in self._recent.items() if now - last < JUST_NOW}
        state = self._work.shown.state
        held = [state.steps[step].held_by for step in state.held_steps] if state is not None else []
        ringed = frozenset((*held, *self._recent)) - {""}
        self._work.canvas.ring(frozenset(self._marked(key) for key in ringed) - {""})
        self._work.debugging.breakpoints.show_hits(self._known, ringed)
        if not self._recent:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def _follow(self) -> None:
        run = self._work.shown.run
        if run is not self._run:
            self._stop()
            self._run, self._recent = run, {}
            self._known = run.hits if run is not None else {}
            self._stop = run.on_hits(self._count) if run is not None else _nothing
        self.show()

    def _count(self) -> None:
        """Note which breakpoints were come by since the last time."""
        now = self._clock()
        hits: Mapping[str, int] = self._run.hits if self._run is not None else {}
        self._recent |= {key: now for key, times in hits.items() if times > self._known.get(key, 0)}
        self._known = dict(hits)
        self.show()

    def _marked(self, key: str) -> str:
        """The node or port that has the mark of a breakpoint; empty for those that are elsewhere."""
        one: Breakpoint | None = self._work.session.breakpoints.get(key)
        if one is None or not one.place:
            return ""
        node, call, _ = place_parts(one.place)
        return one.place if one.on == "step" and not call else node

    def _end(self) -> None:
        self._stop()
        self._timer.stop()


def _nothing() -> None:
    """There is nothing to stop."""
