"""Answers that are JSON of a given schema: read, checked, and asked for once more when they do not fit."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from studio.sdk import ChatRequest, Message, StepError
from studio.sdk.prelude.chats import Chats
from studio.sdk.prelude.schemas import mismatch

FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n?\s*```", re.DOTALL)


async def read_structured(
    chats: Chats, request: ChatRequest, answer: Message, *, profile: str = ""
) -> tuple[Any, tuple[Message, ...]]:
    """Read `answer` to `request` as JSON of its schema, asking once more when it does not fit.

    Gives the data and the messages that led to it. Raises `StepError` when the second answer does not
    fit either.
    """
    schema = request.response_schema or {}
    messages = (*request.messages, answer)
    data, problem = parse_json(answer.content, schema)
    if problem:
        remark = f"That was not the JSON that was asked for: {problem} Answer again, with the JSON alone."
        messages = (*messages, Message("user", remark))
        second = await chats.chat(replace(request, messages=messages), profile=profile)
        messages = (*messages, second.message)
        data, problem = parse_json(second.message.content, schema)
    if problem:
        raise StepError(f"The answer is not the JSON that was asked for: {problem}")
    return data, messages


def parse_json(text: str, schema: Mapping[str, Any]) -> tuple[Any, str]:
    """Read JSON, fenced or bare, and check it; gives the data and what is wrong (empty: nothing)."""
    fenced = FENCED.search(text)
    try:
        data = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError) as error:
        return None, f"It cannot be read as JSON ({error})."
    return data, mismatch(data, schema)
