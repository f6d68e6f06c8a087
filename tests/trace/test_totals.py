from hypothesis import given
from hypothesis import strategies as st

from studio.trace.events import RunStarted, StepFinished, StepHeld, StepReady, StepReleased, StepStarted
from studio.trace.fold.cost_curve import Spending
from studio.trace.fold.state import RunState, fold
from studio.trace.timeline.lanes import Grouping
from studio.trace.timeline.spans import Spans
from studio.trace.timeline.totals import Totals, totals
from tests.trace.builders import answer, asked, numbered

RUN = fold(
    numbered(
        RunStarted("", ""),
        ("rounds", StepStarted()),  # 2
        ("rounds.1/writer", "rounds", StepReady()),
        ("rounds.1/writer", "rounds", StepHeld("before", "")),  # 4
        ("rounds.1/writer", "rounds", StepReleased()),  # 5
        ("rounds.1/writer", "rounds", StepStarted()),
        ("rounds.1/writer#chat.1", "rounds.1/writer", asked()),
        ("rounds.1/writer#chat.1", "rounds.1/writer", answer("", 30, 0.5)),  # 8
        ("rounds.1/writer", "rounds", StepFinished()),  # 9
        ("rounds.1/critic", "rounds", StepReady()),
        ("rounds.1/critic", "rounds", StepStarted()),  # 11
    )
)


def between(state: RunState, first: float, last: float, grouping: Grouping = Grouping.NODE) -> Totals:
    spans, spending = Spans(grouping), Spending()
    spans.update(state, state.order)
    spending.update(state.paid)
    return totals(state, spans.lanes, spending, first, last, now=13.0)


def test_a_whole_run_adds_up_to_all_that_its_steps_took_and_cost() -> None:
    assert between(RUN, 0.0, 20.0) == Totals(2, worked=6.0, held=1.0, queued=2.0, tokens=30, cost=0.5)


def test_a_part_has_the_parts_of_the_steps_that_lie_in_it() -> None:
    assert between(RUN, 4.5, 6.0) == Totals(1, worked=1.0, held=0.5)


def test_what_lasts_counts_until_now() -> None:
    assert between(RUN, 12.0, 20.0) == Totals(1, worked=1.0)


@given(st.sampled_from(Grouping), st.floats(0, 14), st.floats(0, 14))
def test_the_sums_of_two_parts_are_those_of_both_however_lanes_are_made(
    grouping: Grouping, first: float, middle: float
) -> None:
    first, middle = sorted((first, middle))
    one, two, both = (
        between(RUN, *span, grouping) for span in ((first, middle), (middle, 14.0), (first, 14.0))
    )
    for name in ("worked", "held", "queued"):
        assert abs(getattr(one, name) + getattr(two, name) - getattr(both, name)) < 1e-9
    assert between(RUN, first, 14.0) == both
