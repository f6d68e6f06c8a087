"""Values on cards are read, not decoded."""

import pytest

from studio.ui.viewmodels.words.value_words import plural_in, read, told


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("Three species.", "Three species."),
        (0.5, "0.5"),
        (True, "yes"),
        (None, ""),
        ([], "none"),
        (["wren", "siskin"], "wren, siskin"),
        ([0.3, 1], "0.3, 1"),
        ([{"round": 1, "changed": False}] * 9, "9 turns"),
        ([{"round": 1, "changed": False}], "round: 1, changed: no"),
        ({"verdict": True, "stays_dry": "no rain"}, "verdict: yes, stays dry: no rain"),
    ],
)
def test_a_value_is_said_as_a_reader_wants_it(value: object, said: str) -> None:
    assert told(value, "turns") == said


def test_an_answer_in_a_form_is_said_without_braces() -> None:
    assert read('{"accepted": true, "reason": "All claims are dated."}') == (
        "accepted: yes, reason: All claims are dated."
    )
    assert read("{not JSON") == "{not JSON"
    assert read("[1] says so") == "[1] says so"


def test_a_list_is_called_after_the_first_name_that_is_a_plural() -> None:
    assert plural_in("Who said what", "rounds") == "rounds"
    assert plural_in("Turns", "value") == "turns"
    assert plural_in("Process", "value") == ""
    assert told([{}] * 3) == "3 items"
