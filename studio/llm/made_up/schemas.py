"""What JSON Schemas ask for: two joined to one, and keywords that older drafts write otherwise."""

import json
from collections.abc import Callable, Iterator, Mapping
from math import ceil, floor
from typing import Any, TypeAlias, cast

Schema: TypeAlias = Mapping[str, Any]


def joined(one: dict[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Give what has to be both; where that can't be said in one, the whole is compared in the end."""
    found = dict(one)
    for key, value in other.items():
        found[key] = _JOINS.get(key, _later)(found[key], value) if key in found else value
    return found


def _later(_one: Any, other: Any) -> Any:
    return other


def _either(one: Any, other: Any) -> Any:
    return one or other


def _all_names(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    both = {name: _both(one[name], other[name]) for name in one if name in other}
    return {**one, **other, **both}


def _all_of(one: list[Any], other: list[Any]) -> list[Any]:
    return [*one, *(each for each in other if each not in one)]


def _in_both(one: list[Any], other: list[Any]) -> list[Any]:
    return [each for each in one if each in other]


def _both(one: Any, other: Any) -> Any:
    if isinstance(one, list) and isinstance(other, list):
        return _all_of(cast("list[Any]", one), cast("list[Any]", other))
    if one is True or one == other:
        return other
    if other is True:
        return cast("Any", one)
    if one is False or other is False:
        return False
    return {"allOf": [cast("Any", one), other]}


def _types_of_both(one: Any, other: Any) -> list[str]:
    mine = cast("list[str]", one if isinstance(one, list) else [one])
    theirs = cast("list[str]", other if isinstance(other, list) else [other])
    both = [each for each in mine if each in theirs]
    is_whole = ("number" in mine and "integer" in theirs) or ("integer" in mine and "number" in theirs)
    return [*both, "integer"] if is_whole and "integer" not in both else both


_JOINS: Mapping[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(
        ("properties", "patternProperties", "dependentRequired", "dependentSchemas", "$defs"), _all_names
    ),
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems"), max),
    **dict.fromkeys(("minProperties", "minContains"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
    **dict.fromkeys(("items", "additionalProperties", "contains", "propertyNames"), _both),
    "required": _all_of,
    "type": _types_of_both,
    "enum": _in_both,
    "uniqueItems": _either,
}
"""How two values of a keyword become the one that asks for both."""


def bounds(part: Schema, *, is_whole: bool) -> tuple[float | None, float | None]:
    """The least and the largest number; beside a bound that is not reached, the next one within."""
    low, high = part.get("minimum"), part.get("maximum")
    over, under = part.get("exclusiveMinimum"), part.get("exclusiveMaximum")
    near = 1.0
    if not is_whole and over is not None and under is not None:
        near = min(1.0, (under - over) / 4)
    elif not is_whole and (over is not None or under is not None):
        other = high if over is not None else low
        gap = abs(other - (over if over is not None else under)) if other is not None else 1.0
        near = min(1.0, gap / 4) if gap else 1.0
    if isinstance(over, int | float):
        least = (floor(over) + 1) if is_whole else over + near
        low = least if low is None else max(low, least)
    if isinstance(under, int | float):
        largest = (ceil(under) - 1) if is_whole else under - near
        high = largest if high is None else min(high, largest)
    return low, high


def places(part: Schema) -> tuple[list[Any], Any]:
    """The schemas of the first entries, and that of all others."""
    items = part.get("items", True)
    if isinstance(items, list):  # as the older drafts write it
        return cast("list[Any]", items), part.get("additionalItems", True)
    return list(cast("list[Any]", part.get("prefixItems") or [])), items


def parts(value: Any) -> list[Any]:
    """The elements of a list; none of anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def is_nothing(part: Any) -> bool:
    """Whether it lets pass null alone."""
    return isinstance(part, Mapping) and cast("Schema", part).get("type") == "null"


def dependents(part: Schema, name: str) -> list[str]:
    """The names that have to be there where this one is."""
    found: Any = cast("Mapping[str, Any]", part.get("dependentRequired") or {}).get(name, [])
    older: Any = cast("Mapping[str, Any]", part.get("dependencies") or {}).get(name, [])
    return [*found, *(older if isinstance(older, list) else [])]


def dependent_schemas(part: Schema, name: str) -> list[Schema]:
    """What an object has to fit as well where this name is there."""
    found = (
        cast("Mapping[str, Any]", part.get(key) or {}).get(name)
        for key in ("dependentSchemas", "dependencies")
    )
    return [cast("Schema", one) for one in found if isinstance(one, Mapping)]


def references(part: Any) -> Iterator[str]:
    """All that it refers to, its parts included."""
    if isinstance(part, Mapping):
        for key, one in cast("Mapping[str, Any]", part).items():
            if key in {"$ref", "$dynamicRef"} and isinstance(one, str):
                yield one
            yield from references(one)
    elif isinstance(part, list):
        for one in cast("list[Any]", part):
            yield from references(one)


def written(value: Any) -> str:
    """A value as text, the same for values that JSON Schema takes for the same: 1 and 1.0."""

    def plain(one: Any) -> Any:
        if isinstance(one, float) and one.is_integer():
            return int(one)
        if isinstance(one, dict):
            return {key: plain(each) for key, each in cast("dict[str, Any]", one).items()}
        if isinstance(one, list):
            return [plain(each) for each in cast("list[Any]", one)]
        return one

    return json.dumps(plain(value), sort_keys=True)
