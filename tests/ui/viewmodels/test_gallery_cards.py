from pathlib import Path

import pytest

from studio.app.gallery.records import MECHANISMS
from studio.app.gallery.systems import Standing
from studio.ui.viewmodels.help.gallery_cards import (
    STANDINGS,
    Among,
    among_title,
    cards_of,
    found_cards,
    mechanism_title,
    mechanisms_shown,
    state_words,
)
from tests.ui.galleries import a_gallery


def test_what_can_be_opened_comes_first_in_the_order_of_the_titles(tmp_path: Path) -> None:
    cards = cards_of(reversed(a_gallery(tmp_path)))
    assert [one.title for one in cards] == ["Debate", "Planner", "Town", "FinAgent", "LatentMAS"]
    assert [one.is_built for one in cards] == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("words", "mechanism", "among", "found"),
    [
        ("", "", Among.BUILT, ["Debate", "Planner", "Town"]),
        ("", "voting", Among.BUILT, ["Debate", "Planner"]),
        ("PAPER plan", "voting", Among.BUILT, ["Planner"]),
        ("s005", "", Among.BUILT, ["Town"]),
        ("memory", "", Among.BUILT, ["Town"]),
        ("trading", "", Among.BUILT, []),
        ("trading", "", Among.ALL, ["FinAgent"]),
        ("", "", Among.WORKS, ["Debate", "Planner"]),
        ("", "", Among.PARTLY, ["Town"]),
        ("", "", Among.NOT_YET, ["FinAgent"]),
        ("hidden", "", Among.IMPOSSIBLE, ["LatentMAS"]),
        ("", "debate", Among.IMPOSSIBLE, []),
    ],
)
def test_a_search_leaves_what_has_all_the_words_and_passes_both_filters(
    tmp_path: Path, words: str, mechanism: str, among: Among, found: list[str]
) -> None:
    cards = cards_of(a_gallery(tmp_path))
    assert [one.title for one in found_cards(cards, words, mechanism, among)] == found


def test_mechanisms_are_counted_and_those_that_nobody_shows_left_out(tmp_path: Path) -> None:
    shown = mechanisms_shown(cards_of(a_gallery(tmp_path)))
    assert shown == [("debate", 1), ("voting", 2), ("planning", 1), ("memory", 1)]


def test_every_standing_can_be_looked_for_and_is_said_with_its_reason(tmp_path: Path) -> None:
    assert set().union(*STANDINGS.values()) == set(Standing)
    assert [state_words(one) for one in a_gallery(tmp_path)] == [
        "Not yet · reproducible",
        "Works · reproducible",
        "Impossible: hidden states",
        "Works · reproducible",
        "Works partly; missing: a map · reproducible",
    ]


def test_each_mechanism_and_choice_has_a_name_for_people() -> None:
    assert all(mechanism_title(one) == one.capitalize() for one in MECHANISMS)
    assert len({among_title(one) for one in Among}) == len(Among)
