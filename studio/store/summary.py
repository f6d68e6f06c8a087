"""A run in one line of a list, kept up to date while the run is written."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from studio.ids import RunId
from studio.trace import events
from studio.trace.events import Entry, RunContinued, StepFinished, StepReady, StepStarted
from studio.trace.events.run import Origin
from studio.trace.fold.idle import IdleTimes
from studio.trace.fold.state import RunStatus
from studio.trace.questions import OpenQuestions


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What lists of runs show. `steps` counts the steps of nodes that began, `tokens` go in and out.

    `error` is why the run failed; `forked_from` the run that it goes back to; `is_script` says that a script
    told it; `changes` what a person made different in a fork, and the injected faults, a line each; `asked`
    numbers the entries by which a person was asked what is not answered yet; `made_up` counts the answers of
    chats that nobody gave; `damaged` is why its file can't be read, empty when it can.
    """

    run: RunId
    flow_name: str = ""
    project: str = ""
    profile: str = ""
    status: RunStatus = RunStatus.RUNNING
    started: float | None = None
    ended: float | None = None
    tokens: int = 0
    cost: float = 0.0
    steps: int = 0
    error: str = ""
    forked_from: str = ""
    is_script: bool = False
    changes: str = ""
    asked: str = ""
    made_up: int = 0
    idle: float = 0.0
    """Seconds for which it was held or waited."""
    damaged: str = ""

    @property
    def worked(self) -> float | None:
        """Seconds that it worked; None while it goes on."""
        if self.started is None or self.ended is None:
            return None
        return max(self.ended - self.started - self.idle, 0.0)


COLUMNS = (
    "flow_name",
    "project",
    "profile",
    "status",
    "started",
    "ended",
    "tokens",
    "cost",
    "steps",
    "error",
    "forked_from",
    "is_script",
    "changes",
    "asked",
    "made_up",
    "idle",
)
"""What is stored of a summary, in this order."""


def summary_values(summary: RunSummary) -> list[object]:
    """Give the values of `COLUMNS`."""
    return [getattr(summary, column) for column in COLUMNS]


def summary_from_values(run: RunId, values: "tuple[object, ...] | list[object]") -> RunSummary:
    """Read what `summary_values` gave; raises `ValueError` for an unknown status."""
    plain = dict(zip(COLUMNS, values, strict=True))
    status = RunStatus(str(plain.pop("status")))
    is_script, made_up = bool(plain.pop("is_script")), int(str(plain.pop("made_up") or 0))
    idle = float(str(plain.pop("idle") or 0.0))
    return RunSummary(run, status=status, is_script=is_script, made_up=made_up, idle=idle, **plain)  # pyright: ignore[reportArgumentType]


class Tally:
    """Counts entries into a summary; agrees with the fold, at a fraction of its cost."""

    def __init__(self, run: RunId) -> None:
        self._summary = RunSummary(run)
        self._tokens = 0
        self._cost = 0.0
        self._steps = 0
        self._made_up = 0
        self._reused: set[str] = set()
        self._questions = OpenQuestions()
        self._idle = IdleTimes()
        self._lay_still = 0.0
        self._last: float | None = None
        self._open: set[str] = set()
        """Steps that began, and have neither finished nor been skipped."""
        self._again: set[str] = set()
        """Of those, the ones that begin once more, for the run goes on: they count once."""

    @property
    def summary(self) -> RunSummary:
        """The run so far."""
        status = self._summary.status
        if not status.is_final:
            status = RunStatus.HELD if self._idle.is_held else RunStatus.RUNNING
        return replace(
            self._summary,
            status=status,
            tokens=self._tokens,
            cost=self._cost,
            steps=self._steps,
            made_up=self._made_up,
            asked=" ".join(str(number) for number in self._questions.entries.values()),
            idle=self._idle.seconds() + self._lay_still,
        )

    def count_all(self, entries: Iterable[Entry]) -> None:
        """Take in the next entries."""
        for entry in entries:
            kind = type(entry.event)
            # Nearly all are of these, and say nothing but that a step began or is over.
            self._last, last = entry.time, self._last
            if kind is RunContinued and last is not None:
                self._lay_still += entry.time - last
            if kind is StepReady and self._idle.since is None:
                continue
            is_telling = kind is not StepStarted and kind is not StepFinished
            if is_telling or self._idle.since is not None:
                self.count(entry)
            elif kind is StepFinished:
                self._open.discard(entry.step)
            else:
                self._begin(entry.step)

    def count(self, entry: Entry) -> None:
        """Take in the next entry."""
        self._questions.take(entry)
        self._idle.take(entry)
        match entry.event:
            case events.RunStarted() as event:
                self._summary = replace(
                    self._summary,
                    flow_name=event.flow_name,
                    project=event.project,
                    profile=event.profile,
                    started=entry.time,
                    forked_from=event.forked_from.run if event.forked_from is not None else "",
                    is_script=event.script,
                    changes="\n".join(_changes(event)),
                )
            case events.RunContinued():
                self._again |= self._open
                self._summary = replace(self._summary, status=RunStatus.RUNNING, ended=None, error="")
            case events.RunFinished():
                self._end(RunStatus.FINISHED, entry.time)
            case events.RunFailed() as event:
                self._end(RunStatus.FAILED, entry.time, event.message)
            case events.RunCancelled():
                self._end(RunStatus.CANCELLED, entry.time)
            case _ if entry.step:
                self._count_in_step(entry)
            case _:
                pass

    def _count_in_step(self, entry: Entry) -> None:
        event = entry.event
        if isinstance(event, events.StepStarted):
            self._begin(entry.step)
        elif isinstance(event, _OVER):
            self._open.discard(entry.step)
        elif isinstance(event, events.AnswerReused):
            self._reused.add(entry.step)
        elif isinstance(event, _PAID):
            self._made_up += event.is_made_up
            if entry.step not in self._reused:
                self._tokens += event.tokens
                self._cost += event.cost or 0.0

    def _begin(self, step: str) -> None:
        if step and "#" not in step.rpartition("/")[2]:
            self._open.add(step)
            if step in self._again:
                self._again.discard(step)
            else:
                self._steps += 1

    def _end(self, status: RunStatus, time: float, error: str = "") -> None:
        self._summary = replace(self._summary, status=status, ended=time, error=error)


def _changes(event: events.RunStarted) -> Iterator[str]:
    """What a person made different, and what goes wrong on purpose, a line each."""
    if event.forked_from is not None and (told := _told(event.forked_from)):
        yield told
    for one in event.faults:
        fault = cast("Mapping[str, object]", one)
        yield f"Injected fault: {fault['fault']} {fault['at']}."


def _told(origin: Origin) -> str:
    """What a fork has otherwise; one that only runs again says from where."""
    if origin.changes:
        return "\n".join(origin.changes)
    return f"From `{origin.step}`." if origin.step else ""


_OVER = (events.StepFinished, events.StepSkipped)
_PAID = (events.ChatAnswered, events.EmbedAnswered)
