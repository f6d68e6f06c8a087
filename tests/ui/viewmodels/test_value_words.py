"""Values on cards are read, not decoded."""

import pytest

from studio.ui.viewmodels.value_words import plural_in, told


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


def test_a_list_is_called_after_the_first_name_that_is_a_plural() -> None:
    assert plural_in("Who said what", "rounds") == "rounds"
    assert plural_in("Turns", "value") == "turns"
    assert plural_in("Process", "value") == ""
    assert told([{}] * 3) == "3 items"
