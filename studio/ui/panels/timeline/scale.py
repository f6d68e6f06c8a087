"""Where times and lanes stand in the timeline: pure arithmetic, tested without a widget."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, log

from studio.ui.viewmodels.run.lanes import Lane

CLOSEST = 100_000.0
"""Pixels a second at the nearest zoom: a hundredth of a millisecond is a pixel."""
SHORTEST = 5.0
"""Seconds that a run which has only begun is shown as: its bars grow, and the ruler stands still."""
BRIEFEST = 0.005
"""Seconds that a run which is over is shown as at least."""
LONG_IDLE = 2.0
"""Seconds from which on a time in which a run did not work is folded."""
LONG_PART = 0.2
"""The part of the time worked that it has to be as well."""
NOTCH = 0.05
"""The part of what is not folded that each fold is drawn as; a run that has only begun is `SHORTEST`."""
GROWTH = 1.25
"""How much longer the time is that fits, once a run that goes on has come near the right edge."""
NEAR = 0.9
"""The part of the room at which that is."""


@dataclass(frozen=True, slots=True)
class Folds:
    """Long times in which a run did not work, each drawn as narrow as `notch` seconds of work.

    All in seconds since the run began; `drawn` has where each start stands once those before it are folded.
    """

    starts: tuple[float, ...] = ()
    ends: tuple[float, ...] = ()
    drawn: tuple[float, ...] = ()
    notch: float = 0.0

    def fold(self, seconds: float) -> float:
        """Where a time stands with all of it folded."""
        at = bisect_right(self.starts, seconds) - 1
        if at < 0:
            return seconds
        start, end = self.starts[at], self.ends[at]
        if seconds >= end:
            return self.drawn[at] + self.notch + seconds - end
        return self.drawn[at] + self.notch * (seconds - start) / (end - start)

    def unfold(self, place: float) -> float:
        """The time that stands there."""
        at = bisect_right(self.drawn, place) - 1
        if at < 0:
            return place
        start, end, beyond = self.starts[at], self.ends[at], place - self.drawn[at]
        if beyond >= self.notch:
            return end + beyond - self.notch
        return start + beyond / self.notch * (end - start)


NO_FOLDS = Folds()


def folded(idle: Iterable[tuple[float, float]], longest: float, *, is_live: bool = False) -> Folds:
    """Fold the spans in which a run of so many seconds did not work, where they would hide its work."""
    spans = list(idle)
    worked = max(longest - sum(until - since for since, until in spans), 0.0)
    long = [one for one in spans if one[1] - one[0] >= max(LONG_IDLE, worked * LONG_PART)]
    if not long:
        return NO_FOLDS
    left = longest - sum(until - since for since, until in long)
    notch = max(left, SHORTEST if is_live else BRIEFEST) * NOTCH
    drawn: list[float] = []
    gone = 0.0
    for since, until in long:
        drawn.append(since - gone)
        gone += until - since - notch
    return Folds(tuple(one for one, _ in long), tuple(one for _, one in long), tuple(drawn), notch)


@dataclass(frozen=True, slots=True)
class TimeScale:
    """Seconds since the run began to pixels from the left of the plot, and back.

    `origin` is what stands at the left, with idle times folded.
    """

    origin: float = 0.0
    per_second: float = 100.0
    folds: Folds = NO_FOLDS

    def x(self, seconds: float) -> float:
        """Where a time stands."""
        if self.folds.starts:
            seconds = self.folds.fold(seconds)
        return (seconds - self.origin) * self.per_second

    def seconds(self, x: float) -> float:
        """The time that stands there."""
        place = self.origin + x / self.per_second
        return self.folds.unfold(place) if self.folds.starts else place

    def stretches(self, first: float, last: float) -> Iterator[tuple[float, float]]:
        """What lies between two times and is not folded."""
        for since, until in zip(self.folds.starts, self.folds.ends, strict=True):
            if since > first:
                yield first, min(since, last)
            first = max(first, until)
            if first >= last:
                return
        yield first, last

    def zoomed(self, factor: float, x: float, longest: float, width: float) -> "TimeScale":
        """Zoom so that what stands at `x` stays; farthest out is the whole run twice over."""
        least = width / max(longest * 2, SHORTEST)
        per_second = min(max(self.per_second * factor, least), CLOSEST)
        place = self.origin + x / self.per_second
        return replace(self, origin=max(place - x / per_second, 0.0), per_second=per_second)

    def panned(self, pixels: float, longest: float) -> "TimeScale":
        """Move the plot by `pixels` to the right; the run cannot be lost from sight."""
        origin = self.origin - pixels / self.per_second
        return replace(self, origin=min(max(origin, 0.0), max(longest, 0.0)))


def fitted(longest: float, width: float, *, is_live: bool) -> TimeScale:
    """The whole run, with a little room after its end.

    While one goes on, the scale stays for a while, and what is over stands still.
    """
    room = max(longest * 1.08, BRIEFEST)
    if is_live:
        room = SHORTEST
        if longest > SHORTEST * NEAR:
            room *= GROWTH ** ceil(log(longest / (SHORTEST * NEAR), GROWTH))
    return TimeScale(0.0, max(width, 1.0) / room)


@dataclass(frozen=True, slots=True)
class LanePlaces:
    """Where lanes begin, from the top; the last number is where they all end."""

    tops: Sequence[int] = (0,)

    @property
    def height(self) -> int:
        """All lanes together."""
        return self.tops[-1]

    def at(self, y: float) -> int | None:
        """The number of the lane that stands there."""
        index = bisect_right(self.tops, y) - 1
        return index if 0 <= index < len(self.tops) - 1 else None

    def between(self, first: float, last: float) -> range:
        """The lanes that may be seen between two heights."""
        begin = max(bisect_right(self.tops, first) - 1, 0)
        return range(begin, min(bisect_right(self.tops, last), len(self.tops) - 1))


def placed(lanes: Sequence[Lane], row: int, stacked: int) -> LanePlaces:
    """Stack lanes: `row` high for one row of bars, and `stacked` more for each further one."""
    tops = [0]
    for lane in lanes:
        tops.append(tops[-1] + row + (len(lane.rows) - 1) * stacked)
    return LanePlaces(tops)
