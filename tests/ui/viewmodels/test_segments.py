from hypothesis import given
from hypothesis import strategies as st

from studio.ui.viewmodels.messages.segments import Segment, segments_of


def test_code_blocks_stand_apart_with_their_language() -> None:
    text = "Try this:\n```python\nprint(1)\n\nprint(2)\n```\nor\n~~~\na\n~~~"
    assert segments_of(text) == [
        Segment("Try this:"),
        Segment("print(1)\n\nprint(2)", "python"),
        Segment("or"),
        Segment("a", "text"),
    ]


def test_a_block_that_is_not_closed_reaches_to_the_end_and_a_shorter_fence_closes_none() -> None:
    assert segments_of("````md\n```\nx\n```") == [Segment("```\nx\n```", "md")]
    assert segments_of("```") == [Segment("", "text")]


@given(st.text("ab \n"))
def test_text_without_fences_stays_as_it_is(text: str) -> None:
    assert segments_of(text) == [Segment(text)]


WORDS = st.text("ab \n", max_size=6)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=4))
def test_nothing_that_is_said_or_coded_is_lost(parts: list[tuple[str, str]]) -> None:
    text = "".join(f"{said}\n```x\n{code}\n```\n" for said, code in parts)
    found = segments_of(text)
    assert [one.text for one in found if one.language] == [code for _, code in parts]
    said = "".join(one.text for one in found if not one.language)
    assert said.replace("\n", "") == "".join(one for one, _ in parts).replace("\n", "")
