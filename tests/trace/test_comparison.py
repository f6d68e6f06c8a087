from studio.ids import StepId
from studio.trace.differences.comparison import compare_steps, seconds_of
from studio.trace.events import OutputsPinned, RunStarted, StepFinished, StepStarted
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunState, fold
from tests.trace.builders import numbered


def ran(**replies: str) -> RunState:
    """A run of steps that each gave a reply."""
    happened: list[object] = [RunStarted("Flow", "")]
    for step, reply in replies.items():
        happened.append((step, "", StepStarted({"prompt": Shown("Why?")})))
        happened.append((step, "", StepFinished({"reply": Shown(reply)})))
    return fold(numbered(*happened))  # type: ignore[arg-type]


def test_steps_that_gave_something_else_are_told_with_what_differs() -> None:
    pairs = compare_steps(ran(a="x", b="y"), ran(a="x", b="z"))
    assert [(pair.step, pair.differing) for pair in pairs] == [("a", ()), ("b", ("outputs.reply",))]
    differing = pairs[1]
    assert differing.first is not None
    assert differing.second is not None
    assert differing.first.things["outputs.reply"] == "y"
    assert differing.second.things["outputs.reply"] == "z"


def test_a_step_of_one_run_alone_stands_where_it_came() -> None:
    pairs = compare_steps(ran(a="x", b="y"), ran(a="x", extra="!", b="y"))
    assert [pair.step for pair in pairs] == ["a", "extra", "b"]
    assert (pairs[1].first, pairs[1].is_same) == (None, False)


def test_a_run_does_as_it_did() -> None:
    state = ran(a="x")
    assert all(pair.is_same for pair in compare_steps(state, state))
    assert compare_steps(RunState(), RunState()) == []
    assert [pair.step for pair in compare_steps(RunState(), state)] == [StepId("a")]


def test_what_was_pinned_in_one_run_is_no_work_that_the_other_run_did() -> None:
    gave = ("a", "", StepFinished({"reply": Shown("x")}))
    pinned = fold(numbered(RunStarted("Flow", ""), ("a", "", OutputsPinned()), gave))
    (pair,) = compare_steps(pinned, ran(a="x"))
    assert "status" in pair.differing
    assert pair.first is not None
    assert pair.first.things["status"] == "pinned"


def test_the_time_that_a_run_lay_still_is_not_compared() -> None:
    state = RunState()
    state.started, state.ended, state.lay_still = 1.0, 20.0, 14.0
    assert seconds_of(state) == 5.0
    assert seconds_of(RunState()) == 0.0
