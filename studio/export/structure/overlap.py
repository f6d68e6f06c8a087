"""Which steps of a body take place at the same time, as the scheduler has it: each as soon as it can.

Steps that never overlap stand one after the other. What overlaps falls into lanes that have nothing to do
with one another, or, where it does not, into threads that wait for one another.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Excludes: TypeAlias = Callable[[str, str], bool]
"""Whether two steps never both take place."""


@dataclass(frozen=True)
class Weave:
    """Steps by name, each after those that it waits for, with those that take any time."""

    waits: Mapping[str, frozenset[str]]
    slow: frozenset[str]
    excludes: Excludes

    def among(self, names: Iterable[str]) -> "Weave":
        """The same of some of the steps."""
        kept = frozenset(names)
        waits = {name: one & kept for name, one in self.waits.items() if name in kept}
        return Weave(waits, self.slow & kept, self.excludes)

    @cached_property
    def before(self) -> Mapping[str, frozenset[str]]:
        """All that comes before each step."""
        found: dict[str, frozenset[str]] = {}
        waiting = list(self.waits)
        while waiting:
            name = waiting[-1]
            left = [one for one in self.waits[name] if one not in found]
            if left and name not in found:
                waiting += left
                continue
            found[name] = self.waits[name].union(*(found[one] for one in self.waits[name]))
            waiting.pop()
        return found

    @cached_property
    def overlapping(self) -> Sequence[tuple[str, str]]:
        """Every two steps that may take place at the same time."""
        slow = [name for name in self.waits if name in self.slow]
        return [
            (one, other)
            for place, one in enumerate(slow)
            for other in slow[place + 1 :]
            if one not in self.before[other]
            and other not in self.before[one]
            and not self.excludes(one, other)
        ]

    def stages(self) -> list[list[str]]:
        """Groups of which none overlaps with another; in each the steps in their order."""
        home = _joined(self.waits, self.overlapping)
        while knot := _knot(self.waits, home):
            home = {name: min(knot) if place in knot else place for name, place in home.items()}
        return _grouped(home)

    def lanes(self) -> list[list[str]]:
        """Parts that have nothing to do with one another; of those that exclude each other one is made.

        In each lane the steps are in an order in which they may stand.
        """
        wires = [(one, name) for name, found in self.waits.items() for one in found]
        lanes: list[list[str]] = []
        for part in _grouped(_joined(self.waits, wires)):
            fitting = next((lane for lane in lanes if self._are_apart(lane, part)), None)
            if fitting is None:
                lanes.append(part)
            else:
                fitting += part
        return [sorted(lane, key=lambda one: len(self.before[one])) for lane in lanes]

    def threads(self) -> "list[Thread]":
        """Chains of steps, each of which others wait for only at its end; what takes no time joins one."""
        nearest = {name: self._nearest(name) for name in self.waits}
        following = {name: {one for one in self.waits if name in nearest[one]} for name in self.waits}
        threads: list[Thread] = []
        home: dict[str, Thread] = {}
        for name in sorted(self.waits, key=lambda one: (len(self.before[one]), one in self.slow)):
            around = list({home[one].place: home[one] for one in nearest[name]}.values())
            fitting = [one for one in around if self._may_go_on(one, name, nearest[name], following)]
            thread = min(fitting, key=lambda one: one.place) if fitting else Thread(len(threads))
            if not fitting:
                threads.append(thread)
            home[name] = thread
            thread.steps.append(name)
            thread.awaited.append({home[one].place for one in nearest[name]} - {thread.place})
        return threads

    def _may_go_on(
        self, thread: "Thread", name: str, nearest: Sequence[str], following: Mapping[str, set[str]]
    ) -> bool:
        """Whether a thread may go on with a step without keeping those who await it."""
        if name in self.slow:
            left = set[str]().union(*(following[one] for one in thread.steps)) - {*thread.steps, name}
            return thread.steps[-1] in nearest and not left
        last = max((place for place, one in enumerate(thread.steps) if one in nearest), default=-1)
        is_alone = all(one in thread.steps for one in nearest)
        return is_alone and not any(one in self.slow for one in thread.steps[last + 1 :])

    def _nearest(self, name: str) -> list[str]:
        """What a step waits for, less what comes before that anyway."""
        found = self.waits[name]
        return [one for one in self.waits if one in found and not any(one in self.before[o] for o in found)]

    def _are_apart(self, some: Sequence[str], others: Sequence[str]) -> bool:
        """Whether no step of the one ever takes place beside one of the other."""
        return all(
            self.excludes(one, other)
            for one in some
            for other in others
            if one in self.slow and other in self.slow
        )


@dataclass(slots=True)
class Thread:
    """Steps one after the other, and which other threads each of them waits for."""

    place: int
    steps: list[str] = field(default_factory=list[str])
    awaited: list[set[int]] = field(default_factory=list[set[int]])
    """For each step the threads that it has to wait for itself."""


def _joined(names: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Give each name the number of its part, where pairs belong together."""
    home = {name: place for place, name in enumerate(names)}
    parts = {place: [name] for name, place in home.items()}
    for one, other in pairs:
        kept, moved = sorted((home[one], home[other]))
        if kept != moved:
            for name in parts[moved]:
                home[name] = kept
            parts[kept] += parts.pop(moved)
    return home


def _knot(waits: Mapping[str, frozenset[str]], home: Mapping[str, int]) -> set[int]:
    """Parts that wait for one another; empty where there are none."""
    left: dict[int, set[int]] = {place: set() for place in home.values()}
    for name, found in waits.items():
        left[home[name]] |= {home[one] for one in found} - {home[name]}
    while ready := [place for place, found in left.items() if not found]:
        for place in ready:
            del left[place]
        for found in left.values():
            found.difference_update(ready)
    return next((knot for place in left if (knot := _tangled(left, place))), set[int]())


def _tangled(waits: Mapping[int, set[int]], place: int) -> set[int]:
    """The parts that wait for one, and that it waits for: a knot, itself among them, or nothing."""
    before = reached([place], waits)
    return {one for one in before if place in reached([one], waits)}


def reached(start: Iterable[T], edges: Mapping[T, Iterable[T]]) -> set[T]:
    """All that can be reached from `start` along `edges`; a start only where a way leads back to it."""
    found: set[T] = set()
    waiting = list(start)
    while waiting:
        for one in edges.get(waiting.pop(), ()):
            if one not in found:
                found.add(one)
                waiting.append(one)
    return found


def _grouped(home: Mapping[str, int]) -> list[list[str]]:
    groups: dict[int, list[str]] = {}
    for name, place in home.items():
        groups.setdefault(place, []).append(name)
    return list(groups.values())
