"""The runs of other processes that this window follows."""

from collections.abc import Callable, Mapping

from studio.app.runs.attached_run import AttachedRun
from studio.app.runs.live_run import LiveRun
from studio.errors import StepwireError
from studio.ids import RunId
from studio.runtime.gates.breakpoints import Breakpoint
from studio.store.reader import RunStore


class RunsElsewhere:
    """Follows them until they are over or left; `ended` is told of each that came to its end."""

    def __init__(
        self,
        environ: Mapping[str, str],
        notify: Callable[[StepwireError], None],
        ended: Callable[[LiveRun], None],
    ) -> None:
        self._environ = environ
        self._notify = notify
        self._ended = ended
        self._runs: dict[RunId, AttachedRun] = {}

    @property
    def running(self) -> list[LiveRun]:
        """Those that are followed now."""
        return [one.live for one in self._runs.values()]

    def follow(self, store: RunStore, run: RunId, breakpoints: tuple[Breakpoint, ...]) -> LiveRun:
        """Follow a run, and hold it at these; one that is followed already goes on as it is."""
        if run not in self._runs:
            self._runs[run] = AttachedRun(store, run, breakpoints, self._environ, self._notify)
        return self._runs[run].live

    def is_followed(self, run: RunId) -> bool:
        """Whether a run of another process is followed now."""
        return run in self._runs

    def can_hold(self, run: RunId) -> bool:
        """Whether such a run can be held, edited and stopped from here."""
        return run in self._runs and self._runs[run].can_hold

    def leave(self, run: RunId) -> None:
        """Follow a run no longer; it goes on, and with it what was held from here."""
        left = self._runs.pop(run, None)
        if left is not None:
            left.close()
            left.live.leave()

    def pump(self) -> None:
        """Take in what came since the last call; never waits."""
        for run, one in tuple(self._runs.items()):
            one.pump()
            if one.is_over:
                del self._runs[run]
                self._ended(one.live)

    def close(self) -> None:
        """Leave all of them."""
        for one in self._runs.values():
            one.close()
        self._runs.clear()
