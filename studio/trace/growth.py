"""What grew in a run, as a tree: parts that steps told of, agents that had turns, flows that were called.

A row stands beneath the part or the call inside which it came to be, however many flows lie between; so a
flow that calls itself is a tree of its calls.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from studio.ids import StepId, is_called, own_step
from studio.trace.events.parts import PartTold
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState

Sort: TypeAlias = Literal["step", "part", "turn", "flow"]
"""A step that makes what stands beneath it, a part of it, the turn of an agent or tool, a called flow."""


@dataclass(frozen=True, slots=True)
class Grown:
    """One row: `step` tells of it, `above` is the key of the row above, `works` are calls that work on it."""

    key: str
    sort: Sort
    step: StepId
    above: str = ""
    told: PartTold | None = None
    works: tuple[StepId, ...] = ()

    @property
    def place(self) -> StepId:
        """The step that shows what it did: the last that works on it, else the one that tells of it."""
        return self.works[-1] if self.works else self.step


def part_key(step: StepId, part: str) -> str:
    """The key of a part's row; a step's own row has its name."""
    return f"{step}\n{part}"


class Growth:
    """Notes which steps make the tree, at a cost for each touched step; the rows are made when asked for."""

    def __init__(self) -> None:
        self._grown: dict[StepId, Sort] = {}

    def update(self, state: RunState, touched: Iterable[StepId]) -> bool:
        """Look at these steps again; gives whether the tree may be another one now."""
        is_other = False
        for name in touched:
            step = state.steps.get(name)
            if step is None:
                continue
            is_other |= bool(step.parts) or name in self._grown
            for one, sort in _growing(state, step):
                if self._grown.get(one, "flow") == "flow" and sort != self._grown.get(one):
                    self._grown[one] = sort
                    is_other = True
        return is_other

    def rows(self, state: RunState) -> Sequence[Grown]:
        """The tree in a run, at any of its moments: each row after the one above it."""
        steps = [step for one in self._grown if (step := state.steps.get(one)) is not None]
        works = {step.id: _works(state, step) for step in steps if step.parts}
        found: dict[str, list[Grown]] = {}
        for step in sorted(steps, key=lambda one: one.began or 0.0):
            for row in self._rows_of(state, step, works):
                found.setdefault(row.above, []).append(row)
        return [row for row in _in_order(found) if _tells(row, found)]

    def _rows_of(
        self, state: RunState, step: StepState, works: Mapping[StepId, Mapping[str, tuple[StepId, ...]]]
    ) -> Iterator[Grown]:
        above, is_work = self._above(state, step)
        if not is_work:
            yield Grown(step.id, self._grown[step.id], step.id, above, None, (step.id,))
        for name, told in step.parts.items():
            is_known = told.of in step.parts and not _is_circle(step.parts, name)
            beneath = part_key(step.id, told.of) if is_known else above if is_work else str(step.id)
            yield Grown(part_key(step.id, name), "part", step.id, beneath, told, works[step.id].get(name, ()))

    def _above(self, state: RunState, step: StepState) -> tuple[str, bool]:
        """The row above a step, and whether the step itself is the work on that part, and has no row."""
        key = _part_of(state, step)
        if key:
            return key, True
        for around in state.ancestors(step):
            key = _part_of(state, around)
            if key:
                return key, False
            if around.id in self._grown:
                return str(around.id), False
        return "", False


def _growing(state: RunState, step: StepState) -> Iterator[tuple[StepId, Sort]]:
    """The steps that a step makes part of the tree: itself with its parts, and who called it into being."""
    if step.parts:
        yield step.id, "step"
    segment = step.scope.rpartition("/")[2]
    caller = state.steps.get(StepId(step.scope)) if segment and is_called(segment) else None
    if caller is None:
        return
    if not caller.call:
        yield caller.id, "flow"
        return
    yield caller.id, "turn"
    own = own_step(caller.id)
    if own in state.steps:
        yield own, "step"


def _works(state: RunState, step: StepState) -> Mapping[str, tuple[StepId, ...]]:
    """The calls of a step that work on each of its parts."""
    found: dict[str, tuple[StepId, ...]] = {}
    for name in step.children:
        call = state.steps.get(name)
        if call is not None and call.call_id in step.parts:
            found[call.call_id] = (*found.get(call.call_id, ()), name)
    return found


def _part_of(state: RunState, call: StepState) -> str:
    """The key of the part that a call works on; empty where it works on none."""
    if not call.call_id:
        return ""
    maker = state.steps.get(call.parent)
    return part_key(maker.id, call.call_id) if maker is not None and call.call_id in maker.parts else ""


def _is_circle(parts: Mapping[str, PartTold], name: str) -> bool:
    """Whether a part is told to have grown out of itself, by however many others."""
    seen: set[str] = set()
    while name in parts and name not in seen:
        seen.add(name)
        name = parts[name].of
    return name in seen


def _in_order(found: Mapping[str, Sequence[Grown]]) -> Iterator[Grown]:
    """Each row, then those beneath it; without recursion, for a tree may be deep."""
    waiting = list(reversed(found.get("", ())))
    while waiting:
        row = waiting.pop()
        yield row
        waiting.extend(reversed(found.get(row.key, ())))


def _tells(row: Grown, found: Mapping[str, Sequence[Grown]]) -> bool:
    """What makes nothing (yet) is no tree; a call of a flow within another is a leaf of one."""
    return row.sort in {"part", "turn"} or row.key in found or (row.sort == "flow" and bool(row.above))
