"""Messages as plain JSON, as events and stores keep them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.llm.client import Message, ToolCall, message_from_json, message_to_json

CALLS = st.builds(ToolCall, st.text(), st.text(), st.text())
MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    st.text(),
    st.lists(CALLS).map(tuple),
    st.text(),
)


@given(MESSAGES)
def test_a_message_survives_its_way_through_json(message: Message) -> None:
    assert message_from_json(message_to_json(message)) == message


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"role": "king"},
        {"role": "user", "tool_calls": "f"},
        {"role": "user", "tool_calls": [{"id": "a"}, 3]},
    ],
)
def test_what_is_no_message_is_refused(plain: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"role|tool"):
        message_from_json(plain)
