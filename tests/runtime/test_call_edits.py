"""What may be put in the place of what a call asks or says."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given

from studio.errors import ValueTypeError
from studio.flow.records import Json
from studio.llm.client import ChatRequest, Message, ToolCall, message_to_json
from studio.llm.conversation import continued, formerly_called
from studio.runtime.gates.call_edits import read_call_edit
from tests.llm.strict_endpoint import refusals
from tests.llm.test_conversation import HISTORIES

CALL = {"id": "a", "name": "look", "arguments": "{}"}
SAID = [Message("user", "Look."), Message("assistant", "", (ToolCall("a", "look", "{}"),))]
SEEN = [*SAID, Message("tool", "A wren.", tool_call_id="a")]


def plain(messages: list[Message]) -> Json:
    return [message_to_json(message) for message in messages]  # pyright: ignore[reportReturnType]


@given(HISTORIES)
def test_no_strict_endpoint_refuses_messages_that_may_be_asked(messages: list[Message]) -> None:
    with suppress(ValueTypeError):
        edited: Any = read_call_edit("chat.1", "messages", "before", plain(messages))
        assert refusals([ChatRequest(tuple(edited), formerly_called(edited), may_call=False)]) == []


@given(HISTORIES)
def test_messages_that_are_right_are_asked_as_they_are(messages: list[Message]) -> None:
    said = continued(messages, "What now?")
    assert read_call_edit("chat.1", "messages", "before", plain(said)) == said


def test_what_one_says_in_two_messages_is_asked_in_one() -> None:
    two = [Message("user", "Look."), Message("user", "Please.")]
    assert read_call_edit("chat.1", "messages", "before", plain(two)) == [Message("user", "Look.\n\nPlease.")]


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([], "one message"),
        (SAID, "`a` is not answered"),
        ([*SAID, Message("user", "And?")], "before the call `a` is answered"),
        ([Message("user", "?"), Message("tool", "!", tool_call_id="a")], "answers no call"),
        ([*SEEN, Message("assistant", "A wren.")], "The last message must be from"),
        ([Message("system", "Be kind."), *SEEN, Message("system", "Be brief.")], "instructions"),
        ([Message("user", "?", (ToolCall("a", "look", "{}"),))], "Only `assistant` calls tools"),
    ],
)
def test_messages_that_no_endpoint_takes_are_refused_with_the_reason(
    messages: list[Message], reason: str
) -> None:
    with pytest.raises(ValueTypeError) as refused:
        read_call_edit("chat.1", "messages", "before", plain(messages))
    assert reason in refused.value.message


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"role": "assistant", "tool_calls": [CALL, CALL]}, "same id"),
        ({"role": "assistant", "tool_calls": [{**CALL, "arguments": "{"}]}, "no JSON object"),
        ({"role": "user", "content": "?"}, "role `assistant`"),
    ],
)
def test_an_answer_that_no_agent_could_act_on_is_refused(answer: Json, reason: str) -> None:
    with pytest.raises(ValueTypeError) as refused:
        read_call_edit("chat.1", "answer", "after", answer)
    assert reason in refused.value.message
