"""Answers of a simulated solver in the form of a JSON Schema: each field by its type and its name."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from studio.llm.solvers.opinion import Opinion

Schema = Mapping[str, object]

ANSWER = re.compile(r"answer|solution|result|reply|conclusion|value|guess|candidate|final", re.IGNORECASE)
REASON = re.compile(r"reason|why|explanation|critique|feedback|comment|justification", re.IGNORECASE)
FAULT = re.compile(r"wrong|reject|flaw|fault|error|mistake|disagree|stuck|loop|unsafe|harm", re.IGNORECASE)
OVER = re.compile(r"done|finish|satisf|complete|over\b|stop|end", re.IGNORECASE)
PROGRESS = re.compile(r"progress|continue|go_?on", re.IGNORECASE)
SURE = re.compile(r"confiden|certain|sure|probab", re.IGNORECASE)
DEEPEST = 12


def filled(schema: Schema, opinion: Opinion) -> object:
    """Fill in a schema; what a field's name says nothing of gets the answer in words."""
    return _Filling(opinion, schema).value(schema, "", 0)


class _Filling:
    def __init__(self, opinion: Opinion, root: Schema) -> None:
        self._opinion = opinion
        self._root = root

    def value(self, given: Schema, name: str, depth: int, about: str | None = None) -> object:
        """Fill in one part; `about` is the answer that it is about, where it is about one of several."""
        schema = self._resolved(given)
        if "const" in schema:
            return schema["const"]
        if isinstance(options := schema.get("enum"), list):
            return self._choice(cast("list[object]", options))
        match _type_of(schema):
            case "object":
                return self._object(schema, depth, about) if depth < DEEPEST else {}
            case "array":
                return self._array(schema, name, depth)
            case "boolean":
                return self._flag(name, about)
            case "integer" | "number" as kind:
                return self._number(schema, name, about, is_whole=kind == "integer")
            case "null":
                return None
            case _:
                return self._text(name, about)

    def _resolved(self, schema: Schema) -> Schema:
        for _ in range(DEEPEST):
            target = schema.get("$ref")
            if isinstance(target, str) and target.startswith("#/"):
                found: Schema = self._root
                for part in target[2:].split("/"):
                    found = _mapping(found.get(part))
                schema = found
                continue
            options = schema.get("anyOf", schema.get("oneOf"))
            if not isinstance(options, list) or not options:
                break
            offered = cast("list[Schema]", options)
            schema = next((one for one in offered if one.get("type") != "null"), offered[0])
        return schema

    def _choice(self, options: Sequence[object]) -> object:
        names = [one for one in options if isinstance(one, str)]
        return self._opinion.choose(names) if names else options[0]

    def _object(self, schema: Schema, depth: int, about: str | None) -> dict[str, object]:
        parts = _fields(schema).items()
        return {name: self.value(one, name, depth + 1, about) for name, one in parts}

    def _array(self, schema: Schema, name: str, depth: int) -> list[object]:
        one = self._resolved(_mapping(schema.get("items")))
        names = _names_of(one)
        if names:
            return list(self._opinion.rank(names))
        by = next(
            ((field, names) for field, part in _fields(one).items() if (names := _names_of(part))), None
        )
        if by is None:
            least = schema.get("minItems")
            return [self.value(one, name, depth + 1)] * (least if isinstance(least, int) and least > 1 else 1)
        field, named = by
        said = self._opinion.said_by(named)
        rows: list[object] = []
        for each in named:
            row = cast("dict[str, object]", self.value(one, name, depth + 1, said.get(each, "")))
            rows.append({**row, field: each})
        return rows

    def _flag(self, name: str, about: str | None) -> bool:
        opinion = self._opinion
        if about is None and OVER.search(name):
            return bool(opinion.candidate) and opinion.verdict()
        if about is None and not opinion.candidate:
            return not FAULT.search(name)
        if PROGRESS.search(name):
            return True
        return opinion.verdict(about) != bool(FAULT.search(name))

    def _number(self, schema: Schema, name: str, about: str | None, *, is_whole: bool) -> float:
        low, high = _bound(schema, "inimum", 0.0), _bound(schema, "aximum", 10.0 if is_whole else 1.0)
        if about is None and SURE.search(name):
            found = low + (high - low) * self._opinion.confidence
        else:
            found = self._opinion.score(about, low, high)
        return round(found) if is_whole else round(found, 4)

    def _text(self, name: str, about: str | None) -> str:
        if REASON.search(name):
            holds = self._opinion.verdict(about) if about or self._opinion.candidate else True
            return "It holds." if holds else "It does not hold."
        return self._opinion.answer if ANSWER.search(name) else self._opinion.words


def _type_of(schema: Schema) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = cast("list[str]", kind)
        kind = next((one for one in kinds if one != "null"), "null")
    return str(kind or ("object" if "properties" in schema else "string"))


def _fields(schema: Schema) -> Mapping[str, Schema]:
    return {name: _mapping(one) for name, one in _mapping(schema.get("properties")).items()}


def _mapping(value: object) -> Schema:
    return cast("Schema", value) if isinstance(value, Mapping) else {}


def _names_of(schema: Schema) -> list[str]:
    options = schema.get("enum")
    return (
        [one for one in cast("list[object]", options) if isinstance(one, str)]
        if isinstance(options, list)
        else []
    )


def _bound(schema: Schema, name: str, otherwise: float) -> float:
    for key in (f"m{name}", f"exclusiveM{name}"):
        if isinstance(found := schema.get(key), int | float):
            return float(found)
    return otherwise
