"""What a run leaves open when it ends, or its process does."""

import pytest

from studio.ids import StepId
from studio.trace.events import (
    ApprovalAsked,
    ApprovalGiven,
    Event,
    RunCancelled,
    RunContinued,
    RunFailed,
    RunFinished,
    StepCancelled,
    StepFailed,
)
from studio.trace.questions import OpenQuestions
from tests.trace.builders import numbered

ASKED = ("a#ask.1", ApprovalAsked("Which?", {}))
OTHER = ("b#ask.1", ApprovalAsked("When?", {}))
LEFT = ("a#ask.1", StepFailed("WaitingError", "It waits."))


def left_open(*events: Event | tuple[str, Event]) -> dict[StepId, int]:
    questions = OpenQuestions()
    for entry in numbered(*events):
        questions.take(entry)
    return questions.entries


@pytest.mark.parametrize(
    "end",
    [
        [],
        [LEFT, ("b#ask.1", StepCancelled()), RunFailed("WaitingError", "It waits.")],
    ],
)
def test_what_nobody_answered_stays_open_with_all_that_was_asked_at_that_time(
    end: list[Event | tuple[str, Event]],
) -> None:
    assert left_open(ASKED, OTHER, *end) == {"a#ask.1": 1, "b#ask.1": 2}


@pytest.mark.parametrize(
    "end",
    [
        [("a#ask.1", ApprovalGiven({}))],
        [("a#ask.1", StepCancelled())],
        [("a#ask.1", StepFailed("TimeLimitError", "Too late."))],
        [RunCancelled()],
        [RunFailed("StepError", "Something else.")],
        [RunFinished()],
        [LEFT, RunFailed("WaitingError", "It waits."), RunContinued()],
    ],
)
def test_what_was_answered_or_given_up_waits_for_nobody(end: list[Event | tuple[str, Event]]) -> None:
    assert left_open(ASKED, *end) == {}
