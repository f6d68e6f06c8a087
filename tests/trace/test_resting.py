"""Steps that are over are kept packed: whoever looks at them sees what was there."""

import sys
from itertools import pairwise

import pytest
from hypothesis import given

from studio.ids import RunId, StepId
from studio.trace.events import Entry, RunFinished, RunStarted, StepFinished, StepReady, StepStarted
from studio.trace.events.values import Shown
from studio.trace.fold import packed_steps as resting
from studio.trace.fold.state import RunState, fold
from studio.trace.fold.steps import StepState
from tests.trace.builders import answer, asked, histories, numbered

MANY = 3_000


def seen(state: RunState) -> tuple[RunState, list[tuple[StepId, StepState, str]]]:
    return state, [(name, step, step.text) for name, step in state.steps.items()]


def folded(entries: list[Entry], young: int) -> RunState:
    """The fold where so many steps that are over are not packed yet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resting, "YOUNG", young)
        return fold(entries)


@given(histories())
def test_a_run_whose_steps_rest_reads_as_one_whose_steps_do_not(entries: list[Entry]) -> None:
    packed, other = folded(entries, 0), folded(entries, 1 << 40)
    assert seen(packed) == seen(other)
    assert list(reversed(packed.steps.values())) == list(reversed(other.steps.values()))
    assert [packed.steps[name].text for name in packed.order] == [
        other.steps[name].text for name in other.order
    ]


def a_map(many: int) -> list[Entry]:
    """A map whose items each ask once."""
    told: list[object] = [RunStarted("Map", ""), ("each", StepStarted())]
    for number in range(many):
        step, values = f"each.{number}/critic", {"text": Shown(f"item {number}", ("user",))}
        told += [(step, "each", StepReady()), (step, "each", StepStarted(values))]
        told += [
            (f"{step}#chat.1", step, asked(("user", "Why?"))),
            (f"{step}#chat.1", step, answer("So.", 7, 0.5)),
        ]
        told.append((step, "each", StepFinished(values)))
    return numbered(*told)  # type: ignore[arg-type]


def test_what_came_late_to_a_step_that_rests_is_counted_at_all_around_it() -> None:
    entries = a_map(MANY)
    late = numbered(
        ("each.0/critic#chat.2", "each.0/critic", asked()), ("each.0/critic#chat.2", answer("Oh.", 5, 1.0))
    )
    state = fold([*entries, *late])
    first = state.steps[StepId("each.0/critic")]
    assert (first.tokens, first.cost, first.children[-1]) == (12, 1.5, "each.0/critic#chat.2")
    assert state.steps[StepId("each")].tokens == MANY * 7 + 5


def test_a_step_that_rests_takes_a_few_hundred_bytes_at_most() -> None:
    state = fold([*a_map(MANY), *numbered(RunFinished())])
    packed = [one for one in state.steps._at.values() if isinstance(one, bytes)]
    assert len(packed) == 2 * MANY, "all but the map itself, which has too many children"
    assert sum(map(sys.getsizeof, packed)) / len(packed) < 250


def test_who_looks_twice_at_a_step_that_rests_sees_the_same_object() -> None:
    state = fold(a_map(MANY))
    name = StepId("each.1/critic")
    assert isinstance(state.steps._at[name], bytes)
    assert state.steps[name] is state.steps[name]


def test_an_entry_packs_a_step_or_two_never_thousands_at_once() -> None:
    counts = [0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resting, "YOUNG", 20)
        state = RunState(RunId("run"))
        for entry in a_map(60):
            state.apply(entry)
            counts.append(sum(isinstance(one, bytes) for one in state.steps._at.values()))
    assert counts[-1] > 60
    assert max(after - before for before, after in pairwise(counts)) <= 2
