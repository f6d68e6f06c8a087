"""When a run did not work: held by the debugger, waiting for a person, or while its box was being made.

A run is idle while it is blocked in one of these ways and nothing of it is told but by what is blocked. As
long as other steps work beside a held one, it works.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from studio.ids import StepId
from studio.trace import events
from studio.trace.events import Entry
from studio.trace.figures import duration

SHORTEST_TOLD = 0.05
"""Seconds from which on it is told that a run did not work."""


class Idleness(StrEnum):
    """Why a run does not work."""

    HELD = "held"
    WAITED = "waited"
    PREPARED = "prepared"


class IdleSpan(NamedTuple):
    """From when until when, in seconds since the epoch, and why."""

    since: float
    until: float
    why: Idleness


@dataclass(slots=True)
class IdleTimes:
    """The idle times of a run; takes entries in their order. Most cost it a look at their kind."""

    spans: list[IdleSpan] = field(default_factory=list[IdleSpan])
    """Those that are over, in their order."""
    since: float | None = None
    """When the one began that lasts."""
    _held: frozenset[StepId] = frozenset()
    _asking: frozenset[StepId] = frozenset()
    _preparing: frozenset[StepId] = frozenset()
    _reached: frozenset[tuple[str, str]] = frozenset()
    _is_held: bool = False
    _told: float = 0.0
    """When anything was told last, while it was idle."""

    def take(self, entry: Entry) -> None:
        """Take in the next entry."""
        if self.since is None and not isinstance(entry.event, _BLOCKING):
            return
        step = entry.step
        if isinstance(entry.event, events.RunContinued):
            self._close(self._told)  # since then nobody has run it
        elif not step or step in self._held or step in self._asking or step in self._preparing:
            self._close(entry.time)
        self._told = entry.time
        self._note(entry)
        self.since = entry.time if self.why is not None else None

    @property
    def why(self) -> Idleness | None:
        """Why it does not work now, but for what works beside; None where nothing keeps it."""
        if self._asking:
            return Idleness.WAITED
        if self._preparing:
            return Idleness.PREPARED
        return Idleness.HELD if self.is_held else None

    @property
    def is_held(self) -> bool:
        """Whether the run, or any of its steps, is held."""
        return bool(self._held or self._reached or self._is_held)

    def end(self, time: float) -> None:
        """Note that nobody runs it any more."""
        self._close(time)
        self._forget()
        self.since = None

    def seconds(self, now: float | None = None, why: Idleness | None = None) -> float:
        """How long the run was idle, until `now` where it is, for one reason or for any."""
        return sum(until - since for since, until, one in self.until(now) if why is None or one is why)

    def until(self, now: float | None) -> Iterator[IdleSpan]:
        """All spans, the one that lasts until `now`."""
        yield from self.spans
        if now is not None:
            yield from self._lasting(now)

    def _lasting(self, now: float) -> Iterator[IdleSpan]:
        why = self.why
        if self.since is not None and why is not None and now > self.since:
            yield IdleSpan(self.since, now, why)

    def _close(self, time: float) -> None:
        """Note that the time is over that lasted."""
        for span in self._lasting(time):
            last = self.spans[-1] if self.spans else None
            if last is not None and last.until == span.since and last.why is span.why:
                self.spans[-1] = last._replace(until=time)
            else:
                self.spans.append(span)

    def _forget(self) -> None:
        self._held = self._asking = self._preparing = frozenset()
        self._reached = frozenset()
        self._is_held = False

    def _note(self, entry: Entry) -> None:  # noqa: C901, PLR0912  # one arm for each event
        event, one = entry.event, frozenset((entry.step,))
        match event:
            case events.StepHeld():
                self._held |= one
            case events.ApprovalAsked():
                self._held -= one
                self._asking |= one
            case events.StepProgressed(is_preparing=True):
                if event.done < event.total or not event.total:
                    self._preparing |= one
                else:
                    self._preparing -= one
            case events.RunHeld():
                self._is_held = True
            case events.RunResumed():
                self._is_held = False
            case events.BudgetReached():
                self._reached |= {(event.node, event.limit)}
            case events.BudgetRaised() | events.BudgetLeft():
                self._reached -= {(event.node, event.limit)}
            case events.RunContinued() | events.RunFinished() | events.RunFailed() | events.RunCancelled():
                self._forget()
            case events.InputsEdited() | events.OutputsEdited() | events.LogWritten():
                pass  # of a step that stays where it is
            case _ if entry.step:
                if isinstance(event, _GOES_ON):
                    self._held -= one
                self._asking -= one
                self._preparing -= one
            case _:
                pass


def status_word(status: StrEnum) -> str:
    """Where a run or step stands, as people read it; files say `held` of what is paused."""
    return "paused" if status.value == "held" else status.value


def idle_words(times: IdleTimes) -> list[str]:
    """For how long a run was held, waited for a person, and for its box, as far as it was: `paused 6:04`."""
    said = (("paused", Idleness.HELD), ("waited", Idleness.WAITED), ("prepared", Idleness.PREPARED))
    found = ((word, times.seconds(why=why)) for word, why in said)
    return [f"{word} {duration(seconds)}" for word, seconds in found if seconds >= SHORTEST_TOLD]


def worked_within(start: float, end: float, idle: Iterable[tuple[float, float | None]]) -> float:
    """Seconds between two times that lie in none of the spans, which may overlap; an open one never ends."""
    worked, reached = end - start, start
    for since, until in sorted((since, end if until is None else until) for since, until in idle):
        since, until = max(since, reached), min(until, end)  # noqa: PLW2901
        if until > since:
            worked -= until - since
            reached = until
    return max(worked, 0.0)


_GOES_ON = (
    events.StepReleased,
    events.StepStarted,
    events.StepFinished,
    events.StepFailed,
    events.StepSkipped,
    events.StepCancelled,
    events.ChatRequested,
    events.EmbedRequested,
    events.ToolCalled,
    events.ChatAnswered,
    events.EmbedAnswered,
    events.ToolAnswered,
    events.ApprovalGiven,
)
"""What tells that a step is held no more."""

_BLOCKING = (
    events.StepHeld,
    events.ApprovalAsked,
    events.StepProgressed,
    events.RunHeld,
    events.BudgetReached,
)
