"""Values as they pass through ports: as plain JSON and back, checked, converted."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, cast

from studio.errors import ValueTypeError
from studio.flow.ports import Conversion, PortType, Refusal, conversion
from studio.llm.client import Message, message_from_json, message_to_json
from studio.sdk.misfits import misfit
from studio.sdk.ports import Json
from studio.sdk.templates import as_text

_IMMEDIATE = frozenset({str, int, bool, type(None)})
"""Types of which every value is plain as it stands."""

_OBJECTS = (dict, Mapping)
_LISTS = (list, tuple)
"""What passes for an object or a list; a type that is met often is told before an abstract one."""


def to_plain(value: object) -> Json:
    """Give `value` as JSON can say it; raises `ValueTypeError` for what JSON cannot say."""
    if type(value) in _IMMEDIATE or (type(value) is float and math.isfinite(value)):
        return cast("Json", value)
    if isinstance(value, _OBJECTS):
        return _plain_mapping(cast("Mapping[Any, Any]", value))
    if isinstance(value, _LISTS):
        elements = cast("Sequence[Any]", value)
        return [one if type(one) in _IMMEDIATE else to_plain(one) for one in elements]
    if isinstance(value, Message):
        return cast("Json", message_to_json(value))
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    return _plain_scalar(value)


def from_plain(plain: Json, port_type: PortType) -> Any:
    """Read a value of `port_type` from JSON; raises `ValueTypeError` when it does not fit."""
    if port_type.depth:
        return [from_plain(one, port_type.element) for one in _list(plain, port_type)]
    match port_type.base:
        case "message":
            return _message(plain)
        case "messages":
            return [_message(one) for one in _list(plain, port_type)]
        case "file" | "image" if isinstance(plain, str):
            return Path(plain)
        case _:
            fits(plain, port_type)
            return plain


def fits(value: object, port_type: PortType) -> None:
    """Check that `value` may pass through a port of `port_type`; raises `ValueTypeError` if not."""
    if port_type.depth:
        for one in _list(value, port_type):
            fits(one, port_type.element)
        return
    check = _CHECKS.get(port_type.base)
    if check is not None and not check(value):
        raise misfit(value, str(port_type))


def immediate_types(port_type: PortType) -> frozenset[type]:
    """Types of which every value may pass through a port of `port_type`, and is there."""
    return frozenset[type]() if port_type.depth else _PASSING.get(port_type.base, frozenset[type]())


def convert(value: object, source: PortType, target: PortType) -> Any:
    """Make `value`, which left a port of type `source`, fit a port of type `target`.

    Raises `ValueTypeError` where types do not fit, or a checked value is of another type than it says.
    """
    found = conversion(source, target)
    if isinstance(found, Refusal):
        raise ValueTypeError(found.reason)
    match found:
        case Conversion.NONE | Conversion.TO_FILE:
            return value
        case Conversion.TO_TEXT:
            return as_text(value)
        case Conversion.TO_MESSAGE:
            return Message("user", as_text(value))
        case Conversion.TO_JSON:
            return to_plain(value)
        case Conversion.TO_LIST:
            return [convert(value, source, target.element)]
        case Conversion.EACH:
            return [convert(one, source.element, target.element) for one in _list(value, source)]
        case Conversion.CHECKED:
            return _arrived(value, target)


def _arrived(value: object, target: PortType) -> Any:
    """Take a value whose type was not known before; it may already be what JSON could only describe."""
    try:
        fits(value, target)
    except ValueTypeError:
        return from_plain(to_plain(value), target)
    return value


def _plain_scalar(value: object) -> Json:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueTypeError(f"`{value}` is not a JSON number.")
        return value
    if isinstance(value, Path):
        return value.as_posix()
    if isinstance(value, Enum):
        return to_plain(value.value)
    if isinstance(value, str | int):
        return value
    raise ValueTypeError(f"A value of type `{type(value).__name__}` cannot be written as JSON.")


def _plain_mapping(value: Mapping[Any, Any]) -> Json:
    plain: dict[str, Json] = {}
    for key, one in value.items():
        if not isinstance(key, str):
            raise ValueTypeError(f"The keys of a JSON object must be text, not `{key!r}`.")
        plain[key] = one if type(one) in _IMMEDIATE else to_plain(one)
    return plain


def _list(value: object, port_type: PortType) -> Sequence[Any]:
    if not isinstance(value, _LISTS):
        raise misfit(value, str(port_type))
    return cast("Sequence[Any]", value)


def _message(plain: object) -> Message:
    if not isinstance(plain, Mapping):
        raise misfit(plain, "message")
    try:
        return message_from_json(cast("Mapping[str, object]", plain))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueTypeError(f"This is not a message: {error}.") from error


def _is_messages(value: object) -> bool:
    return isinstance(value, _LISTS) and all(
        isinstance(one, Message) for one in cast("Sequence[object]", value)
    )


def _is_json(value: object) -> bool:
    if isinstance(value, _OBJECTS):
        for key, one in cast("Mapping[object, object]", value).items():
            if not isinstance(key, str) or not (type(one) in _IMMEDIATE or _is_json(one)):
                return False
        return True
    if isinstance(value, _LISTS):
        for one in cast("Sequence[object]", value):  # noqa: SIM110  # a generator would cost as much again
            if not (type(one) in _IMMEDIATE or _is_json(one)):
                return False
        return True
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)


_CHECKS: Mapping[str, Callable[[object], bool]] = {
    "text": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "flag": lambda value: isinstance(value, bool),
    "json": _is_json,
    "message": lambda value: isinstance(value, Message),
    "messages": _is_messages,
    "file": lambda value: isinstance(value, Path),
    "image": lambda value: isinstance(value, Path),
}

_PASSING: Mapping[str, frozenset[type]] = {
    "text": frozenset({str}),
    "number": frozenset({int, float}),
    "flag": frozenset({bool}),
    "json": _IMMEDIATE,
    "any": _IMMEDIATE | {float},
    "T": _IMMEDIATE | {float},
    "message": frozenset({Message}),
}
