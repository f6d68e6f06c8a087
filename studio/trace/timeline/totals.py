"""How much was done in a part of a run: its steps, their working, held and queued time, tokens and cost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studio.trace.fold.cost_curve import Spending
from studio.trace.fold.idle import Idleness, IdleSpan, worked_within
from studio.trace.fold.state import RunState
from studio.trace.timeline.spans import Bar, Lane

HELD = Idleness.HELD


@dataclass(slots=True)
class Totals:
    """Sums over the steps of nodes that took time in it. Seconds of steps side by side count each.

    Loops, maps and calls of flows are not counted beside the steps inside them; calls of chats and tools are
    part of their step.
    """

    steps: int = 0
    worked: float = 0.0
    held: float = 0.0
    waited: float = 0.0
    """What the run itself waited for a person or its box in it, whatever stood beside."""
    queued: float = 0.0
    tokens: int = 0
    cost: float = 0.0


def totals(
    state: RunState, lanes: Iterable[Lane], spending: Spending, first: float, last: float, now: float
) -> Totals:
    """Add up what lies between two times; what lasts does so until `now` (all seconds since the epoch)."""
    paid = spending.between(first, last)
    found = Totals(tokens=paid.tokens, cost=paid.cost)
    idle = list(state.idle.until(now))
    found.waited = sum(_shared(since, until, first, last) for since, until, why in idle if why is not HELD)
    for lane in lanes:
        if lane.call:
            continue
        for bar in lane.bars:
            if bar.start <= last if bar.ready is None else bar.ready <= last:
                end = bar.end
                if (end is None or end >= first) and not _is_around_others(state, bar):
                    _add(found, bar, first, last, now, idle)
        found.queued += sum(_shared(since, now, first, last) for since in lane.waiting.values())
    return found


def _add(found: Totals, bar: Bar, first: float, last: float, now: float, idle: Sequence[IdleSpan]) -> None:
    if bar.ready is not None:
        found.queued += _shared(bar.ready, bar.start, first, last)
    end = now if bar.end is None else bar.end
    if bar.start > last or end < first:
        return
    found.steps += 1
    if bar.held:
        found.held += sum(
            _shared(start, now if until is None else until, first, last) for start, until in bar.held
        )
    spans = [*bar.held, *((since, until) for since, until, _ in idle)]
    found.worked += worked_within(max(bar.start, first), min(end, last), spans)


def _shared(start: float, end: float, first: float, last: float) -> float:
    return max(min(end, last) - max(start, first), 0.0)


def _is_around_others(state: RunState, bar: Bar) -> bool:
    inner = state.steps[bar.step].children
    return bool(inner) and not state.steps[inner[0]].call
