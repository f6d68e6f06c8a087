"""Who comes next at a language model: by priority, in turn between runs, and beside whom it resembles.

Runs that share a profile have a line each, and the lines are served in turn: those of batches after all
others, and a call that begins with the same long text as the one before it first, so that it finds that text
in the endpoint's prefix cache; whoever would have been next is passed over four times at most.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import islice

from studio.llm.rate_limits.prefixes import BLOCK, Prefix
from studio.llm.rate_limits.rates import Spent

LONG = 2 * BLOCK
"""Characters that two requests have to begin with for one to be called beside the other."""

MOST_PASSED = 4
"""How often who would be next may be passed over by calls that resemble the one before."""

IN_SIGHT = 64
"""How far back in a line a call is looked for that resembles the one before."""


class Priority(IntEnum):
    """Whose calls go first: those of a run that somebody watches, then those that nobody waits for."""

    INTERACTIVE = 0
    BATCH = 1

    @property
    def word(self) -> str:
        """What people call it."""
        return self.name.lower()

    @classmethod
    def of(cls, word: str) -> "Priority":
        """Give the priority that people call so; raises `KeyError`."""
        return cls[word.upper()]


@dataclass(eq=False, slots=True)
class Place:
    """Somebody who waits in a line for a call of so many tokens; `passed` counts who overtook it."""

    line: Hashable
    turn: asyncio.Future[Spent]
    tokens: int
    prefix: Prefix | None = None
    passed: int = 0


@dataclass(slots=True)
class _Line:
    """The places of one run, first come, first served."""

    rank: Callable[[], Priority]
    places: deque[Place] = field(default_factory=deque[Place])


class Lines:
    """One line for each run. Within a priority they are served one after the other.

    Where a call begins with the same long text as the one called last, it may go first, so that it finds that
    text in the endpoint's cache; whoever would have been next is passed over `MOST_PASSED` times at most.
    """

    def __init__(self) -> None:
        self._lines: OrderedDict[Hashable, _Line] = OrderedDict()

    def __len__(self) -> int:
        return sum(len(line.places) for line in self._lines.values())

    def join(self, place: Place, rank: Callable[[], Priority]) -> None:
        """Stand at the end of a line; `rank` is asked whenever somebody is called."""
        self._lines.setdefault(place.line, _Line(rank)).places.append(place)

    def leave(self, place: Place) -> None:
        """Wait no longer; who is not there any more has been called already."""
        line = self._lines.get(place.line)
        if line is None or place not in line.places:
            return
        line.places.remove(place)
        if not line.places:
            del self._lines[place.line]

    def next(self, before: Prefix | None) -> Place | None:
        """Give who is to be called after a call that began with `before`; None where nobody waits."""
        lines = self._foremost()
        if not lines:
            return None
        usual = lines[0].places[0]
        if before is None or usual.passed >= MOST_PASSED:
            return usual
        best, shared = usual, max(_shared(usual, before), LONG - 1)
        for place in _in_reach(lines):
            likeness = _shared(place, before)
            if likeness > shared:
                best, shared = place, likeness
        return best

    def rank(self, place: Place) -> Priority:
        """Give the priority that the line of somebody who waits has just now."""
        return self._lines[place.line].rank()

    def take(self, place: Place) -> None:
        """Let somebody go, and count it against those who were passed over; its line has had its turn."""
        usual = self._foremost()[0].places[0]
        line = self._lines[place.line]
        for other in line.places:
            if other is place:
                break
            other.passed += 1
        if usual is not place and usual.line != place.line:
            usual.passed += 1
        self.leave(place)
        if line.places:
            self._lines.move_to_end(place.line)

    def _foremost(self) -> list[_Line]:
        """The lines of the first priority that anybody has, in turn."""
        ranked = [(line.rank(), line) for line in self._lines.values()]
        first = min((rank for rank, _ in ranked), default=None)
        return [line for rank, line in ranked if rank is first]


def _in_reach(lines: list[_Line]) -> Iterator[Place]:
    """Whom to look at: nobody behind somebody who was passed over often enough."""
    for line in lines:
        for place in islice(line.places, IN_SIGHT):
            yield place
            if place.passed >= MOST_PASSED:
                break


def _shared(place: Place, before: Prefix) -> int:
    return place.prefix.shared(before) if place.prefix is not None else 0
