"""Values as events carry them, and the dataclasses of which every step makes some."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from reprlib import recursive_repr
from typing import Any, TypeAlias, TypeVar, dataclass_transform

C = TypeVar("C")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frequent(made: type[C]) -> type[C]:
    """A dataclass of which every step makes some: frozen for the type checker, and for who asks the class.

    To freeze it at run time as well would treble what making one costs, and each method that is compiled
    for a class is time for every process that begins.
    """
    found: Any = dataclass(slots=True, unsafe_hash=True, repr=False)(made)
    found.__repr__ = _told
    found.__dataclass_params__.frozen = True
    return found


@recursive_repr()
def _told(self: Any) -> str:
    told = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(told)})"


Plain: TypeAlias = Any
"""What JSON can say; not checked on the hot path."""


@frequent
class Shown:
    """A value as events carry it: plain JSON, and the labels of what it was made from, sorted."""

    data: Plain
    labels: tuple[str, ...] = ()


Values: TypeAlias = Mapping[str, Shown]
"""Values by port name; an absent one is missing."""
