"""A run as lines for people: one for each step as it ends, and one for the end."""

from typing import cast

from studio.ids import StepId
from studio.terminal.memory_lines import trouble_line
from studio.terminal.part_lines import part_line
from studio.trace.events import (
    BudgetReached,
    Entry,
    LogWritten,
    RunHeld,
    StepCancelled,
    StepFailed,
    StepFaulted,
    StepFinished,
    StepHeld,
    StepReleased,
    StepRetried,
    StepSkipped,
)
from studio.trace.events.parts import PartTold
from studio.trace.figures import amount, cost, duration
from studio.trace.fold.chat_use import cached_words, total
from studio.trace.fold.idle import idle_words, status_word
from studio.trace.fold.state import RunState, StepState

_ENDINGS = (StepFinished, StepFailed, StepSkipped, StepCancelled)
_HOLDS = (StepHeld, StepReleased, RunHeld, BudgetReached)


def step_line(entry: Entry, state: RunState) -> str | None:
    """Give the line for an entry that ended a node's own step, or that tells of trouble; None for others.

    `state` has taken the entry in already.
    """
    event = entry.event
    step = state.steps.get(entry.step)
    if isinstance(event, LogWritten):
        return f"  log      {entry.step}: {event.text}"
    if (trouble := trouble_line(entry)) is not None:
        return trouble
    if isinstance(event, StepFaulted):
        return f"  fault    {entry.step}: {event.fault} {event.at}"
    if isinstance(event, _HOLDS):
        return _hold_line(entry.step, event)
    if step is not None and isinstance(event, PartTold):
        return part_line(step, event)
    if step is None or step.call:
        return None
    if isinstance(event, StepRetried):
        return f"  retry    {step.id}: {event.error}"
    return summary_line(state, step) if isinstance(event, _ENDINGS) else None


def _hold_line(step: StepId, event: StepHeld | StepReleased | RunHeld | BudgetReached) -> str:
    """Say what a window holds, or that it goes on."""
    match event:
        case StepHeld():
            return f"  paused   {step} · {event.phase} its work · {event.reason}"
        case StepReleased():
            return f"  resumed  {step}"
        case RunHeld():
            return "  paused   the run, at its next steps"
        case BudgetReached():
            limit = amount(event.limit, event.allowed)
            return f"  paused   {event.node or 'the run'} · reached its limit of {limit}"


def summary_line(state: RunState, step: StepState) -> str:
    """Say of a step how it ended, how long it worked, what it cost, and why it failed."""
    parts = [f"  {status_word(step.status):<8} {step.id}"]
    worked = state.worked_by(step)
    if worked is not None:
        parts.append(duration(worked))
    parts.extend(_spent(step.tokens, step.cost))
    parts += [f"injected fault: {one}" for one in state.faults_in(step)]
    if step.error is not None:
        parts.append(step.error.message)
    elif (caught := _caught(step)) is not None:
        parts.append(f"returned an error: {caught}")
    elif step.note and step.status.value == "skipped":
        parts.append(step.note)
    return " · ".join(parts)


def _caught(step: StepState) -> str | None:
    """What the error says that a step gave in the place of its outputs, if it did."""
    if set(step.outputs) != {"error"}:
        return None
    told = step.outputs["error"].data
    words = cast("dict[str, object]", told).get("message") if isinstance(told, dict) else None
    return words if isinstance(words, str) else None


def ending(state: RunState) -> str:
    """Say how the run ended, how long it worked, was held and waited, and what it cost."""
    parts = [status_word(state.status)]
    worked = state.worked()
    if worked is not None:
        parts += [duration(worked), *idle_words(state.idle)]
    parts.append(f"{sum(not one.call and one.started is not None for one in state.steps.values())} steps")
    parts.extend(_spent(state.tokens, state.cost, state.unpriced))
    if state.made_up:
        parts.append(made_up_words(state.made_up))
    if state.faults:
        parts.append("with injected faults")
    if state.cached:
        parts.append(cached_words(total(state.uses.values())))
    return " · ".join(parts)


def made_up_words(count: int) -> str:
    """Say that answers were made up."""
    return f"{count} made-up answer{'s' * (count != 1)}"


def _spent(tokens: int, dollars: float, unpriced: int = 0) -> list[str]:
    said = [cost(dollars, unpriced)] if dollars >= 0.00005 or unpriced else []
    return [f"{tokens:,} tokens"] * (tokens > 0) + said
