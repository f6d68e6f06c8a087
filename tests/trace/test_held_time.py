"""How long a step worked is told without the time for which it was held."""

import pytest

from studio.ids import RunId, StepId
from studio.trace.events import Entry, Event, StepFinished, StepHeld, StepReleased, StepStarted
from studio.trace.fold.state import fold

STEP = StepId("critic")


def worked(*happened: tuple[float, Event]) -> float | None:
    entries = [
        Entry(RunId("r"), number, STEP, StepId(""), time, event)
        for number, (time, event) in enumerate(happened, 1)
    ]
    state = fold(entries)
    return state.worked_by(state.steps[STEP])


@pytest.mark.parametrize("reason", ["breakpoint", "error"])
def test_time_for_which_a_step_is_held_after_its_work_is_not_worked(reason: str) -> None:
    seconds = worked(
        (1.0, StepHeld("before", "breakpoint")),
        (3.0, StepReleased()),
        (3.0, StepStarted()),
        (4.0, StepHeld("after", reason)),
        (9.0, StepReleased()),
        (9.5, StepFinished()),
    )
    assert seconds == pytest.approx(1.5)


def test_a_step_that_goes_on_has_no_time_yet() -> None:
    assert worked((1.0, StepStarted()), (2.0, StepHeld("after", "breakpoint"))) is None
