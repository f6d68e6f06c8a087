"""What a run that goes back to an earlier one has to know beside results and answers.

What happened inside steps that do not run again is told again, so that the new run is as complete as the old
one; what they wrote to run variables takes effect again, in the same order; races keep their winners.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from studio.ids import RunId, StepId
from studio.runtime.values import FILE, USER, said_by
from studio.trace import events
from studio.trace.events import AnswerReused, Entry, Written
from studio.trace.fold.state import RunState, StepStatus

_ANSWERS = (events.ChatAnswered, events.EmbedAnswered, events.ToolAnswered, events.ApprovalGiven)
_PASSING = (events.TextStreamed, events.AnswerReused, events.StepHeld, events.StepReleased)
"""What happened in calls, and left nothing behind."""

_ASIDE = (
    events.StepReady,
    events.StepStarted,
    events.StepHeld,
    events.StepReleased,
    events.InputsEdited,
    events.OutputsEdited,
    events.StepFaulted,
    events.StepFinished,
    events.StepFailed,
    events.StateWritten,
    events.MemoryWritten,
    events.AnswerReused,
    events.TextStreamed,
)
"""What the runtime records of a step that does not run as well."""


def retold(entries: Iterable[Entry], steps: Collection[StepId], run: RunId) -> dict[StepId, list[Entry]]:
    """What happened inside `steps`, calls included; what was answered is told as reused."""
    told: dict[StepId, list[Entry]] = defaultdict(list)
    for entry in entries:
        step, event = _around(entry.step, steps), entry.event
        if step is None or (isinstance(event, events.LogWritten) and event.breakpoint):
            continue
        call = step != entry.step
        if not call and isinstance(event, events.StepStarted):
            told[step].clear()
        elif call:
            if isinstance(event, _PASSING):
                continue
            if isinstance(event, _ANSWERS):
                reused = AnswerReused(run, entry.step)
                told[step].append(Entry(run, 0, entry.step, entry.parent, entry.time, reused))
            told[step].append(entry)
        elif not isinstance(event, _ASIDE):
            told[step].append(entry)
    return told


def _around(step: StepId, steps: Collection[StepId]) -> StepId | None:
    """The one of `steps` that `step` is, or in which it is a call."""
    name, mark, _ = step.partition("#")
    while StepId(name) not in steps:
        if not mark:
            return None
        inner, mark, _ = step[len(name) + 1 :].partition("#")
        name = f"{name}#{inner}"
    return StepId(name)


def labels_told(told: Iterable[Entry]) -> frozenset[str]:
    """Labels of what came into a step while all this happened."""
    labels: frozenset[str] = frozenset()
    for entry in told:
        match entry.event:
            case events.FolderOpened():
                labels |= FILE
            case events.ChatAnswered() | events.EmbedAnswered():
                labels |= said_by(entry.event.llm)
            case events.ApprovalGiven() | events.InputsEdited() | events.OutputsEdited():
                labels |= USER
            case events.ToolAnswered():
                labels |= frozenset(entry.event.labels)
            case events.StateRead() if entry.event.value is not None:
                labels |= frozenset(entry.event.value.labels)
            case events.MemoryRead():
                labels |= frozenset(label for one in entry.event.found for label in one.labels)
            case _:
                pass
    return labels


def writes_of(state: RunState, steps: Iterable[StepId]) -> dict[StepId, Sequence[Written]]:
    """What `steps` wrote to run variables and memories."""
    found = {step: (*state.steps[step].writes, *state.steps[step].remembered) for step in steps}
    return {step: writes for step, writes in found.items() if writes}


def order_of_writes(entries: Iterable[Entry], state: RunState) -> dict[str, int]:
    """When what steps and items wrote took effect, by step or scope: the numbers of the entries."""
    order: dict[str, int] = {}
    for entry in entries:
        if isinstance(entry.event, events.StateMerged):
            order.setdefault(entry.event.scope, entry.number)
        elif isinstance(entry.event, events.StepFinished):
            step = state.steps[entry.step]
            if step.writes or step.remembered:
                order[entry.step] = entry.number
    return order


def winners_of(entries: Iterable[Entry]) -> Mapping[StepId, str]:
    """The output whose value each race took."""
    return {
        entry.step: entry.event.winner for entry in entries if isinstance(entry.event, events.RaceDecided)
    }


def failed_outside(state: RunState, steps: Iterable[StepId]) -> dict[StepId, events.StepFailed]:
    """The errors of those `steps` that began, and failed by themselves."""
    return {
        step: error
        for step in steps
        if (found := state.steps[step]).status is StepStatus.FAILED
        and (error := found.error) is not None
        and not error.origin
        and found.started is not None
    }
