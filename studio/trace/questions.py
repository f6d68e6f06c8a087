"""Which questions to a person a run has left open, so that it can go on once they are answered."""

from studio.errors import WaitingError
from studio.ids import StepId
from studio.trace import events
from studio.trace.events import Entry

WAITED = WaitingError.__name__


class OpenQuestions:
    """Follows a run; `entries` has the number of the entry that asks, by step, the oldest first.

    A run that waited for nothing else ends with a `WaitingError`, or with its process; its questions stay
    open then, those too that were asked at the same time. What a person stopped, or what failed otherwise,
    waits for nobody.
    """

    __slots__ = ("_waits", "entries")

    def __init__(self) -> None:
        self.entries: dict[StepId, int] = {}
        self._waits = False

    def take(self, entry: Entry) -> None:
        """Take in the next entry."""
        if type(entry.event) not in _TELLING:
            return
        match entry.event:
            case events.ApprovalAsked():
                self.entries[entry.step] = entry.number
            case events.ApprovalGiven():
                self.entries.pop(entry.step, None)
            case events.StepFailed() as failed if self.entries:
                self._waits = self._waits or failed.error == WAITED
                if not self._waits:
                    self.entries.pop(entry.step, None)
            case events.StepCancelled() if self.entries and not self._waits:
                self.entries.pop(entry.step, None)
            case events.RunFailed() as failed:
                self._end(is_waiting=failed.error == WAITED)
            case events.RunFinished() | events.RunCancelled() | events.RunContinued():
                self._end(is_waiting=False)
            case _:
                pass

    def _end(self, *, is_waiting: bool) -> None:
        self._waits = False
        if not is_waiting:
            self.entries.clear()


_TELLING = frozenset(
    {
        *(events.ApprovalAsked, events.ApprovalGiven, events.StepFailed, events.StepCancelled),
        *(events.RunFailed, events.RunFinished, events.RunCancelled, events.RunContinued),
    }
)
"""Events that say anything of it; most do not."""
