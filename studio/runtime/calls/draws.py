"""What a step reads without asking anybody: the clock, chance, and run variables."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Literal, cast

from studio.errors import StepError
from studio.runtime.calls.child_steps import ChildSteps
from studio.runtime.state.run_variables import StepVariables, Variables
from studio.trace.events import StateRead, StateWritten, ValueDrawn
from studio.trace.events.values import Shown
from studio.trace.recording import Drawn


class Draws:
    """Draws anew, or what the same step of an earlier run was given; without a layer for one that lends."""

    __slots__ = ("_children", "_layer", "_random", "_state")

    def __init__(self, children: ChildSteps, layer: Variables | None) -> None:
        self._children = children
        self._layer = layer
        self._state: StepVariables | None = None
        self._random: Random | None = None

    @property
    def state(self) -> StepVariables:
        """The variables of the run."""
        if self._state is None:
            if self._layer is None:
                message = f"`{self._children.node}` lends something; only steps have run variables."
                raise StepError(message)
            self._state = StepVariables(self._layer, self._read)
        return self._state

    @property
    def writes(self) -> Sequence[StateWritten]:
        """What the step wants to write to run variables, should it finish."""
        return self._state.writes if self._state is not None else ()

    def now(self, *, working: bool) -> datetime:
        """Give the time; that of `working` as if the run had never been held."""

        def draw() -> str:
            held = self._children.services.gate.held_seconds() if working else 0.0
            return (datetime.now().astimezone() - timedelta(seconds=held)).isoformat()

        return datetime.fromisoformat(str(self._draw("clock", draw)))

    def random(self) -> Random:
        """Give the attempt's source of chance; what lends is given one for each call."""
        place = self._children.place
        known = self._random if place is None else place.chance
        if known is None:
            children = self._children
            drawn = self._draw("random", lambda: children.services.chance.draw(children.parent))
            known = Random(cast("int", drawn))  # noqa: S311
            if place is None:
                self._random = known
            else:
                place.chance = known
        return known

    def _read(self, name: str, found: Shown | None) -> Shown | None:
        """Note that a variable was read; gives what was read then, where a step does the same again."""
        children = self._children
        earlier = self._earlier(f"state.{name}")
        if isinstance(earlier, StateRead):
            found = earlier.value
        children.recorder.record(StateRead(name, found), children.step)
        if found is not None:
            children.take_in(frozenset(found.labels))
        return found

    def _draw(self, source: Literal["clock", "random"], draw: Callable[[], object]) -> object:
        earlier = self._earlier(source)
        value = earlier.value if isinstance(earlier, ValueDrawn) else draw()
        if self._is_told:
            self._children.recorder.record(ValueDrawn(source, value), self._children.parent)
        return value

    def _earlier(self, what: str) -> Drawn | None:
        past = self._children.services.past
        if past is None or not self._is_told:
            return None
        return past.recording.draw(self._children.parent, what)

    @property
    def _is_told(self) -> bool:
        """Whether this is a step's, or a call's of what is lent; not so while something opens to be lent."""
        return self._layer is not None or self._children.place is not None
