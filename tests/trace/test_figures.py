import pytest

from studio.trace.figures import clock, cost, duration


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0, "0 ms"), (0.0123, "12 ms"), (0.9997, "1.0 s"), (1.84, "1.8 s"), (75.0, "75.0 s"), (187.0, "3:07")],
)
def test_a_duration_is_said_in_two_or_three_figures(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_clock_has_hours_only_where_they_are_needed() -> None:
    assert (clock(12.9), clock(3723)) == ("0:12", "1:02:03")


def test_costs_below_a_dollar_have_four_decimals() -> None:
    assert (cost(0), cost(0.0031), cost(12.3)) == ("$0", "$0.0031", "$12.30")


def test_a_cost_that_rounds_to_nothing_is_not_said_to_be_nothing() -> None:
    assert (cost(0.00001), cost(0.00006)) == ("<$0.0001", "$0.0001")
