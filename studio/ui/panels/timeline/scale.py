"""Where times and lanes stand in the timeline: pure arithmetic, tested without a widget."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, log

from studio.ui.viewmodels.lanes import Lane

CLOSEST = 100_000.0
"""Pixels a second at the nearest zoom: a hundredth of a millisecond is a pixel."""
SHORTEST = 5.0
"""Seconds that a run which has only begun is shown as: its bars grow, and the ruler stands still."""
BRIEFEST = 0.005
"""Seconds that a run which is over is shown as at least."""
GROWTH = 1.25
"""How much longer the time is that fits, once a run that goes on has come near the right edge."""
NEAR = 0.9
"""The part of the room at which that is."""


@dataclass(frozen=True, slots=True)
class TimeScale:
    """Seconds since the run began to pixels from the left of the plot, and back."""

    origin: float = 0.0
    per_second: float = 100.0

    def x(self, seconds: float) -> float:
        """Where a time stands."""
        return (seconds - self.origin) * self.per_second

    def seconds(self, x: float) -> float:
        """The time that stands there."""
        return self.origin + x / self.per_second

    def zoomed(self, factor: float, x: float, longest: float, width: float) -> "TimeScale":
        """Zoom so that what stands at `x` stays; farthest out is the whole run twice over."""
        least = width / max(longest * 2, SHORTEST)
        per_second = min(max(self.per_second * factor, least), CLOSEST)
        return TimeScale(max(self.seconds(x) - x / per_second, 0.0), per_second)

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
