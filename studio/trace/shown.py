"""Values as events carry them, and the dataclasses of which every step makes some."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar, dataclass_transform

C = TypeVar("C")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frequent(made: type[C]) -> type[C]:
    """A dataclass of which every step makes some: frozen for the type checker alone.

    To freeze it at run time as well would treble what making one costs.
    """
    return dataclass(slots=True, unsafe_hash=True)(made)


Plain: TypeAlias = Any
"""What JSON can say; not checked on the hot path."""


@frequent
class Shown:
    """A value as events carry it: plain JSON, and the labels of what it was made from, sorted."""

    data: Plain
    labels: tuple[str, ...] = ()


Values: TypeAlias = Mapping[str, Shown]
"""Values by port name; an absent one is missing."""
