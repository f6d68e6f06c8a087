import pytest

from studio.ids import StepId
from studio.ui.viewmodels import wording
from tests.ui.builders import a_flow


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0, "0 ms"), (0.0123, "12 ms"), (0.9997, "1.0 s"), (1.84, "1.8 s"), (75.0, "75.0 s"), (187.0, "3:07")],
)
def test_a_duration_is_said_in_two_or_three_figures(seconds: float, said: str) -> None:
    assert wording.duration(seconds) == said


def test_a_clock_has_hours_only_where_they_are_needed() -> None:
    assert (wording.clock(12.9), wording.clock(3723)) == ("0:12", "1:02:03")


def test_costs_below_a_dollar_have_four_decimals() -> None:
    assert (wording.cost(0), wording.cost(0.0031), wording.cost(12.3)) == ("$0", "$0.0031", "$12.30")


def test_a_step_in_a_loop_is_named_with_its_round() -> None:
    assert wording.step_title(a_flow(), StepId("rounds.2/writer#chat.1")) == "Writer, round 2"


def test_a_step_at_the_root_is_named_by_its_node_alone() -> None:
    assert wording.step_title(a_flow(), StepId("question")) == "Question"


def test_an_excerpt_is_one_line_and_says_that_it_is_cut() -> None:
    cut = wording.excerpt("one\ntwo " * 100, 20)
    assert len(cut) <= 20
    assert "\n" not in cut
    assert cut.endswith("…")
