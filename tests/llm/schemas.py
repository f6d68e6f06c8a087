"""Random JSON schemas that something fits, for tests that fill them in."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

NAMES = st.sampled_from(
    ["answer", "reason", "score", "done", "title", "items", "wrong", "after", "path", "x", "größe", "a b"]
)
PATTERNS = st.sampled_from(
    [
        r"^[a-z]+$",
        r"^\d{4}-\d{2}$",
        r"^(yes|no|perhaps)$",
        r"^[A-Z]{2,3}-\d+$",
        r"\bwren\b",
        r"^[^,;]+$",
        r"^\w+@\w+\.org$",
        r"^#(?:[0-9a-f]{3}){1,2}$",
        r"^.{3,5}$",
        r"(?i)^OK",
        r"^$",
    ]
)
FORMATS = st.sampled_from(
    ["date", "date-time", "time", "email", "uri", "uuid", "ipv4", "ipv6", "made-of-wood"]
)
PLAIN = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["low", "high", "accept", "reject", ""])
)


@st.composite
def numbers(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["integer", "number"]))
    found: dict[str, Any] = {"type": kind}
    low = draw(st.none() | st.integers(-50, 50))
    if low is not None:
        found[draw(st.sampled_from(["minimum", "exclusiveMinimum"]))] = low
    if draw(st.booleans()):
        found[draw(st.sampled_from(["maximum", "exclusiveMaximum"]))] = (low or 0) + draw(st.integers(12, 60))
    if draw(st.booleans()):
        found["multipleOf"] = draw(st.sampled_from([1, 2, 5] if kind == "integer" else [1, 0.5, 0.25, 3]))
    return found


@st.composite
def texts(draw: st.DrawFn) -> dict[str, Any]:
    match draw(st.sampled_from(["plain", "pattern", "format", "long"])):
        case "pattern":
            return {"type": "string", "pattern": draw(PATTERNS)}
        case "format":
            return {"type": "string", "format": draw(FORMATS)}
        case "long":
            least = draw(st.integers(0, 120))
            most = draw(st.none() | st.integers(least, least + 40))
            return {"type": "string", "minLength": least} | ({} if most is None else {"maxLength": most})
        case _:
            return {"type": "string"}


def parts(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(objects(inner), maps(inner), arrays(inner), tuples(inner), combined(inner))


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    fields = draw(st.dictionaries(NAMES, inner, max_size=4))
    names = list(fields)
    required = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    found: dict[str, Any] = {"type": "object", "properties": fields, "required": required}
    if draw(st.booleans()):
        found["additionalProperties"] = False
    elif draw(st.booleans()):
        found["minProperties"] = draw(st.integers(0, len(names) + 1))
    if len(names) > 1 and draw(st.booleans()):
        found["dependentRequired"] = {names[0]: [names[1]]}
    if required and draw(st.booleans()):
        found["maxProperties"] = len(names) + draw(st.integers(0, 1)) + found.get("minProperties", 0)
    return found


@st.composite
def maps(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "object", "additionalProperties": draw(inner)}
    if draw(st.booleans()):
        found = {
            "type": "object",
            "patternProperties": {"^s_[a-z]+$": draw(inner)},
            "additionalProperties": False,
        }
        found["minProperties"] = draw(st.integers(0, 2))
    elif draw(st.booleans()):
        found["propertyNames"] = {"pattern": "^[a-z]{2,8}$"}
        found["minProperties"] = draw(st.integers(0, 2))
    return found


@st.composite
def arrays(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "array", "items": draw(inner)}
    least = draw(st.integers(0, 3))
    found["minItems"] = least
    if draw(st.booleans()):
        found["maxItems"] = least + draw(st.integers(0, 2))
    if draw(st.booleans()):
        values = draw(st.lists(st.integers(0, 30), min_size=least, max_size=8, unique=True))
        found = {"type": "array", "items": {"enum": values or [1]}, "minItems": least, "uniqueItems": True}
    elif draw(st.booleans()):
        found = {"type": "array", "contains": draw(inner), "minContains": draw(st.integers(1, 2))}
    return found


@st.composite
def tuples(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    places = draw(st.lists(inner, min_size=1, max_size=3))
    return {
        "type": "array",
        "prefixItems": places,
        "items": False,
        "minItems": draw(st.integers(0, len(places))),
    }


@st.composite
def combined(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    one = draw(inner)
    match draw(st.sampled_from(["any", "one", "all", "if", "not", "types"])):
        case "any":
            return {"anyOf": [one, draw(inner), {"type": "null"}]}
        case "one":
            return {"oneOf": [{"type": "null"}, {"type": "string", "minLength": 1}, {"const": 7}]}
        case "all":
            return {"allOf": [one, {}, {"description": "what is said twice"}]}
        case "if":
            name = draw(NAMES)
            flag = {"type": "object", "properties": {"is": {"type": "boolean"}}, "required": ["is"]}
            condition = {"properties": {"is": {"const": draw(st.booleans())}}}
            return {**flag, "if": condition, "then": {"required": [name], "properties": {name: one}}}
        case "not":
            return {"type": "string", "not": {"enum": ["low", ""]}}
        case _:
            return {
                "type": draw(
                    st.lists(st.sampled_from(["null", "string", "integer"]), min_size=1, unique=True)
                )
            }


LEAVES = st.one_of(
    numbers(),
    texts(),
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.just({}),
    st.lists(PLAIN, min_size=1, max_size=4, unique_by=repr).map(lambda found: {"enum": found}),
    PLAIN.map(lambda found: {"const": found}),
)

TREE: Mapping[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
    "required": ["name", "parts"],
}


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    """Schemas of type object, as answers have; some with parts that refer to themselves."""
    part = st.recursive(LEAVES | st.just({"$ref": "#/$defs/tree"}), parts, max_leaves=8)
    found = draw(objects(part))
    return {**found, "$defs": {"tree": dict(TREE)}}
