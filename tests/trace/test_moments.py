from hypothesis import given
from hypothesis import strategies as st

from studio.ids import StepId
from studio.trace.events import (
    ChatAnswered,
    Entry,
    RunContinued,
    RunFinished,
    RunStarted,
    StateWritten,
    StepFinished,
    StepReady,
    StepStarted,
    TextStreamed,
)
from studio.trace.events.values import Shown
from studio.trace.fold.moments import Moments
from studio.trace.fold.state import RunState, fold
from tests.trace.builders import answer, asked, histories, numbered

LOOP = [
    RunStarted("Notes", ""),
    ("rounds", StepStarted()),
    *(
        happening
        for number in range(1, 30)
        for happening in (
            (f"rounds.{number}/writer", "rounds", StepReady()),
            (f"rounds.{number}/writer", "rounds", StepStarted()),
            (f"rounds.{number}/writer#chat.1", f"rounds.{number}/writer", asked()),
            (f"rounds.{number}/writer#chat.1", f"rounds.{number}/writer", TextStreamed("So ")),
            (f"rounds.{number}/writer#chat.1", f"rounds.{number}/writer", answer("So be it", 7, 0.5)),
            (f"rounds.{number}/writer", "rounds", StateWritten("seen", "add", Shown(1))),
            (f"rounds.{number}/writer", "rounds", StepFinished({"reply": Shown("So be it")})),
        )
    ),
    RunFinished(),
    RunContinued(),
    ("answer", StepStarted()),
]


def told(state: RunState) -> tuple[RunState, dict[StepId, str]]:
    """A state, and what its steps say, which two states are not compared by."""
    return state, {name: step.text for name, step in state.steps.items()}


def moments(entries: list[Entry], chunk: int) -> Moments:
    made = Moments(chunk)
    made.add(entries)
    return made


@given(histories(), st.integers(1, 9), st.lists(st.integers(0, 40), max_size=8))
def test_a_run_at_any_moment_is_the_fold_of_what_had_happened(
    entries: list[Entry], chunk: int, counts: list[int]
) -> None:
    found = moments(entries, chunk)
    for count in counts:
        assert told(found.state(count)) == told(fold(entries[:count]))


def test_forwards_and_backwards_each_moment_of_a_loop_is_as_it_was() -> None:
    entries = numbered(*LOOP)
    found = moments(entries, 16)
    for count in (*range(0, len(entries) + 1, 7), *range(len(entries), -1, -5)):
        assert told(found.state(count)) == told(fold(entries[:count]))


def test_a_moment_stays_as_it_is_while_others_are_looked_at_and_the_run_goes_on() -> None:
    entries = numbered(*LOOP)
    found = moments(entries[:50], 16)
    early, late = found.state(20), found.state(49)
    found.add(entries[50:])
    found.state(len(entries))
    assert told(early) == told(fold(entries[:20]))
    assert told(late) == told(fold(entries[:49]))


def test_a_time_says_how_much_had_happened_by_then() -> None:
    found = moments(numbered(RunStarted("", ""), ("a", StepReady()), ("a", StepStarted())), 2)
    assert [found.count(time) for time in (0.5, 1.0, 2.5, 9.0)] == [0, 1, 2, 3]
    assert found.touched(3, 1) == ["a"]


def test_a_clock_that_was_set_back_does_not_undo_what_came_before() -> None:
    run, *rest = numbered(RunStarted("", ""), ("a", StepStarted()), ("a", StepFinished()))
    rest[-1].time = 0.5  # type: ignore[misc]
    found = moments([run, *rest], 2)
    assert found.count(2.0) == 3


def test_what_was_paid_for_is_told_with_its_time() -> None:
    state = fold(numbered(*LOOP))
    assert len(state.paid) == 29
    assert state.paid[0] == (7.0, "rounds.1/writer#chat.1", 7, 0.5)
    assert isinstance(numbered(*LOOP)[6].event, ChatAnswered)
