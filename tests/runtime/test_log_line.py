"""The line that a breakpoint writes: words and expressions between braces."""

from hypothesis import given
from hypothesis import strategies as st

from studio.runtime.gates.log_line import line_of, names_in, pieces


@given(st.text("ab{} '\"\\"))
def test_words_with_their_braces_doubled_come_out_as_they_were(words: str) -> None:
    assert line_of(words.replace("{", "{{").replace("}", "}}"), {}) == words


@given(st.text("ab{} '\"x[1]"))
def test_a_line_can_be_taken_apart_whatever_it_says(text: str) -> None:
    assert sum(len(piece.text) for piece in pieces(text)) <= len(text)
    assert isinstance(line_of(text, {"x": 1}), str)


def test_braces_and_quotes_inside_an_expression_belong_to_it() -> None:
    assert line_of("{ {'a': '}'}['a'] } and {x}", {"x": [1, "é"]}) == '} and [1, "é"]'


def test_the_names_of_a_line_are_those_of_its_expressions() -> None:
    assert names_in("round {round}: {len(text)} of {{x}} {(}") == {"round", "text"}


def test_a_long_value_is_cut() -> None:
    assert len(line_of("{x}", {"x": "a" * 2_000})) == 501
