"""Statements in order: each after what it waits for, consecutive ones of one condition under one `if`."""

from collections.abc import Container, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from studio.export.structure.conditions import ALWAYS, NEVER, Condition
from studio.export.structure.readings import Readings
from studio.export.writing.calls import Calls
from studio.export.writing.handovers import Handovers
from studio.export.writing.lanes import Lanes
from studio.export.writing.marks import MARK, marked
from studio.export.writing.statements import Lines, Outline, Room, Statement, indented
from studio.ids import NodeId

Placed: TypeAlias = tuple[Statement, Condition]
"""A statement, and when it takes place."""


class Sequences(Room):
    """Brings the statements of a body into an order that reads well."""

    def __init__(self, readings: Readings, outline: Outline, calls: Calls) -> None:
        super().__init__(readings, outline)
        self._calls = calls
        self._opened: set[NodeId] = set()
        self.handovers = Handovers()
        self.lanes = Lanes(readings, outline, self.handovers, self.written)

    def written(self, statements: list[Statement], known: Condition) -> Lines:
        """Write statements in an order in which each stands after what it waits for."""
        return self.nested(self.ordered(statements, known), known)

    def ordered(self, statements: list[Statement], known: Condition) -> list[Placed]:
        """Statements in their order, each with when it takes place; what overlaps is one of them."""
        waiting = {one.key: one for one in self.lanes.woven(statements, known)}
        left = {key: len(one.waits & waiting.keys()) for key, one in waiting.items()}
        freed: dict[str, list[Statement]] = {}
        for one in waiting.values():
            for key in one.waits:
                freed.setdefault(key, []).append(one)
        ready = _Ready(known, self._chart.owned)
        for key, one in waiting.items():
            if not left[key]:
                ready.add(one)
        placed: list[Placed] = []
        current = ALWAYS
        for _ in waiting:
            first, current = ready.take(current)
            if current != NEVER:
                placed.append((first, current))
            for one in freed.get(first.key, ()):
                left[one.key] -= 1
                if not left[one.key]:
                    ready.add(one)
        return placed

    def nested(self, placed: list[Placed], known: Condition) -> Lines:
        """Write statements, consecutive ones of one condition under one `if`."""
        lines: Lines = []
        at = 0
        while at < len(placed):
            one, condition = placed[at]
            if condition == ALWAYS or known.implies(condition):
                opening = self._opening([one])
                written = one.write(known)
                at += 1
                if opening:
                    rest = self.nested(placed[at:], known)
                    return [*lines, *opening, *indented([*written, *rest])]
                lines += written
                if _never_goes_on(written):
                    return lines
                continue
            stop = at
            while stop < len(placed) and placed[stop][1].implies(condition):
                stop += 1
            arm = placed[at:stop]
            opening = self._opening([one for one, _ in arm])
            if opening:
                rest = self.nested(placed[at:], known)
                return [*lines, *opening, *indented(rest)]
            chain, at = self._chain(placed, at, stop, known)
            lines += chain
        return lines

    def _chain(self, placed: list[Placed], at: int, stop: int, known: Condition) -> tuple[Lines, int]:
        """Write an `if`, and what follows it under conditions that exclude it as its `elif` and `else`."""
        lines: Lines = []
        taken = NEVER
        word = "if"
        while True:
            condition = placed[at][1]
            written = self._nested_arm(placed[at:stop], known & condition)
            if written:
                left = (known & ~taken) if taken != NEVER else known
                is_rest = taken != NEVER and left.implies(condition)
                lines.append("else:" if is_rest else f"{word} {condition.given(left).test()}:")
                lines += indented(written)
                taken |= condition
                word = "elif"
            at = stop
            if at >= len(placed):
                break
            following = placed[at][1]
            if following == ALWAYS or not following.excludes(taken) or taken == NEVER:
                break
            if self._opening([placed[at][0]], peek=True):
                break
            stop = at
            while stop < len(placed) and placed[stop][1].implies(following):
                stop += 1
        return lines, at

    def _nested_arm(self, placed: list[Placed], known: Condition) -> Lines:
        inner = [(one, condition.given(known)) for one, condition in placed]
        return self.nested(inner, known)

    def _opening(self, some: Sequence[Statement], *, peek: bool = False) -> Lines:
        """The `async with` for what statements borrow and nobody has borrowed before."""
        lenders = [one for statement in some for one in statement.lenders]
        fresh = [one for one in dict.fromkeys(lenders) if one not in self._opened]
        if not fresh or peek:
            return [str(one) for one in fresh]
        self._opened.update(fresh)
        opened = [f"{self._calls.expression(one, ALWAYS, [])} as {self._variables[one]}" for one in fresh]
        line = (
            f"async with {', '.join(opened)}:" if len(opened) == 1 else f"async with ({', '.join(opened)},):"
        )
        return marked(fresh, [line])


class _Ready:
    """What may stand next, by when it takes place, so that only the first of each is looked at."""

    def __init__(self, known: Condition, owned: Container[NodeId]) -> None:
        self._known = known
        self._owned = owned
        self._given: dict[Condition, Condition] = {}
        self._orders: dict[Condition, str] = {}
        self._heaps: dict[Condition, list[tuple[int, str]]] = {}
        self._statements: dict[str, Statement] = {}

    def add(self, one: Statement) -> None:
        """Let a statement stand next."""
        if one.condition not in self._given:
            self._given[one.condition] = one.condition.given(self._known)
        condition = self._given[one.condition]
        if condition not in self._orders:  # what holds is read before what does not
            self._orders[condition] = condition.test().replace("not ", "~").replace("!=", "~=")
        effort = 1 if one.call is not None else 2 if NodeId(one.key) in self._owned else 0
        self._statements[one.key] = one
        heappush(self._heaps.setdefault(condition, []), (effort, one.key))

    def take(self, current: Condition) -> Placed:
        """Take what is written next: what stands in the same `if`, then what goes quickly, then by name."""
        if not self._heaps:
            message = "steps wait for one another"
            raise AssertionError(message)
        first = min(self._heaps, key=lambda one: self._rank(one, current))
        _, key = heappop(self._heaps[first])
        if not self._heaps[first]:
            del self._heaps[first]
        return self._statements[key], first

    def _rank(self, condition: Condition, current: Condition) -> tuple[int, int, str, str]:
        effort, key = self._heaps[condition][0]
        if condition == NEVER:
            nearness = -1
        elif condition == current:
            nearness = 0
        elif current != ALWAYS and condition.implies(current):
            nearness = 1
        else:
            nearness = 2 if condition == ALWAYS else 3
        return (nearness, effort, self._orders[condition], key)


def _never_goes_on(lines: Lines) -> bool:
    """Whether lines end by raising, as a loop does that has no other end: what follows has no values."""
    return next((line for line in reversed(lines) if not line.startswith(MARK)), "").startswith("raise ")
