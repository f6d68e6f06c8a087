"""Votes are counted as the rules of elections say."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from studio.building_blocks.teams.ballots import (
    Ballot,
    borda,
    break_tie,
    distinct,
    first_choices,
    key_of,
    run_off,
    share_of,
)
from studio.sdk import StepError
from studio.sdk.testing import ScriptedContext

CANDIDATES = 4
ballots = some.lists(
    some.permutations(range(CANDIDATES)).map(lambda order: Ballot("one", order)), min_size=1, max_size=9
)


def cast(*orders: str) -> list[Ballot]:
    """Ballots such as `CBA`, the first choice first."""
    return [
        Ballot(f"voter {place}", ["ABCD".index(one) for one in text]) for place, text in enumerate(orders)
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A Dunnock.", "a  dunnock"),
        ("1,000", "1000.0"),
        ("**42**", "$42"),
        ("-0", "0"),
        ("+7", "7"),
        (".5", "0.50"),
    ],
)
def test_answers_are_the_same_that_differ_in_marks_only(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)
    assert key_of(one, "exactly") != key_of(other, "exactly")


@pytest.mark.parametrize(("one", "other"), [("a wren", "wren"), ("1,00", "100"), ("1.5", "15"), ("-3", "3")])
def test_answers_differ_in_words_and_numbers(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)


def test_each_answer_stands_once_as_it_was_first_written() -> None:
    assert distinct(["Wren", "a wren", "wren.", "WREN"]) == (["Wren", "a wren"], [0, 1, 0, 0])


def test_a_plurality_wins_where_a_run_off_makes_another_win() -> None:
    """The textbook's election: A leads, and loses once C's voters have their second choice."""
    election = cast("ABC", "ABC", "ABC", "ABC", "BCA", "BCA", "BCA", "CBA", "CBA")
    assert first_choices(3, election).leaders == [0]
    count = run_off(3, election)
    assert (count.leaders, count.struck, count.votes) == ([1], [2], [4.0, 5.0, 0.0])


def test_borda_prefers_whom_most_can_live_with() -> None:
    election = cast("ABC", "ABC", "ABC", "BCA", "BCA")
    assert first_choices(3, election).leaders == [0]
    assert borda(3, election).votes == [6.0, 7.0, 2.0]


def test_whoever_is_left_out_shares_what_is_left() -> None:
    assert borda(4, cast("A")).votes == [3.0, 1.0, 1.0, 1.0]


def test_a_vote_weighs_what_it_is_said_to() -> None:
    votes = first_choices(2, [Ballot("a", [0]), Ballot("b", [1], 2.5)]).votes
    assert votes == [1.0, 2.5]
    assert share_of(votes, 1) == round(2.5 / 3.5, 6)
    assert share_of([0.0, 0.0], 1) == 0.0


@given(ballots)
def test_whoever_has_more_than_half_of_the_first_choices_wins_the_run_off(election: list[Ballot]) -> None:
    first = first_choices(CANDIDATES, election)
    count = run_off(CANDIDATES, election)
    if max(first.votes) > len(election) / 2:
        assert count.leaders == first.leaders
    assert set(count.leaders).isdisjoint(count.struck)
    assert count.leaders


@given(ballots)
def test_borda_gives_away_all_its_points(election: list[Ballot]) -> None:
    assert sum(borda(CANDIDATES, election).votes) == pytest.approx(len(election) * 6)


def test_a_tie_is_broken_by_the_rule_that_was_set() -> None:
    context = ScriptedContext(seed=3)
    assert break_tie(context, [1, 2], "first") == 1
    assert {break_tie(context, [1, 2], "chance") for _ in range(30)} == {1, 2}
    assert break_tie(context, [2], "fail") == 2
    with pytest.raises(StepError, match="2 answers have the same number of votes"):
        break_tie(context, [1, 2], "fail")
