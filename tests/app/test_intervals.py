"""Intervals and tests agree with figures that were published, or counted by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.app.intervals import difference, share


@pytest.mark.parametrize(
    ("count", "of", "low", "high"), [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)]
)
def test_the_interval_of_a_share_is_wilsons(count: int, of: int, low: float, high: float) -> None:
    """The figures are those of Newcombe (1998), Statistics in Medicine 17, table I."""
    found = share(count, of)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def paired(both: int, only_one: int, only_other: int, neither: int) -> tuple[list[bool], list[bool]]:
    one = [True] * (both + only_one) + [False] * (only_other + neither)
    other = [True] * both + [False] * only_one + [True] * only_other + [False] * neither
    return one, other


def test_the_interval_of_a_paired_difference_is_newcombes_tenth() -> None:
    """The figures are those of his first example (1998), Statistics in Medicine 17."""
    found = difference(*paired(36, 12, 2, 0)).interval
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == (pytest.approx(0.0569, abs=1e-4), pytest.approx(0.3404, abs=1e-4))


def test_the_chance_of_a_difference_is_counted_exactly() -> None:
    # Of 10 that differ, 1 or fewer, or 9 or more, fall to one side in 22 of 1024 cases.
    assert difference(*paired(50, 9, 1, 5)).chance == pytest.approx(22 / 1024)
    assert difference(*paired(50, 0, 0, 5)).chance == 1


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_a_difference_lies_in_its_interval_and_turns_with_its_sides(pairs: list[tuple[bool, bool]]) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    there, back = difference(one, other), difference(other, one)
    assert there.interval.low <= there.interval.value <= there.interval.high
    assert there.interval.low == pytest.approx(-back.interval.high)
    assert there.chance == back.chance
