import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.flow.plain_text import excerpt, on_one_line, pretty
from studio.flow.records import Json
from tests.examples import examples
from tests.flow.strategies import json_values


def test_an_excerpt_is_one_line_and_says_that_it_is_cut() -> None:
    cut = excerpt("one\ntwo " * 100, 20)
    assert len(cut) <= 20
    assert "\n" not in cut
    assert cut.endswith("…")


def test_text_stands_as_it_is_and_everything_else_as_json() -> None:
    assert pretty("a\n b") == "a\n b"
    assert pretty({"é": [None]}) == '{\n  "é": [\n    null\n  ]\n}'
    assert on_one_line("a\n b") == "a b"
    assert on_one_line({"é": None}) == '{"é": null}'


@settings(max_examples=examples(250))
@given(json_values, st.integers(1, 30))
def test_an_excerpt_is_the_beginning_of_the_whole_line(value: Json, limit: int) -> None:
    whole = on_one_line(value)
    expected = whole if len(whole) <= limit else f"{whole[: limit - 1].rstrip()}…"
    assert excerpt(value, limit) == expected


def test_an_excerpt_looks_at_no_more_of_a_long_list_than_it_tells() -> None:
    class Unsaid:
        """What JSON cannot say."""

    rows = [0] * 1_000
    assert excerpt([*rows, Unsaid()], 20) == excerpt(rows, 20)
    assert excerpt({"rows": [*rows, Unsaid()]}, 20) == excerpt({"rows": rows}, 20)
    with pytest.raises(TypeError):
        on_one_line([*rows, Unsaid()])
