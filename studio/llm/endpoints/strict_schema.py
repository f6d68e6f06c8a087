"""Schemas that an endpoint can keep an answer to, token by token, where it is told `strict`.

It takes a part of JSON Schema only (platform.openai.com/docs/guides/structured-outputs, "Supported schemas").
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

KNOWN = frozenset(
    (
        *("$defs", "$ref", "type", "title", "description", "enum", "const", "anyOf"),
        *("properties", "required", "additionalProperties", "items", "minItems", "maxItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format"),
    )
)
FORMATS = frozenset(("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"))
DEPTH = 10
PROPERTIES = 5000


def strict_schema(schema: Mapping[str, object]) -> dict[str, object] | None:
    """Give a schema for strict answers, which fit `schema` as well; None where it can't be said strictly.

    All fields have to be required; that there are no others is added where nothing is said of others.
    """
    count = [PROPERTIES]
    if schema.get("type") != "object" or "anyOf" in schema:
        return None
    try:
        return _strict(schema, DEPTH, count)
    except (_LooseError, TypeError, AttributeError):
        return None


class _LooseError(Exception):
    """A part that strict endpoints do not take."""


def _strict(part: Any, depth: int, count: list[int]) -> dict[str, object]:
    if not isinstance(part, Mapping) or depth < 0 or set(cast("Mapping[str, Any]", part)) - KNOWN:
        raise _LooseError
    given = cast("Mapping[str, Any]", part)
    if given.get("format", "date") not in FORMATS or not _says_what(given):
        raise _LooseError
    made: dict[str, object] = dict(given)
    for several in ("$defs", "properties"):
        if several in given:
            deeper = depth - (several == "properties")
            made[several] = {name: _strict(one, deeper, count) for name, one in given[several].items()}
    if "items" in given:
        made["items"] = _strict(given["items"], depth - 1, count)
    if "anyOf" in given:
        made["anyOf"] = [_strict(one, depth, count) for one in given["anyOf"]]
    if "object" in _types(given):
        properties = given.get("properties", {})
        count[0] -= len(properties)
        is_open = given.get("additionalProperties", not properties) is not False
        if is_open or count[0] < 0 or set(properties) != set(given.get("required", ())):
            raise _LooseError
        made |= {"properties": made.get("properties", {}), "required": list(properties)}
        made["additionalProperties"] = False
    elif "properties" in given or "required" in given or "additionalProperties" in given:
        raise _LooseError
    return made


def _says_what(part: Mapping[str, Any]) -> bool:
    """Whether it says of which type a value is, which has to be said everywhere."""
    if "array" in _types(part) and "items" not in part:
        return False
    return bool({"type", "$ref", "anyOf", "enum", "const"} & set(part))


def _types(part: Mapping[str, Any]) -> Sequence[str]:
    types = part.get("type", ())
    return [types] if isinstance(types, str) else list(types)
