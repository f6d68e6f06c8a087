"""Answers that a person types, a line for each field of a form."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

from studio.bounds.schemas import mismatch

TRUE = frozenset({"y", "yes", "true", "1"})
FALSE = frozenset({"n", "no", "false", "0"})

KINDS = {"boolean": "yes, no", "integer": "a whole number", "number": "a number", "array": "a list, as JSON"}
BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "{} or more characters",
    "maxLength": "{} or fewer characters",
    "minItems": "{} or more entries",
    "maxItems": "{} or fewer entries",
    "pattern": "of the form {}",
    "format": "format {}",
}
"""What a field may be, in words for whoever fills it."""

FOLLOWED = 20
"""How many references are followed to what a field is."""


def read_answer(text: str, schema: Mapping[str, object]) -> object:
    """Read what a person typed as a value of a field's JSON Schema; raises `ValueError` in words for them."""
    choices = choices_of(schema)
    if choices:
        for choice, words in choices:
            if text.casefold() in {str(choice).casefold(), words.casefold()}:
                return choice
        raise ValueError(f"Choose one of {', '.join(words for _, words in choices)}.")
    value: object = text
    if schema.get("type", "string") != "string":
        value = value_of(text, schema)
    if problem := mismatch(value, schema, "This"):
        raise ValueError(problem)
    return value


def value_of(text: str, schema: Mapping[str, object]) -> object:
    """Read a value of a type that is no text; raises `ValueError` in words."""
    match schema.get("type"):
        case "boolean":
            if text.casefold() in TRUE | FALSE:
                return text.casefold() in TRUE
            raise ValueError("Answer yes or no.")
        case "integer" | "number" as kind:
            with suppress(ValueError):
                return int(text)
            with suppress(ValueError):
                if kind == "number":
                    return float(text)
            raise ValueError(
                "This has to be a whole number." if kind == "integer" else "This has to be a number."
            )
        case _:
            try:
                return json.loads(text)
            except ValueError:
                raise ValueError("This has to be written as JSON.") from None


def field_prompt(name: str, schema: Mapping[str, object]) -> str:
    """Say what is wanted for a field: its title, what may be chosen or how large it may be, its default."""
    title, default = str(schema.get("title", name)), schema.get("default")
    allowed = [words for _, words in choices_of(schema)]
    if not allowed:
        allowed = [words for kind, words in KINDS.items() if kind == schema.get("type")]
        allowed += [words.format(schema[key]) for key, words in BOUNDS.items() if key in schema]
    told = f"{title} ({', '.join(allowed)})" if allowed else title
    return told if default is None else f"{told} [{said(default, schema)}]"


def said(value: Any, schema: Mapping[str, object]) -> str:
    """Say a default as a person would type it."""
    for choice, words in choices_of(schema):
        if choice == value:
            return words
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def part_of(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give what a part of a form asks for: what it refers to, and what it is where it is not nothing."""
    found = dict(part)
    for _ in range(FOLLOWED):
        forms: list[Any] = [one for one in found.get("anyOf", ()) if one != {"type": "null"}]
        if str(found.get("$ref", "")).startswith("#/"):
            found = {**named_in(schema, found.pop("$ref")), **found}
        elif len(forms) == 1:
            del found["anyOf"]
            found = {**forms[0], **found}
        elif isinstance(found.get("type"), list):
            kinds = [one for one in found["type"] if one != "null"]
            if len(kinds) != 1:
                break
            found["type"] = kinds[0]
        else:
            break
    if "$defs" in schema:
        found["$defs"] = schema["$defs"]
    return found


def named_in(schema: Mapping[str, Any], reference: str) -> Mapping[str, Any]:
    """Give the part of a schema that a reference names; nothing where it names none."""
    found: Any = schema
    for step in reference.removeprefix("#/").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        found = cast("Mapping[str, Any]", found).get(name, {}) if isinstance(found, Mapping) else {}
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def choices_of(schema: Mapping[str, object]) -> list[tuple[object, str]]:
    """What a field may be, each with its words: `enum`, or `oneOf` with `const` and `title`."""
    values = cast("list[object]", schema.get("enum") or [])
    names = cast("list[object]", schema.get("enumNames") or [])
    if values:
        return [(one, str(names[place] if place < len(names) else one)) for place, one in enumerate(values)]
    parts = cast("list[Mapping[str, object]]", schema.get("oneOf") or [])
    if not all("const" in part for part in parts):
        return []
    return [(part["const"], str(part.get("title", part["const"]))) for part in parts]
