"""What came of a run: the trial that it is, read from all that happened in it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from studio.experiments.trials import Trial, TrialState
from studio.flow.records import Json
from studio.ids import RunId
from studio.store.summary import RunSummary, Tally
from studio.trace.events import (
    AnswerReused,
    ChatAnswered,
    Entry,
    RunContinued,
    RunFailed,
    RunFinished,
    RunStarted,
)

_REFUSED = re.compile(r"\(HTTP (401|402|403|404|408|409|425|429|5\d\d)\)")
"""A refusal that says nothing of what was asked."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that ended, and for how long it worked, in seconds; simulated ones for solvers."""

    entries: Sequence[Entry]
    seconds: float
    summary: RunSummary
    """Made once: to make it takes as long as to look at all entries."""
    refused: str = ""
    """Why it cannot go on, though it was stopped."""

    @classmethod
    def of(cls, entries: Sequence[Entry], refused: str = "") -> "Ran":
        """Make it of entries alone: a run worked while it was neither held nor waited for a person."""
        summary = _summary(entries)
        return cls(entries, summary.worked or 0.0, summary, refused)


def trial_of(key: str, run: str, ran: Ran) -> Trial:
    """Tell what came of a run, from its entries."""
    entries, summary = ran.entries, ran.summary
    answers = list(_bought(entries))
    last = entries[-1].event if entries else None
    outputs: Mapping[str, Json] = {}
    state, error = TrialState.STOPPED, ""
    if isinstance(last, RunFinished):
        state, outputs = TrialState.DONE, {name: one.data for name, one in last.outputs.items()}
    elif isinstance(last, RunFailed):
        state = TrialState.PROVIDER if is_providers(last) else TrialState.FAILED
        error = last.message
    elif ran.refused:
        state, error = TrialState.FAILED, ran.refused
    return Trial(
        key,
        run,
        state,
        outputs,
        error,
        summary.cost,
        sum(one.tokens for one in answers if one.cost is None),
        summary.tokens,
        len(answers),
        summary.steps,
        ran.seconds,
        summary.made_up,
    )


def _bought(entries: Sequence[Entry]) -> Iterator[ChatAnswered]:
    """Give the answers of a run, each once: where it goes on, it says again what it had been answered."""
    reused: set[str] = set()
    for one in entries:
        if isinstance(one.event, AnswerReused):
            reused.add(one.step)
        elif isinstance(one.event, ChatAnswered) and one.step not in reused:
            yield one.event


def is_providers(failed: RunFailed) -> bool:
    """Whether a run failed for reasons of those who were to answer."""
    if failed.error == "ChatRefusedError":
        return _REFUSED.search(failed.message) is not None
    return failed.error == "ChatUnreachableError"


def is_at_limit(entries: Sequence[Entry]) -> bool:
    """Whether a run ended since one of its limits was reached."""
    last = entries[-1].event
    return isinstance(last, RunFailed) and last.error == "LimitReachedError"


def cost_limit(entries: Sequence[Entry]) -> float:
    """What a run might cost, in US dollars, when it began last."""
    begun = [one.event for one in entries if isinstance(one.event, RunStarted | RunContinued)]
    return begun[-1].limits.get("cost", inf)


def spent_in(entries: Sequence[Entry]) -> float:
    """What a run cost, in US dollars."""
    return _summary(entries).cost


def _summary(entries: Sequence[Entry]) -> RunSummary:
    tally = Tally(entries[0].run if entries else RunId(""))
    tally.count_all(entries)
    return tally.summary
