"""All that a painting of the timeline depends on."""

from collections.abc import Callable, Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from studio.ids import StepId
from studio.trace.fold.cost_curve import Spending
from studio.trace.timeline.spans import Bar
from studio.ui.panels.timeline.scale import LanePlaces, TimeScale
from studio.ui.viewmodels.run.lanes import Lane

NOTHING_SPENT = Spending()
"""What runs have paid of which nothing is known."""


@dataclass(frozen=True, slots=True)
class Picture:
    """All that a painting of the timeline depends on."""

    lanes: Sequence[Lane]
    places: LanePlaces
    scale: TimeScale
    began: float
    """Seconds since the epoch at which the run began."""
    now: float
    """Seconds since the run began: where it has come to, and where what lasts ends."""
    is_live: bool
    scrolled: int
    left: int
    """Pixels that titles take."""
    top: int
    """Pixels that the ruler takes."""
    label: Callable[[StepId], str]
    """What is written on a bar that has room for it."""
    waiting: AbstractSet[StepId] = frozenset()
    """Steps that go on when somebody has answered."""
    selected: StepId | None = None
    cursor: StepId | None = None
    """The bar that the keyboard stands on; None while the keyboard is elsewhere."""
    marked: Sequence[Bar] = ()
    """The bars of these two."""
    moment: float | None = None
    """Seconds since the run began at which it is shown; None: as it is now."""
    chosen: tuple[float, float] | None = None
    """The part of the run that was chosen, in seconds since its beginning."""
    path: Container[StepId] | None = None
    """The steps of the critical path, while it is marked."""
    differing: Mapping[StepId, bool] = field(default_factory=dict[StepId, bool])
    """The steps that did something else in a run that this one is compared with; True for the first."""
    spending: Spending = NOTHING_SPENT
    """What was paid when."""
    height: int = 0
    """Pixels of the whole viewport."""
