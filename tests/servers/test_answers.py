"""What servers answer is kept within limits."""

from types import SimpleNamespace

import pytest

from studio.servers.answers import LONGEST, text_of


def said(*texts: str, data: object = None) -> SimpleNamespace:
    parts = [SimpleNamespace(type="text", text=text) for text in texts]
    return SimpleNamespace(content=parts, structured_content=data)


@pytest.mark.parametrize(
    "result", [said("a" * LONGEST, "b" * 9), said(data="a" * (LONGEST + 8))], ids=["text", "data"]
)
def test_a_long_answer_is_cut_and_says_how_much_was_left_out(result: SimpleNamespace) -> None:
    text = text_of(result)
    kept, sentence = text[:LONGEST], text[LONGEST:]
    assert "b" not in kept
    assert sentence == "\n… 10 more characters of the server's answer were left out."


def test_an_answer_that_fits_is_whole() -> None:
    assert text_of(said("a" * (LONGEST - 2), "b")) == "a" * (LONGEST - 2) + "\nb"
