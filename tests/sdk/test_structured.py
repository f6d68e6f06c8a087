import json
from typing import Any

import pytest

from studio.llm.client import ChatRequest, Message
from studio.sdk import StepError
from studio.sdk.prelude.schemas import mismatch
from studio.sdk.prelude.structured import parse_json, read_structured
from studio.sdk.testing import ScriptedContext

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "accepted": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "count": {"type": ["integer", "null"]},
    },
    "required": ["accepted"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "text",
    ['{"accepted": true}', '```json\n{"accepted": true}\n```', 'So:\n```\n{"accepted": true}\n```\nthere.'],
)
def test_json_is_read_bare_or_fenced(text: str) -> None:
    assert parse_json(text, SCHEMA) == ({"accepted": True}, "")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "type object"),
        ({}, "lacks `accepted`"),
        ({"accepted": 1}, "`accepted`"),
        ({"accepted": True, "tags": ["a", "c"]}, '"a", "b"'),
        ({"accepted": True, "tags": "a"}, "type array"),
        ({"accepted": True, "count": True}, "integer or null"),
        ({"accepted": True, "count": 1.5}, "integer or null"),
        ({"accepted": True, "more": 1}, "no `more`"),
    ],
)
def test_a_departure_from_the_schema_is_said(value: object, said: str) -> None:
    assert said in mismatch(value, SCHEMA)


def test_what_fits_is_not_complained_about() -> None:
    assert mismatch({"accepted": False, "tags": ["a"], "count": 2.0}, SCHEMA) == ""
    assert mismatch(object(), {}) == ""


async def ask(*later: str, first: str = "I accept it.") -> tuple[Any, ScriptedContext, tuple[Message, ...]]:
    context = ScriptedContext(later)
    request = ChatRequest((Message("user", "ok?"),), response_schema=SCHEMA)
    data, messages = await read_structured(context, request, Message("assistant", first), profile="fast")
    return data, context, messages


async def test_a_good_answer_is_not_asked_for_again() -> None:
    data, context, messages = await ask(first='{"accepted": true}')
    assert data == {"accepted": True}
    assert context.requests == []
    assert len(messages) == 2


async def test_a_bad_answer_is_asked_for_once_more_with_the_reason() -> None:
    data, context, messages = await ask(json.dumps({"accepted": False}))
    assert data == {"accepted": False}
    assert context.profiles == ["fast"]
    assert "cannot be read as JSON" in context.requests[0].messages[-1].content
    assert context.requests[0].response_schema == SCHEMA
    assert [message.role for message in messages] == ["user", "assistant", "user", "assistant"]


async def test_two_bad_answers_fail_the_step() -> None:
    with pytest.raises(StepError, match="lacks `accepted`"):
        await ask("{}")
