"""What a validator of JSON Schema complains about, in words for people and language models."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, cast

from jsonschema.exceptions import ValidationError

FORMS = 3
"""How many of the forms that a value may have are gone into."""

LENGTH = 200
"""How much of a value or a sentence is quoted."""

LIMITS = {
    "minimum": "should be at least {}",
    "maximum": "should be at most {}",
    "exclusiveMinimum": "should be more than {}",
    "exclusiveMaximum": "should be less than {}",
    "multipleOf": "should be a multiple of {}",
    "minLength": "should be a text of {} or more characters",
    "maxLength": "should be a text of {} or fewer characters",
    "minItems": "should have {} or more entries",
    "maxItems": "should have {} or fewer entries",
    "minProperties": "should have {} or more fields",
    "maxProperties": "should have {} or fewer fields",
    "pattern": "should match the pattern `{}`",
    "const": "should be {}",
    "dependentRequired": "lacks a field that goes with another: {}",
    "not": "has a form that it must not have",
    "contains": "has too few or too many entries of the form {}",
    "uniqueItems": "has the same entry twice",
    "additionalProperties": "has more fields than it should have",
    "unevaluatedItems": "has more entries than it should have",
    "unevaluatedProperties": "has more fields than it should have",
}
ALONE = {"anyOf": "", "oneOf": " alone"}


def sentence(error: ValidationError, place: str) -> str:
    """Say one complaint about the value that stands at `place`."""
    where = place_of(cast("Iterable[str | int]", error.absolute_path), place)
    return f"{where} {departure(error, place)}."


def place_of(path: Iterable[str | int], place: str) -> str:
    """Say where something stands: ```birds[0].name` of the answer``."""
    parts = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return f"`{cut(parts.removeprefix('.'))}` of {place}" if parts else place


def departure(error: ValidationError, place: str) -> str:
    """Say what is wrong, without the place."""
    keyword, wanted = str(error.validator), cast("Any", error.validator_value)
    value, schema = cast("Any", error.instance), cast("dict[str, Any]", error.schema)
    if keyword == "type":
        return f"should be of type {' or '.join(listed(wanted))}"
    if keyword == "required":
        return f"lacks {named([name for name in wanted if name not in value])}"
    if keyword == "additionalProperties" and "patternProperties" not in schema:
        known = schema.get("properties", {})
        return f"should have no {named([name for name in value if name not in known])}"
    if keyword == "enum":
        return f"should be one of {', '.join(quoted(one) for one in wanted)}"
    if keyword == "oneOf" and is_choice(wanted):
        return f"should be one of {', '.join(quoted(one['const']) for one in wanted)}"
    if keyword in ALONE:
        return f"should have one of its forms{ALONE[keyword]}, {forms(error, place)}"
    if keyword == "None":
        return f"has {quoted(value)} where nothing may be"
    if keyword in LIMITS:
        return LIMITS[keyword].format(wanted if keyword == "pattern" else quoted(wanted))
    return cut(error.message)


def is_choice(wanted: Sequence[Any]) -> bool:
    """Whether forms are values to choose from, each by itself."""
    return all(isinstance(one, dict) and "const" in one for one in wanted)


def forms(error: ValidationError, place: str) -> str:
    """Say why none of the forms that a value may have fits, or that more than one does."""
    first: dict[object, str] = {}
    for one in cast("Sequence[ValidationError]", error.context or ()):
        first.setdefault(next(iter(one.schema_path), len(first)), sentence(one, place).rstrip("."))
    if not first:
        return "and it has several"
    return f"and it has none: {', or '.join(list(first.values())[:FORMS])}"


def named(fields: Sequence[str]) -> str:
    """Some names of fields."""
    return cut(" and ".join(f"`{name}`" for name in fields[:FORMS]))


def listed(types: Any) -> list[str]:
    """The names of types, of which there may be one."""
    return [types] if isinstance(types, str) else [str(one) for one in types]


def quoted(value: Any) -> str:
    """A value as JSON."""
    return cut(json.dumps(value, ensure_ascii=False))


def cut(text: str) -> str:
    """The beginning of a text."""
    return text if len(text) <= LENGTH else f"{text[: LENGTH - 1]}…"
