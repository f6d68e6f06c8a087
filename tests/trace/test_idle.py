"""When a run did not work, and how long it and its steps did."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.ids import RunId, StepId
from studio.store.summary import Tally
from studio.trace.events import (
    ApprovalAsked,
    ApprovalGiven,
    Entry,
    Event,
    InputsEdited,
    LogWritten,
    RunContinued,
    RunFailed,
    RunFinished,
    RunStarted,
    StepFinished,
    StepHeld,
    StepProgressed,
    StepReleased,
    StepStarted,
)
from studio.trace.fold.idle import Idleness, idle_words, worked_within
from studio.trace.fold.state import RunState, fold
from tests.examples import examples

BEGIN, END = RunStarted("f", ""), RunFinished()
HELD = StepHeld("before", "breakpoint")
Told = tuple[float, str, Event]


def entries(*told: Told) -> list[Entry]:
    return [
        Entry(RunId("r"), number, StepId(step), StepId(""), time, event)
        for number, (time, step, event) in enumerate(told, 1)
    ]


def run(*told: Told) -> RunState:
    return fold(entries(*told))


def worked(state: RunState, step: str) -> float | None:
    return state.worked_by(state.steps[StepId(step)])


def test_a_run_that_was_held_for_minutes_worked_for_a_second() -> None:
    state = run(
        (0.0, "", BEGIN),
        (0.0, "loop", StepStarted()),
        (0.2, "critic", HELD),
        (360.2, "critic", StepReleased()),
        (360.2, "critic", StepStarted()),
        (361.0, "critic", StepFinished()),
        (361.0, "loop", StepFinished()),
        (361.0, "", END),
    )
    assert state.worked() == pytest.approx(1.0)
    assert worked(state, "loop") == pytest.approx(1.0), "what is around it was held as well"
    assert worked(state, "critic") == pytest.approx(0.8)
    assert idle_words(state.idle) == ["paused 6:00"]


def test_waiting_for_a_person_and_making_the_sandbox_are_told_apart_from_work() -> None:
    state = run(
        (0.0, "", BEGIN),
        (0.0, "code", StepStarted()),
        (0.0, "code", StepProgressed(0, 2, "making it", is_preparing=True)),
        (60.0, "code", StepProgressed(1, 2, "compiling it", is_preparing=True)),
        (140.0, "code", StepProgressed(2, 2, "ready", is_preparing=True)),
        (140.5, "code", StepFinished()),
        (140.5, "ask", StepStarted()),
        (140.5, "ask#ask.1", ApprovalAsked("Send it?", {})),
        (200.5, "ask#ask.1", ApprovalGiven({"approved": True})),
        (201.0, "ask", StepFinished()),
        (201.0, "", END),
    )
    assert state.idle.seconds(why=Idleness.PREPARED) == pytest.approx(140.0)
    assert state.idle.seconds(why=Idleness.WAITED) == pytest.approx(60.0)
    assert (state.worked(), worked(state, "code"), worked(state, "ask")) == pytest.approx((1.0, 0.5, 0.5))


def test_a_run_works_as_long_as_others_work_beside_a_held_step() -> None:
    state = run(
        (0.0, "", BEGIN),
        (0.0, "a", HELD),
        (0.0, "b", StepStarted()),
        (5.0, "b", StepFinished()),
        (9.0, "a", StepReleased()),
        (9.0, "a", StepStarted()),
        (10.0, "a", StepFinished()),
        (10.0, "", END),
    )
    assert state.worked() == pytest.approx(6.0)
    assert worked(state, "b") == pytest.approx(5.0)


def test_progress_of_its_own_is_work() -> None:
    state = run(
        (0.0, "", BEGIN), (0.0, "a", StepProgressed(0, 2)), (9.0, "a", StepFinished()), (9.0, "", END)
    )
    assert state.worked() == pytest.approx(9.0)


def test_what_a_person_was_asked_when_the_process_ended_is_idle_until_then_only() -> None:
    state = run(
        (0.0, "", BEGIN),
        (1.0, "ask#ask.1", ApprovalAsked("?", {})),
        (3.0, "", RunFailed("WaitingError", "It waits.")),
        (1000.0, "", RunContinued()),
        (1001.0, "ask#ask.1", ApprovalGiven({})),
        (1002.0, "", END),
    )
    assert state.idle.seconds() == pytest.approx(2.0)
    assert state.worked() == pytest.approx(3.0)


def test_a_run_whose_process_died_while_it_was_held_was_not_held_until_somebody_went_on() -> None:
    told = entries(
        (0.0, "", BEGIN),
        (1.0, "a", HELD),
        (3.0, "a", InputsEdited({})),
        (1000.0, "", RunContinued()),
        (1000.0, "a", StepStarted()),
        (1002.0, "a", StepFinished()),
        (1002.0, "", END),
    )
    state, tally = fold(told), Tally(RunId("r"))
    tally.count_all(told)
    assert state.idle.seconds() == pytest.approx(2.0)
    assert state.worked() == tally.summary.worked == pytest.approx(3.0)


def test_a_run_that_is_held_now_has_worked_until_it_was() -> None:
    state = run((0.0, "", BEGIN), (2.0, "a", HELD))
    assert state.worked(100.0) == pytest.approx(2.0)
    assert state.worked() is None


EVENTS: Sequence[Event] = (
    HELD,
    StepReleased(),
    StepStarted(),
    StepFinished(),
    ApprovalAsked("?", {}),
    ApprovalGiven({}),
    LogWritten("x"),
    StepProgressed(0, 2, is_preparing=True),
    StepProgressed(2, 2, is_preparing=True),
)


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(st.floats(0, 9), st.sampled_from(["a", "b", "c"]), st.sampled_from(EVENTS))))
def test_the_line_in_the_list_agrees_with_the_fold_and_no_time_is_counted_twice(
    steps: list[tuple[float, str, Event]],
) -> None:
    time = 0.0
    told: list[Told] = [(0.0, "", BEGIN)]
    for wait, step, event in steps:
        time += wait
        told.append((time, step, event))
    told.append((time + 1, "", END))
    all_of_it = entries(*told)
    tally, state = Tally(RunId("r")), fold(all_of_it)
    tally.count_all(all_of_it)
    assert tally.summary.worked == pytest.approx(state.worked())
    spans = state.idle.spans
    assert all(one.since < one.until for one in spans)
    assert all(one.until <= other.since for one, other in pairwise(spans))
    assert 0 <= (state.worked() or 0.0) <= time + 1


def test_spans_that_overlap_are_taken_away_once() -> None:
    assert worked_within(0.0, 10.0, [(1.0, 3.0), (2.0, 4.0), (9.0, None), (-5.0, 0.5)]) == pytest.approx(5.5)
