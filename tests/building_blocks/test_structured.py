import json
from typing import Any

import pytest

from studio.bounds.schemas import mismatch
from studio.building_blocks.answers.schema_answers import parse_json, read_structured
from studio.llm.client import ChatRequest, Message, ToolCall
from studio.sdk import StepError
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
    assert parse_json(text, SCHEMA) == ({"accepted": True}, "", True)


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


async def ask(
    *later: str | Message, first: str | Message = "I accept it.", repairs: int = 1
) -> tuple[Any, ScriptedContext, tuple[Message, ...]]:
    context = ScriptedContext(later)
    request = ChatRequest((Message("user", "ok?"),), response_schema=SCHEMA)
    answer = Message("assistant", first) if isinstance(first, str) else first
    data, messages = await read_structured(context, request, answer, profile="fast", repairs=repairs)
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


async def test_who_took_the_schema_and_answered_in_words_is_told_it_in_words() -> None:
    _, context, _ = await ask('{"accepted": 1}', '{"accepted": true}', repairs=2)
    assert [one.schema_by for one in context.requests] == ["instruction", "instruction"]
    _, context, _ = await ask('{"accepted": true}', first="{}")
    assert context.requests[0].schema_by == "auto"


async def test_an_answer_is_repaired_as_often_as_is_allowed_and_no_more() -> None:
    data, context, messages = await ask("{}", "[]", '{"accepted": true}', repairs=3)
    assert data == {"accepted": True}
    assert len(context.requests) == 3
    assert len(messages) == 8
    with pytest.raises(StepError, match="lacks `accepted`"):
        await ask("{}", "{}", repairs=2)
    with pytest.raises(StepError, match="cannot be read as JSON"):
        await ask(repairs=0)


async def test_calls_that_nobody_answers_are_not_sent_along_with_a_repair() -> None:
    call = Message("assistant", "", (ToolCall("1", "search", "{}"),))
    _, context, messages = await ask('{"accepted": true}', first=call)
    assert [one.tool_calls for one in context.requests[0].messages] == [(), (), ()]
    assert all(one.content for one in messages)


async def test_two_bad_answers_fail_the_step() -> None:
    with pytest.raises(StepError, match="lacks `accepted`"):
        await ask("{}")


def test_what_python_reads_and_json_does_not_have_is_no_json() -> None:
    assert parse_json('{"accepted": NaN}', {})[2] is False
    assert parse_json("[" * 100_000, {})[2] is False
