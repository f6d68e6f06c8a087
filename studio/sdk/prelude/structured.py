"""Answers that are JSON of a given schema: read, checked, and asked for once more when they do not fit."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from studio.sdk import ChatRequest, Context, Message, StepError

FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n?\s*```", re.DOTALL)
KINDS: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


async def read_structured(
    context: Context, request: ChatRequest, answer: Message, *, profile: str = ""
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
        second = await context.chat(replace(request, messages=messages), profile=profile)
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
    except ValueError as error:
        return None, f"It cannot be read as JSON ({error})."
    return data, mismatch(data, schema)


def mismatch(value: Any, schema: Mapping[str, Any], place: str = "the answer") -> str:
    """Say in a sentence how `value` departs from a JSON Schema, empty when it does not.

    Knows `type`, `enum`, `required`, `properties` and `items`; whatever else a schema says goes unchecked.
    """
    kinds = schema.get("type", [])
    names = [kinds] if isinstance(kinds, str) else list(kinds)
    if names and not any(_is_of(value, name) for name in names):
        return f"{place} should be of type {' or '.join(names)}."
    if "enum" in schema and value not in schema["enum"]:
        choices = ", ".join(json.dumps(one) for one in schema["enum"])
        return f"{place} should be one of {choices}."
    if _is_of(value, "object"):
        return _object_mismatch(value, schema, place)
    if _is_of(value, "array") and "items" in schema:
        return _first(mismatch(one, schema["items"], f"{place}[{index}]") for index, one in enumerate(value))
    return ""


def _object_mismatch(value: Mapping[str, Any], schema: Mapping[str, Any], place: str) -> str:
    missing = [name for name in schema.get("required", []) if name not in value]
    if missing:
        return f"{place} lacks `{missing[0]}`."
    known: Mapping[str, Any] = schema.get("properties", {})
    if schema.get("additionalProperties") is False and (
        unknown := [name for name in value if name not in known]
    ):
        return f"{place} has no `{unknown[0]}`."
    return _first(
        mismatch(value[name], part, f"`{name}` of {place}") for name, part in known.items() if name in value
    )


def _is_of(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, KINDS.get(name, (object,)))


def _first(problems: Iterable[str]) -> str:
    return next((problem for problem in problems if problem), "")
