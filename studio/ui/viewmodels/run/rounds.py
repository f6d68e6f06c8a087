"""Which rounds and items a run has come to, and the way from a step in one to the same step in the next."""

from bisect import bisect_left
from collections.abc import Callable, Container
from dataclasses import dataclass

from studio.ids import NodeId, Scope, StepId, own_scope

Base = Callable[[NodeId], int]
"""The number of the first round of a loop (1), or of the first item of a map (0)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One round or item among those that there are so far, counted from 1."""

    at: int
    count: int


class Rounds:
    """Knows of the rounds and items of a run's own flow; grows with its steps."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._first_steps: dict[str, StepId] = {}
        self.within: Container[StepId] | None = None
        """The steps that there are at the moment that is shown; None: all."""

    def add(self, scope: Scope, step: StepId) -> None:
        """Note that a step stands in a scope."""
        if not scope or scope in self._first_steps:
            return
        around = ""
        # Nearly all stand in rounds and items only.
        for segment in scope.split("/") if "#" not in scope else own_scope(scope).split("/"):
            owner, _, index = segment.rpartition(".")
            if not index.isdecimal():
                return
            place = f"{around}/{owner}" if around else owner
            self._last[place] = max(int(index), self._last.get(place, 0))
            around = f"{around}/{segment}" if around else segment
            # The text of the scope itself is kept anyway.
            self._first_steps.setdefault(scope if around == scope else around, step)

    def first_step(self, scope: Scope) -> StepId | None:
        """The step that a round or item began with."""
        found = self._first_steps.get(scope)
        return found if found is None or self.within is None or found in self.within else None

    def last(self, around: Scope, owner: NodeId) -> int | None:
        """The number of the last round or item of a loop or map that stands in a scope."""
        place = f"{around}/{owner}" if around else owner
        last, within = self._last.get(place), self.within
        if last is None or within is None:
            return last

        def is_to_come(index: int) -> bool:
            first = self._first_steps.get(f"{place}.{index}")
            return first is not None and first not in within

        # Rounds follow one another, and items begin in their order.
        came = bisect_left(range(last + 1), True, key=is_to_come) - 1
        return came if f"{place}.{came}" in self._first_steps else None

    def turn(self, scope: Scope, base: Base) -> Turn | None:
        """Which round or item the innermost segment of a scope is; None where it is none."""
        around, _, segment = scope.rpartition("/")
        owner, _, index = segment.rpartition(".")
        last = self.last(Scope(around), NodeId(owner)) if index.isdecimal() else None
        if last is None:
            return None
        first = base(NodeId(owner))
        return Turn(int(index) - first + 1, last - first + 1)

    def neighbour(
        self, scope: Scope, step: int, base: Base, find: Callable[[Scope], StepId | None]
    ) -> StepId | None:
        """The nearest step before (`step` -1) or after (1) those of a scope; `find` gives that of a scope.

        Where the rounds of an inner loop end, those of the next outer round follow.
        """
        segments = str(own_scope(scope)).split("/") if scope else []
        for depth in range(len(segments) - 1, -1, -1):
            around = "/".join(segments[:depth])
            owner, _, index = segments[depth].rpartition(".")
            first, last = base(NodeId(owner)), self.last(Scope(around), NodeId(owner))
            inner = [NodeId(one.rpartition(".")[0]) for one in segments[depth + 1 :]]
            number = int(index) + step
            while last is not None and first <= number <= last:
                outer = f"{around}/{owner}.{number}" if around else f"{owner}.{number}"
                found = find(self._within(Scope(outer), inner, step, base))
                if found is not None:
                    return found
                number += step
        return None

    def _within(self, scope: Scope, owners: list[NodeId], step: int, base: Base) -> Scope:
        """The first of all inner rounds on the way forward, the last of all on the way back."""
        for owner in owners:
            number = base(owner) if step > 0 else self.last(scope, owner)
            scope = Scope(f"{scope}/{owner}.{base(owner) if number is None else number}")
        return scope
