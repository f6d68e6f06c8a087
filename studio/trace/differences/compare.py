"""Whether two runs did the same: per step the same events in the same order.

Set aside are times, numbers, run ids, ids of tool calls, the place of the project, how streamed text was cut
into pieces, whether an answer was reused, and how long the debugger held what. A call and an attempt are
steps of their own. The order between steps is compared only as far as a step tells of others: a race of its
winner, a loop or map of its rounds and items, and of what these wrote in their order.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import cast

import orjson

from studio.flow.edits.diff import describe_difference
from studio.trace.differences.alignment import read_flow
from studio.trace.differences.comparable_entries import lane_of, settled, without_call_ids
from studio.trace.events import (
    AnswerReused,
    BudgetLeft,
    BudgetRaised,
    BudgetReached,
    BudgetWarned,
    Entry,
    LogWritten,
    MemoryOpened,
    MemoryUnsaved,
    PolicyDecided,
    RunHeld,
    RunResumed,
    RunStarted,
    StepCancelled,
    StepHeld,
    StepReleased,
    TextStreamed,
    event_to_json,
)
from studio.trace.events.values import Plain

ASIDE = (
    TextStreamed,
    AnswerReused,
    BudgetWarned,
    BudgetReached,
    BudgetRaised,
    BudgetLeft,
    StepHeld,
    StepReleased,
    PolicyDecided,
    MemoryUnsaved,
    RunHeld,
    RunResumed,
)
"""Events that are no part of what a run did, as are lines that breakpoints write."""


def first_difference(a: Sequence[Entry], b: Sequence[Entry]) -> str | None:
    """Say where run `b` first does something else than run `a`, in one sentence; None where nowhere."""
    if (told := _flow_difference(a, b)) is not None:
        return told
    a, b = made(settled(a)), made(settled(b))
    others: dict[str, list[Entry]] = defaultdict(list)
    for entry in b:
        if _counts(entry):
            others[lane_of(entry)].append(entry)
    seen: dict[str, int] = defaultdict(int)
    for entry in a:
        if not _counts(entry):
            continue
        lane = lane_of(entry)
        number = seen[lane]
        seen[lane] += 1
        if number >= len(others[lane]):
            return f"{_place(entry, number)}: `{entry.event.kind}` in the first run, nothing in the second."
        if (difference := _difference(entry, others[lane][number])) is not None:
            return f"{_place(entry, number)}: {difference}."
    for entry in b:
        if _counts(entry) and seen[lane_of(entry)] < len(others[lane_of(entry)]):
            extra = others[lane_of(entry)][seen[lane_of(entry)]]
            place = _place(extra, seen[lane_of(entry)])
            return f"{place}: nothing in the first run, `{extra.event.kind}` in the second."
    return None


def _flow_difference(a: Sequence[Entry], b: Sequence[Entry]) -> str | None:
    """Say that the flows themselves are not one; None where they are, or differ in what is not told."""
    begun = [one.event for run in (a, b) for one in run if isinstance(one.event, RunStarted)]
    if len(begun) != 2 or begun[0].flow == begun[1].flow:
        return None
    first, second = begun
    if first.flow_name != second.flow_name:
        return f"The runs belong to different flows: “{first.flow_name}” and “{second.flow_name}”."
    told = describe_difference(read_flow(first.flow), read_flow(second.flow))
    more = f" And {len(told) - 1} more." if len(told) > 1 else ""
    return f"The flow was edited between them. {told[0]}{more}" if told else None


def _counts(entry: Entry) -> bool:
    if isinstance(entry.event, LogWritten):
        return not entry.event.breakpoint
    return not isinstance(entry.event, ASIDE)


def made(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Leave out the ends of calls that were stopped while they were held, before they were made."""
    begun = {one.step for one in entries if _counts(one) and not isinstance(one.event, StepCancelled)}
    return [
        one
        for one in entries
        if one.step in begun or "#" not in one.step or not isinstance(one.event, StepCancelled)
    ]


def _place(entry: Entry, number: int) -> str:
    where = f"Step `{entry.step}`" if entry.step else "The run itself"
    return f"{where}, event {number + 1}"


def _difference(a: Entry, b: Entry) -> str | None:
    if a.event.kind != b.event.kind:
        return f"`{a.event.kind}` in the first run, `{b.event.kind}` in the second"
    if a.parent != b.parent:
        return f"`{a.event.kind}` inside `{a.parent}` in the first run, `{b.parent}` in the second"
    found = _find(_plain(a), _plain(b), "")
    return None if found is None else f"`{a.event.kind}` differs{found}"


def _find(a: Plain, b: Plain, path: str) -> str | None:
    if isinstance(a, dict) and isinstance(b, dict):
        one, other = cast("dict[str, Plain]", a), cast("dict[str, Plain]", b)
        for key in sorted({*one, *other}):
            if key not in one or key not in other:
                which = "second" if key in one else "first"
                return f" at `{_join(path, key)}`, which the {which} run lacks"
            if (found := _find(one[key], other[key], _join(path, key))) is not None:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list):
        items, others = cast("list[Plain]", a), cast("list[Plain]", b)
        for index, (x, y) in enumerate(zip(items, others, strict=False)):
            if (found := _find(x, y, f"{path}[{index}]")) is not None:
                return found
        if len(items) != len(others):
            return f" at `{path}`: {len(items)} elements in the first run, {len(others)} in the second"
        return None
    # 1 and True are equal, and not the same.
    if a == b and isinstance(a, bool) == isinstance(b, bool):
        return None
    return f" at `{path}`: {_short(a)} in the first run, {_short(b)} in the second"


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _short(value: Plain) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]}…"


def _plain(entry: Entry) -> Plain:
    plain = cast("dict[str, Plain]", orjson.loads(event_to_json(entry.event)))
    if isinstance(entry.event, RunStarted):
        for aside in ("project", "forked_from", "limits"):
            plain.pop(aside)
    if isinstance(entry.event, MemoryOpened):
        plain.pop("trouble")
    plain.pop("call_id", None)
    return without_call_ids(plain)
