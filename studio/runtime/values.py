"""A value on its way through a run: the bare data, and the labels of what it was made from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from studio.ids import NodeId, StepId
from studio.sdk.values import to_plain
from studio.trace.events import Shown, frequent

USER: Final = frozenset({"user"})
"""Typed by the person who started the run, or who edited a held step."""

FLOW: Final = frozenset({"flow"})
"""Written in the flow: a literal, a setting, a constant."""

CHAT: Final = frozenset({"chat"})
"""Said by a language model."""


@frequent
class Value:
    """Data with its provenance. Functions see `data`; the runtime keeps and joins `labels`."""

    data: object
    labels: frozenset[str] = frozenset()


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


def joined(values: Iterable[Value]) -> frozenset[str]:
    """The union of the labels of `values`."""
    labels: frozenset[str] = frozenset()
    for value in values:
        if value.labels is not labels:
            labels |= value.labels
    return labels


def shown(value: Value) -> Shown:
    """The value as events carry it."""
    return Shown(to_plain(value.data), _in_order(value.labels))


def shown_all(values: Mapping[str, Resolved]) -> dict[str, Shown]:
    """The present values as events carry them."""
    return {name: shown(value) for name, value in values.items() if isinstance(value, Value)}


@lru_cache(1024)
def _in_order(labels: frozenset[str]) -> tuple[str, ...]:
    """Labels sorted; a run has thousands of values and a handful of sets of labels."""
    return tuple(sorted(labels))
