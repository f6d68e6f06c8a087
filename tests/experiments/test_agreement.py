"""Kappa agrees with figures that were published, and rates that a judge errs about cover the truth."""

import random
from itertools import chain, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.experiments.figures.agreement import Confusion, Pair, Said, confusion_of, corrected, kappa
from tests.examples import ARE_MANY

pytest.importorskip("scipy")

TIMES = 2000 if ARE_MANY else 250


def pairs_of(table: list[list[int]]) -> list[Pair]:
    """A pair for each that is counted, each of a row of its own."""
    cells = [(str(a), str(b), count) for a, line in enumerate(table) for b, count in enumerate(line)]
    each = chain.from_iterable(repeat((a, b), count) for a, b, count in cells)
    return [Pair(str(row), a, b) for row, (a, b) in enumerate(each)]


def test_kappa_and_its_error_are_those_of_fleiss() -> None:
    """Fleiss, Levin and Paik (2003), table 18.1: kappa 0.68, standard error 0.087, of 100 subjects."""
    found = kappa(pairs_of([[75, 1, 4], [5, 4, 1], [0, 0, 10]]))
    assert found is not None
    assert found.value == pytest.approx(0.676, abs=5e-4)
    assert (found.high - found.low) / 2 / 1.984 == pytest.approx(0.087, abs=2e-3)


def test_kappa_of_two_clinicians_is_as_published() -> None:
    # Sim and Wright (2005), Physical Therapy 85: 22, 2, 4 and 11 of 39 give 0.67.
    found = kappa(pairs_of([[22, 2], [4, 11]]))
    assert found is not None
    assert found.value == pytest.approx(0.67, abs=5e-3)


def test_trials_of_one_row_are_no_more_evidence_than_the_row() -> None:
    once = pairs_of([[12, 3], [4, 11]])
    often = [Pair(one.row, one.one, one.other) for one in once for _ in range(10)]
    single, many = kappa(once), kappa(often)
    assert single is not None
    assert many is not None
    assert (many.low, many.high) == (pytest.approx(single.low), pytest.approx(single.high))


def test_those_who_always_agree_are_not_certain_to() -> None:
    found = kappa(pairs_of([[6, 0], [0, 6]]))
    assert found is not None
    assert found.value == found.high == 1
    assert 0.3 < found.low < 0.8


def test_where_all_say_the_same_of_everything_kappa_says_nothing() -> None:
    assert kappa(pairs_of([[9]])) is None


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30))
def test_kappa_is_the_same_from_either_side_and_in_its_interval(said: list[tuple[bool, bool]]) -> None:
    pairs = [Pair(str(row), str(a), str(b)) for row, (a, b) in enumerate(said)]
    there, back = kappa(pairs), kappa([Pair(one.row, one.other, one.one) for one in pairs])
    assert (there is None) == (back is None)
    if there is not None and back is not None:
        assert -1 <= there.low <= there.value <= there.high <= 1
        assert (there.low, there.value) == (pytest.approx(back.low), pytest.approx(back.value))


def test_a_judge_is_right_about_what_people_pass_and_about_what_they_fail() -> None:
    found = confusion_of(pairs_of([[8, 3], [2, 7]]), "0")
    assert found == Confusion(8, 3, 2, 7)
    assert found.sensitivity is not None
    assert found.specificity is not None
    assert (found.sensitivity.value, found.specificity.value) == (0.8, 0.7)
    assert Confusion(0, 0, 0, 3).sensitivity is None


def trials(
    chance: random.Random, rows: int, repeats: int, labelled: int, right: float, sure: tuple[float, float]
) -> list[Said]:
    """Trials of rows that are so often right; a judge passes so many of the right, and of the wrong."""
    known = set(chance.sample(range(rows), labelled))
    found: list[Said] = []
    for row in range(rows):
        share = chance.betavariate(8 * right, 8 * (1 - right))
        for at in range(repeats):
            truth = chance.random() < share
            judge = chance.random() < sure[0 if truth else 1]
            people = float(truth) if row in known and at == 0 else None
            found.append(Said(str(row), float(judge), people))
    return found


@pytest.mark.parametrize(
    ("rows", "repeats", "labelled", "right", "sure"),
    [
        (100, 1, 30, 0.5, (0.9, 0.2)),
        (60, 3, 30, 0.8, (0.9, 0.2)),  # rows whose repeats are alike
        (60, 2, 20, 0.5, (0.6, 0.4)),  # a judge that knows next to nothing
        (200, 1, 30, 0.5, (0.93, 0.0)),  # and one that errs to one side, and seldom
    ],
)
def test_a_corrected_rate_covers_the_truth_whatever_the_judge_does(
    rows: int, repeats: int, labelled: int, right: float, sure: tuple[float, float]
) -> None:
    chance = random.Random(1)  # noqa: S311  # a simulation
    covered = 0
    for _ in range(TIMES):
        found = corrected(trials(chance, rows, repeats, labelled, right, sure))
        assert found is not None
        covered += found.low <= right <= found.high
    assert covered / TIMES >= 0.95 - (0.01 if ARE_MANY else 0.042)


def test_a_judge_who_knows_makes_a_rate_surer_than_the_labels_alone() -> None:
    chance = random.Random(2)  # noqa: S311
    said = trials(chance, 300, 1, 40, 0.6, (0.95, 0.05))
    with_judge, alone = corrected(said), corrected([one for one in said if one.people is not None])
    assert with_judge is not None
    assert alone is not None
    assert with_judge.high - with_judge.low < 0.7 * (alone.high - alone.low)


def test_without_labels_nothing_is_corrected() -> None:
    assert corrected([Said("a", 1.0), Said("b", 0.0, 1.0)]) is None
