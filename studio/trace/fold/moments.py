"""A run as it was at any moment: the fold up to any of its entries, without folding all of them again.

Entries are kept in chunks. Of each chunk the steps that it touched are kept as they were at its end, and the
run without its steps. The run at a moment is put together of these images, and the entries since the last
whole chunk are folded in; what these change is copied first. So each costs a chunk at most, and a look-up in
C for each step that there is.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from typing import TypeVar, cast

from studio.ids import StepId
from studio.trace import events
from studio.trace.events import Entry
from studio.trace.fold.packed_steps import Steps
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState

CHUNK = 500
"""Entries folded at most to reach a moment."""

ENDINGS = (events.RunContinued, events.RunFinished, events.RunFailed, events.RunCancelled)
"""Events that change steps which they do not name: whatever has not ended."""

GROWING = ("order", "log", "paid")
"""Lists of a run that only grow, so that a moment has the beginning of them."""

T = TypeVar("T")


class Moments:
    """All moments of one run; grows with it."""

    def __init__(self, chunk: int = CHUNK) -> None:
        self._chunk = chunk
        self._entries: list[Entry] = []
        self._times: list[float] = []
        self._whole = RunState()
        self._own: set[StepId] = set()
        self._images: list[dict[StepId, StepState]] = []
        self._heads: list[tuple[RunState, tuple[int, ...]]] = [self._head()]
        self._base: dict[StepId, StepState] = {}
        self._based = 0

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entries: Iterable[Entry]) -> None:
        """Take in what happened next."""
        for entry in entries:
            _apply(self._whole, entry, self._own)
            self._entries.append(entry)
            # A clock that was set back does not let what came later happen first.
            self._times.append(max(entry.time, self._times[-1]) if self._times else entry.time)
            if not len(self._entries) % self._chunk:
                steps = self._whole.steps
                self._images.append({name: steps[name] for name in self._own if name in steps})
                self._heads.append(self._head())
                self._own = set()

    def count(self, time: float) -> int:
        """How many entries there were at a time (seconds since the epoch), those of that time included."""
        return bisect_right(self._times, time)

    def time(self, count: int) -> float:
        """When the last of so many entries came; those of an empty run came at no time."""
        return self._times[count - 1] if count > 0 else 0.0

    def touched(self, first: int, last: int) -> Sequence[StepId]:
        """The steps that entries between two counts name, whichever of the two is greater."""
        low, high = sorted((first, last))
        return list(dict.fromkeys(entry.step for entry in self._entries[low:high] if entry.step))

    def state(self, count: int) -> RunState:
        """The fold of the first `count` entries; not to be changed, for it shares its steps with others."""
        count = min(max(count, 0), len(self._entries))
        chunk = count // self._chunk
        head, lengths = self._heads[chunk]
        state = _loose(head)
        state.steps = Steps.of(self._steps_after(chunk))
        for name, length in zip(GROWING, lengths, strict=True):
            whole = cast("list[object]", getattr(self._whole, name))
            setattr(state, name, whole[:length])
        own: set[StepId] = set()
        for entry in self._entries[chunk * self._chunk : count]:
            _apply(state, entry, own)
        return state

    def _head(self) -> tuple[RunState, tuple[int, ...]]:
        """The run as it is, without its steps and what only grows, and how much of that there is."""
        head = copy(self._whole)
        head.steps = Steps()
        for name in GROWING:
            setattr(head, name, [])
        return _loose(head), tuple(len(cast("list[object]", getattr(self._whole, name))) for name in GROWING)

    def _steps_after(self, chunks: int) -> dict[StepId, StepState]:
        if chunks < self._based:
            self._base, self._based = {}, 0
        for image in self._images[self._based : chunks]:
            self._base.update(image)
        self._based = chunks
        return self._base


def _apply(state: RunState, entry: Entry, own: set[StepId]) -> None:
    """Fold an entry in; steps that are not in `own` are copied before they change."""
    if isinstance(entry.event, ENDINGS):
        for step in list(state.steps.going()):
            _claim(state, step.id, own)
    for name in (entry.parent, entry.step):
        if name and name not in own:
            _claim(state, name, own)
    state.apply(entry)


def _claim(state: RunState, name: StepId, own: set[StepId]) -> None:
    """Make a step, and all inside which it happened, the state's own."""
    chain: list[StepId] = []
    while name and name not in own and name not in chain:
        chain.append(name)
        step = state.steps.get(name)
        name = step.parent if step is not None else StepId("")
    for one in reversed(chain):
        own.add(one)
        step = state.steps.get(one)
        if step is None:
            continue  # it comes to be with this entry
        copied = state.steps[one] = step.copied()
        above = state.steps.own(step.parent)
        if above is not None and above.listens_to(step):
            above.listen_to(copied)


def _loose(value: T) -> T:
    """Copy a state's record and what of it may change in place; frozen values are shared."""
    loosened = copy(value)
    for one in fields(loosened) if is_dataclass(loosened) else ():
        setattr(loosened, one.name, _loosened(getattr(loosened, one.name)))
    return loosened


def _loosened(value: object) -> object:
    if isinstance(value, dict):
        known = copy(cast("dict[object, object]", value))
        for key, one in known.items():
            known[key] = _loosened(one)
        return known
    if isinstance(value, list):
        return list(cast("list[object]", value))
    if is_dataclass(value) and not isinstance(value, type) and not _is_frozen(value):
        return _loose(value)
    return value


def _is_frozen(value: object) -> bool:
    return bool(getattr(type(value), "__dataclass_params__").frozen)  # noqa: B009
