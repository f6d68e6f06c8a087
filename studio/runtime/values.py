"""A value on its way through a run: the bare data, and the labels of what it was made from.

A value is made plain once (`shown_as`), where it is given, and the events of all who read it read that.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from typing import Any, Final, TypeAlias, cast

from studio.bounds.weights import LARGEST
from studio.errors import ValueTypeError
from studio.ids import MADE_UP, PERSON, NodeId, StepId
from studio.sdk.values import to_plain
from studio.trace.events.calls import MADE_UP_LABEL
from studio.trace.events.steps import FAULT_LABEL
from studio.trace.events.values import Shown, frequent

USER: Final = frozenset({"user"})
"""Typed by the person who started the run, or who edited a held step."""

FLOW: Final = frozenset({"flow"})
"""Written in the flow: a literal, a setting, a constant."""

_SMALL = frozenset({int, bool, type(None)})
"""Types of which every value can be shown as it stands."""

FILE: Final = frozenset({"file"})
"""Read from a file of the project."""

TOO_DEEP: Final = "A value is nested too deep, or contains itself."

CHAT: Final = frozenset({"chat"})
"""Said by a language model."""

FAULT: Final = frozenset({FAULT_LABEL})
"""Changed by a fault that was put into the run on purpose."""

MADE: Final = frozenset({MADE_UP_LABEL})
"""Made up in the place of a language model; whatever was made from it has this label, too."""


def said_by(llm: str) -> frozenset[str]:
    """Give the labels of an answer, by who is told to have given it."""
    return {MADE_UP: CHAT | MADE, PERSON: USER}.get(llm, CHAT)


@frequent
class Value:
    """Data with its provenance. Functions see `data`; the runtime keeps and joins `labels`."""

    data: object
    labels: frozenset[str] = frozenset()
    shown_as: Shown | None = field(default=None, init=False, repr=False, compare=False)
    """How events carry it, once one has: a value is shown where it is given, and wherever it is read."""


class Absent:
    """What stands at a socket that gave nothing. There is one, `ABSENT`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()


@dataclass(frozen=True, slots=True)
class Failed:
    """What stands at a socket whose step failed: the error, and the step where it came from."""

    error: Exception
    step: StepId
    node: NodeId
    labels: frozenset[str] = FLOW


Resolved: TypeAlias = Value | Absent | Failed
"""What a socket can be once its step is over."""


_IMMUTABLE: Final = frozenset({str, int, float, bool, type(None)})


def apart(data: object) -> object:
    """The data in lists and objects of their own, so that whoever changes them changes them for nobody else.

    Raises `ValueTypeError` for what is nested too deep.
    """
    if type(data) in _IMMUTABLE:
        return data
    try:
        return _copied(data)
    except RecursionError as error:
        raise ValueTypeError(TOO_DEEP) from error


def _copied(data: object) -> object:
    if isinstance(data, dict):
        pairs = cast("dict[object, object]", data).items()
        return {key: one if type(one) in _IMMUTABLE else _copied(one) for key, one in pairs}
    if isinstance(data, list | tuple):
        elements = cast("Iterable[object]", data)
        copies = [one if type(one) in _IMMUTABLE else _copied(one) for one in elements]
        return tuple(copies) if isinstance(data, tuple) else copies
    return data


def joined(values: Iterable[Value]) -> frozenset[str]:
    """The union of the labels of `values`."""
    labels: frozenset[str] = frozenset()
    for value in values:
        if value.labels is not labels:
            labels |= value.labels
    return labels


def labels_of(values: Mapping[str, Resolved]) -> frozenset[str]:
    """The union of the labels of the values that are present."""
    labels: frozenset[str] = frozenset()
    for value in values.values():
        if isinstance(value, Value) and value.labels is not labels:
            labels = labels | value.labels if labels else value.labels
    return labels


def shown(value: Value) -> Shown:
    """The value as events carry it; raises `ValueTypeError` for what no event can carry."""
    made = value.shown_as
    if made is None:
        made = _shown(value)
        value.shown_as = made  # pyright: ignore[reportAttributeAccessIssue]  # frozen for everybody else
    return made


def _shown(value: Value) -> Shown:
    plain: Any = value.data
    if type(plain) not in _SMALL:
        try:
            size = _size(plain)
            if size < 0:
                plain = to_plain(plain)
                size = _size(plain)
        except RecursionError as error:
            raise ValueTypeError(TOO_DEEP) from error
        if size > LARGEST:
            raise ValueTypeError(
                f"A value is larger than {LARGEST >> 20} MiB.",
                hint="Write it to a file, and pass the file on.",
            )
    return Shown(plain, _in_order(value.labels))


def size_of(value: Value) -> int:
    """About how many characters the value has as JSON; raises as `shown`."""
    return _size(shown(value).data)


def _size(data: Any) -> int:
    """About how many characters the data has as JSON; below 0 for what is not plain JSON as it stands.

    What is plain needs no copy: a value is nobody's who would change it.
    """
    kind = type(data)  # pyright: ignore[reportUnknownVariableType]
    if kind is str:
        return len(data)
    if kind is dict:
        if not all(type(key) is str for key in data):
            return -1
        elements, size = data.values(), sum(map(len, data))
    elif kind is list:
        elements, size = data, 0
    else:
        return 8 if kind in _SMALL or (kind is float and isfinite(data)) else -1
    for one in elements:
        inner = len(one) if type(one) is str else 8 if type(one) in _SMALL else _size(one)
        if inner < 0:
            return -1
        size += inner + 1
    return size


def shown_all(values: Mapping[str, Resolved]) -> dict[str, Shown]:
    """The present values as events carry them."""
    # Most have been shown before; to ask for that here saves a call for each.
    return {
        name: value.shown_as or shown(value) for name, value in values.items() if isinstance(value, Value)
    }


def looked_over(
    values: Mapping[str, Resolved],
) -> tuple[frozenset[str], dict[str, Shown], dict[str, object]]:
    """The labels of the present values, the values as events carry them, and the bare data for a function.

    As `labels_of`, `shown_all` and `apart`, in one go.
    """
    labels: frozenset[str] = frozenset()
    told: dict[str, Shown] = {}
    bare: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, Value):
            if value.labels is not labels:
                labels = labels | value.labels if labels else value.labels
            told[name] = value.shown_as or shown(value)
            data = value.data
            bare[name] = data if type(data) in _IMMUTABLE else apart(data)
    return labels, told, bare


@lru_cache(1024)
def _in_order(labels: frozenset[str]) -> tuple[str, ...]:
    """Labels sorted; a run has thousands of values and a handful of sets of labels."""
    return tuple(sorted(labels))
