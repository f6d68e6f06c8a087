"""JSON Schema (draft 2020-12) within bounds: nothing is fetched, patterns take only so long, and so does all.

Schemas come from servers of tools as well as from flows, and a schema can be made to take for ever.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from time import perf_counter
from typing import Any, cast

import regex
from jsonschema import Draft7Validator, Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend  # pyright: ignore[reportUnknownVariableType]
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from studio.bounds.schema_formats import FORMATS
from studio.bounds.schema_words import sentence

STEPS = 300_000
"""How many keywords of a schema are looked at, for all parts of a value together."""

SECONDS = 1.0
"""How long all patterns of a schema may take together on one value."""

DEPTH = 100
"""How deep a schema may be nested."""

MOST = 30
"""How many complaints are looked at."""

OLDER = ("draft-07", "draft-06", "draft-04")
"""What servers of tools still write; they differ from the newest draft where a list has places."""


class UncheckedError(Exception):
    """A value could not be checked, for the reason that is given."""


@dataclass(slots=True)
class Bounds:
    """What is left of what one check may take."""

    steps: int = STEPS
    seconds: float = SECONDS

    def step(self) -> None:
        """Count one keyword."""
        self.steps -= 1
        if self.steps < 0:
            raise UncheckedError("it takes too long to compare the value with the schema")

    def is_found(self, pattern: str, text: str) -> bool:
        """Look for a pattern within the time that is left."""
        begun = perf_counter()
        try:
            left = max(self.seconds, 0.001)
            return regex.search(pattern, text, timeout=left, concurrent=True) is not None
        except TimeoutError:
            raise UncheckedError(f"the pattern `{pattern}` takes too long on this text") from None
        finally:
            self.seconds -= perf_counter() - begun


LEFT: ContextVar[Bounds] = ContextVar("LEFT")
"""The bounds of the check that is going on; keywords are handed nothing else that could carry them."""


def complaints(value: Any, schema: Mapping[str, Any], place: str) -> Iterable[str]:
    """Say how `value` departs from a schema; one that cannot be checked within bounds departs from it."""
    token = LEFT.set(Bounds())
    try:
        validator = validator_of(json.dumps(schema, default=dict))
        return [sentence(error, place) for error in islice(validator.iter_errors(value), MOST)]
    except UncheckedError as error:
        return [f"{place} cannot be checked: {error}."]
    except RecursionError:
        return [f"{place} cannot be checked: it, or the schema, is nested too deep."]
    except Exception as error:  # noqa: BLE001
        return [f"{place} cannot be checked: {str(error)[:200]}."]
    finally:
        LEFT.reset(token)


def problem_of(schema: Any) -> str:
    """Say in a sentence why this is no JSON Schema that can be used, empty when it is."""
    try:
        validator_of(json.dumps(schema, default=dict))
    except (UncheckedError, ValueError, TypeError) as error:
        return f"{error}"
    except RecursionError:
        return "it is nested too deep"
    return ""


@lru_cache(maxsize=256)
def validator_of(text: str) -> Any:
    """Give what checks by the schema that `text` is; raises `UncheckedError` where it is none."""
    schema: Any = json.loads(text)
    kind = cast("Any", Draft202012Validator)
    if isinstance(schema, dict):
        said = str(cast("Any", schema).get("$schema", ""))
        kind = Draft7Validator if any(one in said for one in OLDER) else kind
    schema = without_names_of_drafts(schema, DEPTH)
    try:
        kind.check_schema(schema, format_checker=FormatChecker(()))
    except SchemaError as error:
        raise UncheckedError(sentence(cast("ValidationError", error), "the schema").rstrip(".")) from None
    validator = bounded(kind)(schema, registry=Registry[Any](), format_checker=FORMATS)
    look_through(validator, schema)
    return validator


def without_names_of_drafts(part: Any, depth: int) -> Any:
    """Leave out `$schema`: inside a schema, the library would take it for leave to check without bounds."""
    if not depth:
        raise UncheckedError("it is nested too deep")
    if isinstance(part, dict):
        named = cast("dict[str, Any]", part)
        return {
            name: without_names_of_drafts(one, depth - 1)
            for name, one in named.items()
            if not (name == "$schema" and isinstance(one, str))
        }
    if isinstance(part, list):
        return [without_names_of_drafts(one, depth - 1) for one in cast("list[Any]", part)]
    return part


def look_through(validator: Any, schema: Any) -> None:
    """Try what a schema refers to, and its patterns; raises `UncheckedError` for what cannot be used."""
    named = set[str]()
    for keyword, one, resolver in keywords_in(schema, validator._resolver):  # noqa: SLF001  # no other way
        named.add(keyword)
        for pattern in patterns_of(keyword, one):
            try:
                regex.compile(pattern)
            except (regex.error, OverflowError, RecursionError) as error:
                raise UncheckedError(f"the pattern `{pattern}` cannot be read: {error}") from None
        if keyword in {"$ref", "$dynamicRef"} and one.startswith("#"):
            try:
                resolver.lookup(one)
            except Unresolvable:
                raise UncheckedError(f"it refers to `{one}`, which it does not have") from None
        elif keyword in {"$ref", "$dynamicRef"} and "$id" not in json.dumps(schema):
            raise UncheckedError(f"it refers to `{one}`; nothing is fetched, so put it under `$defs`")
    if {"patternProperties", "unevaluatedProperties"} <= named:
        raise UncheckedError("`patternProperties` together with `unevaluatedProperties` is not understood")


def patterns_of(keyword: str, value: Any) -> list[str]:
    """The patterns that a keyword brings."""
    if keyword == "pattern":
        return [value]
    return list(value) if keyword == "patternProperties" else []


DATA = frozenset({"const", "enum", "default", "examples", "example"})
"""Keywords whose values are values, and no schemas, whatever they look like."""

NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Keywords whose values have schemas by names of somebody's choice."""


def keywords_in(part: Any, resolver: Any) -> Iterator[tuple[str, Any, Any]]:
    """Give the keywords of interest in a schema, and what tells there what `#` is: `$id` changes that."""
    if isinstance(part, dict):
        fields = cast("dict[str, Any]", part)
        if isinstance(fields.get("$id"), str):
            resolver = resolver.in_subresource(DRAFT202012.create_resource(fields))
        for name, one in fields.items():
            is_text = isinstance(one, str) and name in {"pattern", "$ref", "$dynamicRef"}
            is_object = isinstance(one, dict) and name == "patternProperties"
            if is_text or is_object or name == "unevaluatedProperties":
                yield name, one, resolver
            if isinstance(one, dict) and name in NAMED:
                for inner in cast("dict[str, Any]", one).values():
                    yield from keywords_in(inner, resolver)
            elif name not in DATA:
                yield from keywords_in(one, resolver)
    elif isinstance(part, list):
        for one in cast("list[Any]", part):
            yield from keywords_in(one, resolver)


@lru_cache(maxsize=4)
def bounded(kind: Any) -> Any:
    """Make of the library's validator one that keeps to `Bounds`."""
    own = {
        "pattern": pattern,
        "patternProperties": pattern_properties,
        "additionalProperties": additional_properties,
        "uniqueItems": unique_items,
    }
    keywords = {**kind.VALIDATORS, **own}
    extended = cast("Callable[..., Any]", extend)
    return extended(kind, {name: partial(counted, check) for name, check in keywords.items()})


def counted(
    check: Callable[..., Iterator[ValidationError] | None], *arguments: Any
) -> Iterator[ValidationError]:
    """Look at one keyword, and count that."""
    LEFT.get().step()
    yield from check(*arguments) or ()


def pattern(validator: Any, wanted: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """The keyword `pattern`, with a limit on its time."""
    if validator.is_type(instance, "string") and not LEFT.get().is_found(wanted, instance):
        yield ValidationError("does not match")


def pattern_properties(
    validator: Any, wanted: Mapping[str, Any], instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    """The keyword `patternProperties`, with a limit on its time."""
    if not validator.is_type(instance, "object"):
        return
    for one, part in wanted.items():
        for name, held in instance.items():
            if LEFT.get().is_found(one, name):
                yield from validator.descend(held, part, path=name, schema_path=one)


def additional_properties(
    validator: Any, allowed: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """The keyword `additionalProperties`, with a limit on the time of the patterns beside it."""
    if not validator.is_type(instance, "object"):
        return
    patterns = schema.get("patternProperties", {})
    for name, held in instance.items():
        LEFT.get().step()
        if name in schema.get("properties", {}) or any(LEFT.get().is_found(one, name) for one in patterns):
            continue
        if allowed is False:
            yield ValidationError("is one too many")
        else:
            yield from validator.descend(held, allowed, path=name)


def unique_items(validator: Any, wanted: bool, instance: Any, _schema: Any) -> Iterator[ValidationError]:  # noqa: FBT001
    """The keyword `uniqueItems`, without comparing each entry with each other."""
    if wanted and validator.is_type(instance, "array"):
        seen = {json.dumps(as_compared(one), sort_keys=True) for one in instance}
        if len(seen) < len(instance):
            yield ValidationError("is not unique")


def as_compared(value: Any) -> Any:
    """Write numbers that are equal alike: in JSON Schema `1` and `1.0` are the same."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: as_compared(one) for name, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [as_compared(one) for one in cast("list[Any]", value)]
    return value
