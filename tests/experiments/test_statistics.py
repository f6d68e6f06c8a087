"""Intervals cover what they say, repeats are no rows, and tests agree with figures that were published."""

import math
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.experiments.distributions import sign_flip_chance
from studio.experiments.statistics import (
    Interval,
    Kind,
    Rows,
    detectable,
    difference,
    holm,
    mean_of,
    mover,
    paired,
    pass_all,
    pass_at,
    rows_needed,
    wilson,
)
from tests.examples import ARE_MANY

pytest.importorskip("scipy")

TIMES = 2000 if ARE_MANY else 500
NEAR = 0.0 if ARE_MANY else 3 * math.sqrt(0.05 * 0.95 / TIMES)
"""What few simulations may be off: three standard deviations of a share of 95 % in so many."""
Z = 1.959964


def rows_of(values: Sequence[Sequence[float]]) -> Rows:
    return {str(place): list(map(float, each)) for place, each in enumerate(values)}


def coverage(tried: Callable[[np.random.Generator], tuple[Interval, float]]) -> float:
    """In what share of simulations the truth lies in the interval."""
    chance = np.random.default_rng(1)
    found = [tried(chance) for _ in range(TIMES)]
    return sum(one.low <= truth <= one.high for one, truth in found) / TIMES


def is_95(share: float) -> bool:
    return 0.93 - NEAR <= share <= 0.97 + NEAR


@pytest.mark.parametrize(("easy", "hard"), [(2.0, 2.0), (0.5, 0.5), (8.0, 2.0)])
# Of single answers there are so few sums that 40 rows of 80 % are covered in 97.3 % of cases, exactly.
@pytest.mark.parametrize(("rows", "repeats"), [(60, 1), (40, 5), (100, 3)])
def test_the_interval_of_a_share_covers_the_truth_where_rows_are_a_sample(
    easy: float, hard: float, rows: int, repeats: int
) -> None:
    def tried(chance: np.random.Generator) -> tuple[Interval, float]:
        each = chance.beta(easy, hard, size=(rows, 1))
        return mean_of(rows_of((chance.random((rows, repeats)) < each).tolist())), easy / (easy + hard)

    assert is_95(coverage(tried))


@pytest.mark.parametrize(("rows", "repeats"), [(40, 5), (100, 3)])
def test_the_interval_of_a_share_covers_the_truth_where_rows_are_fixed(rows: int, repeats: int) -> None:
    each = np.random.default_rng(2).beta(2, 2, size=(rows, 1))

    def tried(chance: np.random.Generator) -> tuple[Interval, float]:
        return mean_of(rows_of((chance.random((rows, repeats)) < each).tolist()), "fixed"), float(each.mean())

    assert is_95(coverage(tried))


@pytest.mark.parametrize("kind", ["sample", "fixed"])
@pytest.mark.parametrize(("rows", "repeats"), [(40, 4), (100, 2)])
def test_the_interval_of_a_difference_covers_the_truth(kind: Kind, rows: int, repeats: int) -> None:
    base = np.random.default_rng(2).beta(2, 2, size=(rows, 1))

    def tried(chance: np.random.Generator) -> tuple[Interval, float]:
        each = base if kind == "fixed" else chance.beta(2, 2, size=(rows, 1))
        better = each + (1 - each) * 0.2
        one, other = (chance.random((rows, repeats)) < share for share in (better, each))
        truth = float((better - each).mean()) if kind == "fixed" else 0.1
        return paired(rows_of(one.tolist()), rows_of(other.tolist()), kind)[0], truth

    assert is_95(coverage(tried))


def test_repeats_that_say_the_same_make_nothing_surer() -> None:
    """Treated as rows, ten repeats of each would make the interval a third as wide."""
    values = [[1.0], [0.0], [1.0], [1.0], [0.0]] * 6
    once, often = mean_of(rows_of(values)), mean_of(rows_of([one * 10 for one in values]))
    assert (often.low, often.high) == (pytest.approx(once.low, abs=0.02), pytest.approx(once.high, abs=0.02))


def test_repeats_that_say_the_same_make_no_difference_surer() -> None:
    one, other = [[1.0]] * 6 + [[0.0]] * 14, [[0.0]] * 4 + [[1.0]] * 2 + [[0.0]] * 14
    once = difference(rows_of(one), rows_of(other))
    often = difference(rows_of([each * 50 for each in one]), rows_of([each * 50 for each in other]))
    assert (once.chance, often.chance) == (pytest.approx(0.125), pytest.approx(0.125))


def test_fixed_rows_without_repeats_cannot_tell() -> None:
    found = mean_of(rows_of([[1.0], [0.0]]), "fixed")
    assert (found.value, found.is_told) == (0.5, False)
    assert difference(rows_of([[1.0]]), rows_of([[0.0]])).interval.is_told is False


@pytest.mark.parametrize(
    ("count", "of", "low", "high"), [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)]
)
def test_the_interval_of_a_share_is_wilsons(count: int, of: int, low: float, high: float) -> None:
    """The figures are those of Newcombe (1998), Statistics in Medicine 17, table I."""
    found = wilson(count / of, of, Z)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_the_interval_of_a_paired_difference_is_newcombes_tenth() -> None:
    """The figures are those of his first example (1998), Statistics in Medicine 17."""
    likeness = (36 * 0 - 12 * 2) / math.sqrt(48 * 2 * 38 * 12)
    found = mover(wilson(48 / 50, 50, Z), wilson(38 / 50, 50, Z), likeness)
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == (pytest.approx(0.0569, abs=1e-4), pytest.approx(0.3404, abs=1e-4))


def test_of_single_answers_the_test_is_mcnemars_exact_one() -> None:
    # Of 10 that differ, 1 or fewer, or 9 or more, fall to one side in 22 of 1024 cases.
    assert sign_flip_chance([1.0] * 9 + [-1.0] + [0.0] * 55) == pytest.approx(22 / 1024)
    assert sign_flip_chance([0.0] * 5) == 1


def test_the_test_of_means_is_exact_where_the_patterns_are_few() -> None:
    assert sign_flip_chance([0.5, 1.0, 0.25]) == pytest.approx(2 / 8)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.booleans()), min_size=2, max_size=12))
def test_a_difference_lies_in_its_interval_and_turns_with_its_sides(pairs: list[tuple[float, bool]]) -> None:
    one, other = rows_of([[a, a] for a, _ in pairs]), rows_of([[b, not b] for _, b in pairs])
    there, back = difference(one, other), difference(other, one)
    assert there.interval.low <= there.interval.value <= there.interval.high
    assert there.interval.low == pytest.approx(-back.interval.high)
    assert there.chance == pytest.approx(back.chance)


def test_of_several_comparisons_the_chances_are_holms() -> None:
    # Wright (1992), Biometrics 48, table 1: 0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02.
    found = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert [found[name] for name in "abcd"] == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(st.integers(1, 8), st.data())
def test_one_of_k_and_all_of_k_are_what_drawing_k_of_the_trials_gives(
    count: int, data: st.DataObject
) -> None:
    right, tries = data.draw(st.integers(0, count)), data.draw(st.integers(1, count))
    drawn = list(combinations([True] * right + [False] * (count - right), tries))
    assert pass_at(count, right, tries) == pytest.approx(sum(map(any, drawn)) / len(drawn))
    assert pass_all(count, right, tries) == pytest.approx(sum(map(all, drawn)) / len(drawn))


def test_power_is_that_of_the_published_tables() -> None:
    # Cohen (1988), table 2.4.1: a paired effect of half a deviation takes 34 rows.
    assert rows_needed(0.5, 1.0) == 34
    assert detectable(1.0, 34) == pytest.approx(0.5, abs=0.01)
