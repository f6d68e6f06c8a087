import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.text.split import split_by_headings, split_by_tokens, split_text
from studio.sdk import StepError
from studio.sdk.testing import run_bench


def test_tokens_are_words_and_marks_and_overlap() -> None:
    assert split_by_tokens("One, two.  Three\nfour", size=3) == ["One, two", ".  Three\nfour"]
    assert split_by_tokens("a b c d", size=3, overlap=2) == ["a b c", "b c d"]
    assert split_by_tokens(" \n", size=3) == []


@given(st.text(), st.integers(1, 9), st.integers(0, 8))
def test_cutting_by_tokens_loses_no_word(text: str, size: int, overlap: int) -> None:
    if overlap >= size:
        with pytest.raises(StepError, match="overlap"):
            split_by_tokens(text, size=size, overlap=overlap)
        return
    pieces = split_by_tokens(text, size=size, overlap=overlap)
    assert all(piece in text for piece in pieces)
    if not overlap:
        assert "".join("".join(pieces).split()) == "".join(text.split())


def test_headings_begin_pieces_down_to_a_depth() -> None:
    text = "Before.\n# A\none\n## B\ntwo\n#tag\n# C"
    assert split_by_headings(text) == ["Before.", "# A\none", "## B\ntwo\n#tag", "# C"]
    assert split_by_headings(text, depth=1) == ["Before.", "# A\none\n## B\ntwo\n#tag", "# C"]


def test_a_hash_in_a_code_block_is_no_heading() -> None:
    text = "# A\n```\n# no\n~~~\n# no\n````\n# B"
    assert split_by_headings(text) == ["# A\n```\n# no\n~~~\n# no\n````", "# B"]


async def test_the_setting_chooses_the_way() -> None:
    text = {"text": "# A\na b"}
    assert split_text("# A\na b", by="tokens", size=2) == ["# A", "a b"]
    assert await run_bench(split_text, text, {"by": "headings"}) == {"pieces": ["# A\na b"]}
    assert await run_bench(split_text, text, {"by": "tokens", "size": 2}) == {"pieces": ["# A", "a b"]}
    assert await run_bench(split_text, text, {}) == {"pieces": ["# A", "a b"]}
