"""What another endpoint or a language model made up can be sent back to any endpoint."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.llm.wire_names import sendable_id, sendable_name

any_text = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("find_lines", "find_lines"),
        ("functions.find_lines", "functions_find_lines"),
        ("", "unnamed"),
        ("a" * 70, "a" * 64),
    ],
)
def test_a_name_that_no_tool_may_have_is_sent_back_as_one_that_it_may(name: str, sent: str) -> None:
    assert sendable_name(name) == sent


def test_a_usual_id_is_kept() -> None:
    assert sendable_id("call_9f3-A") == "call_9f3-A"


@given(any_text, any_text)
def test_ids_stay_apart_and_a_call_and_its_answer_together(one: str, other: str) -> None:
    sent = sendable_id(one)
    assert 0 < len(sent) <= 40
    assert sendable_id(sent) == sent == sendable_id(one)
    clean = [text.encode("utf-8", "replace") for text in (one, other)]
    assert (sendable_id(other) == sent) == (clean[0] == clean[1])
