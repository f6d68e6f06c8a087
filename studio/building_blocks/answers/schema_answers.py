"""Answers that are JSON of a given schema: read, checked, and asked for again when they do not fit."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from studio.bounds.schemas import mismatch
from studio.building_blocks.answers.chats import Chats
from studio.sdk import ChatRequest, Message, StepError

NOTHING = "(nothing)"
FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n?\s*```", re.DOTALL)


async def read_structured(
    chats: Chats, request: ChatRequest, answer: Message, *, profile: str = "", repairs: int = 1
) -> tuple[Any, tuple[Message, ...]]:
    """Read `answer` to `request` as JSON of its schema, asking again, `repairs` times at most, until it fits.

    Gives the data and the messages that led to it. Raises `StepError` when the last answer does not fit
    either. An endpoint that took the schema and answered in words is told it in words.
    """
    schema = request.response_schema or {}
    data, problem, was_read = parse_json(answer.content, schema)
    for _ in range(repairs):
        if not problem:
            break
        remark = f"That was not the JSON that was asked for: {problem} Answer again, with the JSON alone."
        # Calls that nobody answers, and answers without a word, are refused by strict endpoints.
        said = Message("assistant", answer.content or NOTHING)
        request = replace(request, messages=(*request.messages, said, Message("user", remark)))
        if not was_read and request.schema_by == "auto":
            request = replace(request, schema_by="instruction")
        answered = await chats.chat(request, profile=profile)
        answer = answered.message
        if answered.asked:
            request = replace(request, messages=answered.asked)
        data, problem, was_read = parse_json(answer.content, schema)
    if problem:
        raise StepError(
            f"The answer is not the required JSON: {problem}",
            hint="Allow more repairs, improve the instructions, or simplify the schema.",
        )
    return data, (*request.messages, answer)


def parse_json(text: str, schema: Mapping[str, Any]) -> tuple[Any, str, bool]:
    """Read JSON, fenced or bare, and check it; gives the data, what is wrong, and whether it is JSON."""
    fenced = FENCED.search(text)
    for candidate in [text, *([fenced[1]] if fenced else [])]:
        with suppress(ValueError, RecursionError):
            data = json.loads(candidate, parse_constant=no_constant)
            return data, mismatch(data, schema), True
    return None, "It cannot be read as JSON.", False


def no_constant(name: str) -> object:
    """Refuse `NaN` and the like, which Python reads and JSON does not have."""
    raise ValueError(name)
