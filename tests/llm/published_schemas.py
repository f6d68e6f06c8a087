"""What providers publish of their requests, and what of a body does not keep to it."""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

FOLDER = Path(__file__).with_name("published")
Body = Mapping[str, Any]


def departure(body: Body) -> str:
    """Say how a body departs from what is published; empty where it does not. It is told by its fields."""
    place = "messages" if "messages" in body else "input"
    told = body.get(place) if {"messages", "stream"} & set(body) else None  # vectors have none
    first, *more = told if isinstance(told, list) and told else [None]
    wrong = _verdict(json.dumps({**body, place: [first]} if more else body))
    return wrong or next(filter(None, (_verdict_of_one(place, json.dumps(one)) for one in more)), "")


@lru_cache(1_000)
def _verdict(text: str) -> str:
    """Judge a body as it is sent; a millisecond each, and most tests send what others have sent."""
    body: Body = json.loads(text)
    name = "chat_completions" if "messages" in body else "responses" if "stream" in body else "embeddings"
    error = best_match(_validator(name).iter_errors(body))
    if error is not None:
        return f"{error.json_path}: {error.message}"
    form = _form(body)
    return _laxness(form["schema"], "the schema") if form.get("strict") else ""


@lru_cache(5_000)
def _verdict_of_one(place: str, text: str) -> str:
    """Judge a further message, which all later requests of its conversation have again."""
    whole = _validator("chat_completions" if place == "messages" else "responses")
    listed = whole.schema["properties"][place]
    one = whole.evolve(schema=(listed if "items" in listed else listed["oneOf"][1])["items"])
    error = best_match(one.iter_errors(json.loads(text)))
    return "" if error is None else f"{place}, {error.json_path}: {error.message}"


def _form(body: Body) -> Body:
    """What is said of the form of answers, wherever the interface has it."""
    asked = body.get("response_format", {}).get("json_schema")
    return asked or body.get("text", {}).get("format", {})


def _laxness(schema: Any, place: str) -> str:
    """Say where a schema is not one that may be called strict, as the guide to structured outputs has it.

    Each object has all its fields, and no others (https://platform.openai.com/docs/guides/structured-outputs).
    """
    if isinstance(schema, list):
        return next(filter(None, (_laxness(one, place) for one in schema)), "")
    if not isinstance(schema, dict):
        return ""
    fields = schema.get("properties")
    if schema.get("type") == "object" or isinstance(fields, dict):
        if schema.get("additionalProperties") is not False:
            return f"{place} allows other fields"
        if set(schema.get("required", ())) != set(fields or ()):
            return f"{place} has fields that may be left out"
    parts = [(name, part) for name, part in schema.items() if name not in {"properties", "enum", "const"}]
    parts += list((fields or {}).items())
    return next(filter(None, (_laxness(part, f"`{name}` of {place}") for name, part in parts)), "")


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))
