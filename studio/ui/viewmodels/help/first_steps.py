"""The first steps: five things to do on the example, and which of them a person has done."""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from studio.app.listeners import Listeners
from studio.app.settings import Settings
from studio.flow.records import Flow
from studio.ids import NodeId
from studio.trace.events import StepHeld
from studio.trace.fold.state import RunState, RunStatus

if TYPE_CHECKING:
    from studio.ui.viewmodels.run.shown_run import Batch

EXAMPLE = "field_notes"
"""The example project on which they are made."""
_BEST = NodeId("critic")
"""The node of the example at which a pause shows most."""


class FirstStep(StrEnum):
    """One of them, by the name under which the settings keep it."""

    RUN = "run"
    RESULT = "result"
    PAUSE = "pause"
    EDIT = "edit"
    BACK = "back"


class FirstSteps:
    """Which are done, and whether they are shown; kept in the settings, so that a restart changes nothing."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._is_new = not settings.recent
        """Whether the person had opened nothing when the window came up."""
        self._changed: Listeners[()] = Listeners()

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Hear that a step was done, or that they come or go; returns the function that ends it."""
        return self._changed.subscribe(listener)

    @property
    def is_open(self) -> bool:
        """Whether they are shown."""
        return self._settings.first_steps.is_open is True

    @property
    def done(self) -> frozenset[FirstStep]:
        """Those that were done; what the settings name otherwise is none of them."""
        known = {one.value: one for one in FirstStep}
        return frozenset(known[name] for name in self._settings.first_steps.done if name in known)

    @property
    def next(self) -> FirstStep | None:
        """The first that is not done; None where all are."""
        done = self.done
        return next((one for one in FirstStep if one not in done), None)

    def offer(self, project: str) -> None:
        """Show them to somebody who opens the example in the first window of all."""
        if self._is_new and self._settings.first_steps.is_open is None and project == EXAMPLE:
            self._keep(is_open=True)

    def open(self) -> None:
        """Show them; where all are done, from the first again."""
        self._keep(is_open=True, done=frozenset() if self.next is None else self.done)

    def close(self) -> None:
        """Show them no more, until they are asked for."""
        self._keep(is_open=False)

    def tick(self, *steps: FirstStep) -> None:
        """Note what was done, while they are shown."""
        if self.is_open and not self.done.issuperset(steps):
            self._keep(is_open=True, done=self.done | frozenset(steps))

    def _keep(self, *, is_open: bool, done: frozenset[FirstStep] | None = None) -> None:
        found = self.done if done is None else done
        self._settings.keep_first_steps(
            is_open=is_open, done=[one.value for one in FirstStep if one in found]
        )
        self._changed.tell()


def done_in(
    batch: "Batch", state: RunState | None, moment: float | None, *, is_own: bool
) -> frozenset[FirstStep]:
    """What a person did, by what a run told: in one that was started here, and by looking at any.

    `state` is of the whole run, whichever `moment` of it is shown.
    """
    found: set[FirstStep] = set()
    if moment is not None and batch.is_moved:
        found.add(FirstStep.BACK)
    if state is None or not is_own:
        return frozenset(found)
    if state.status is RunStatus.FINISHED:
        found.add(FirstStep.RUN)
    if any(isinstance(one.event, StepHeld) and one.event.breakpoint for one in batch.entries):
        found.add(FirstStep.PAUSE)
    was_forked = state.forked_from is not None and bool(state.forked_from.step)
    if was_forked or any(state.steps[one].edited for one in batch.steps if one in state.steps):
        found.add(FirstStep.EDIT)
    return frozenset(found)


def place_to_pause(flow: Flow) -> NodeId | None:
    """The node at which a pause shows most: the example's critic, else the first that speaks, else any."""
    if _BEST in flow.nodes:
        return _BEST
    names = sorted(flow.nodes)
    speaking = [one for one in names if flow.nodes[one].kind.startswith("llm.")]
    return next(iter(speaking or names), None)
