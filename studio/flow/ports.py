"""Ports, the types of values that pass through them, and when one type may flow into another."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Literal, NamedTuple, Self

from studio.ids import PortName

DATA_TYPES = ("text", "number", "flag", "json", "message", "messages", "file", "image", "any")
BINDING_TYPES = ("tool", "memory", "agent", "chat", "environment")
VARIABLE = "T"
"""Stands for a type that the wires decide; `T_ages` is another one of the same node."""

AFTER = PortName("after")
"""The order input that every node has; it takes any number of wires."""

THEN = PortName("then")
"""The order output that every node has."""

ERROR = PortName("error")
"""The output that carries the error of a node whose error policy is `output`."""

ITEMS = PortName("items")
"""The list that a For each always has; `item_port` names the output with its elements."""


class PortType(NamedTuple):
    """A base type and how deep it is nested in lists: `text[][]` is `("text", 2)`."""

    base: str
    depth: int = 0

    def __str__(self) -> str:
        return (VARIABLE if self.is_variable else self.base) + "[]" * self.depth

    @property
    def is_binding(self) -> bool:
        """Whether ports of this type lend a capability instead of carrying a value."""
        return self.base in BINDING_TYPES

    @property
    def is_variable(self) -> bool:
        """Whether the base stands for a type that the wires decide."""
        return self.base == VARIABLE or self.base.startswith(f"{VARIABLE}_")

    @property
    def element(self) -> Self:
        """The type of the elements of this list type; raises `ValueError` for a type that is no list."""
        if self.depth == 0:
            reason = f"`{self}` is not a list type"
            raise ValueError(reason)
        return self._replace(depth=self.depth - 1)

    @property
    def listed(self) -> Self:
        """The type of lists of this type."""
        return self._replace(depth=self.depth + 1)


def item_port(name: str) -> PortName:
    """Name the output of a For each that gives the elements of its list input `name`."""
    return PortName("item" if name == ITEMS else f"{name}_item")


ANY = PortType("any")
ORDER = PortType("order")
TEXT = PortType("text")
JSON = PortType("json")
NUMBER = PortType("number")
FLAG = PortType("flag")
MESSAGE = PortType("message")
MESSAGES = PortType("messages")


def parse_type(text: str) -> PortType:
    """Read `text[]`, `T`, `tool`; raises `ValueError` for a type that does not exist."""
    found = re.fullmatch(r"([A-Za-z]+)((?:\[\])*)", text)
    if found is None or found[1] not in (*DATA_TYPES, *BINDING_TYPES, VARIABLE):
        reason = f"there is no port type `{text}`"
        raise ValueError(reason)
    return PortType(found[1], len(found[2]) // 2)


@dataclass(frozen=True, slots=True)
class Port:
    """One port of a node type.

    `many` inputs take any number of wires, in the order of their indices. An input that is not
    `required` takes its default, or nothing, when no value arrives; an output that is not may give nothing.
    """

    name: PortName
    type: PortType
    label: str = ""
    help: str = ""
    required: bool = True
    many: bool = False


class Structure(StrEnum):
    """The node types that shape how a flow executes; the runtime knows these, and no others, by name."""

    BRANCH = "branch"
    MERGE = "merge"
    LOOP = "loop"
    FOR_EACH = "for_each"
    COLLECT = "collect"
    RACE = "race"
    CATCH = "catch"
    RETRY = "retry"
    SUBFLOW = "subflow"
    CALL_TOOL = "call_tool"
    FLOW_INPUT = "flow_input"
    FLOW_OUTPUT = "flow_output"


@dataclass(frozen=True, slots=True)
class Signature:
    """The ports of one given node, its settings taken into account; order ports go unsaid."""

    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    structure: Structure | None = None
    is_binding: bool = False
    """Whether the node only lends: it is opened when borrowed, and is never a step of its own."""
    shares: "tuple[Shared, ...]" = ()
    """The run variables that it uses."""
    only_reads: bool = False
    """Whether it changes nothing of the memories that are lent to it."""
    keeps_items: bool = False
    """Whether what it lends has a state that is kept as memories are."""

    @property
    def is_kept(self) -> bool:
        """Whether the node lends a memory, or what is kept as one."""
        return self.keeps_items or any(port.type.base == "memory" for port in self.outputs)

    def input(self, name: str) -> Port | None:
        """The input called `name`, order port included, which what only lends does not have."""
        if name == AFTER:
            return None if self.is_binding else AFTER_PORT
        return next((port for port in self.inputs if port.name == name), None)

    def output(self, name: str) -> Port | None:
        """The output called `name`, order port included, which what only lends does not have."""
        if name == THEN:
            return None if self.is_binding else THEN_PORT
        return next((port for port in self.outputs if port.name == name), None)


@dataclass(frozen=True, slots=True)
class Shared:
    """Something that several steps of a run use without a wire: a run variable or a memory, by its name."""

    name: str
    is_written: bool = False
    what: Literal["variable", "memory"] = "variable"


AFTER_PORT = Port(AFTER, ORDER, "after", "Waits for these steps", required=False, many=True)
THEN_PORT = Port(THEN, ORDER, "then", "Steps that wait for this one", required=False)


class Conversion(StrEnum):
    """What happens to a value on its way along a wire."""

    NONE = ""
    TO_TEXT = "to text"
    TO_MESSAGE = "to message"
    TO_LIST = "to a list of one"
    TO_FILE = "to file"
    TO_JSON = "to json"
    CHECKED = "checked on arrival"
    EACH = "each element converted"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why two ports do not fit, in one sentence."""

    reason: str


@lru_cache(4096)
def conversion(source: PortType, target: PortType) -> Conversion | Refusal:
    """Tell how a value of type `source` becomes one of type `target`, or why it cannot.

    Variables count as fitting anything; `types` replaces them before it asks.
    """
    if source == target:
        return Conversion.NONE
    if source.is_binding or target.is_binding:
        return _lent(source, target)
    if source == ORDER:
        return Refusal("`then` carries order only; it must end at an `after` port.")
    if target == ORDER or source.is_variable or target.is_variable:
        return Conversion.NONE  # any output can say when a step may start: `rounds.round -> ask.after`
    if target == ANY or (target.base == "any" and 0 < target.depth <= source.depth):
        return Conversion.NONE
    if target == JSON:
        return Conversion.TO_JSON
    if source.base in {"json", "any"} and source.depth <= target.depth:
        return Conversion.CHECKED
    if source.depth == target.depth:
        return _same_depth(source, target)
    if target.depth == source.depth + 1 and not isinstance(conversion(source, target.element), Refusal):
        return Conversion.TO_LIST
    return Refusal(f"`{source}` does not fit `{target}`.")


def listed_when_it_arrives(source: PortType, target: PortType) -> bool:
    """Whether only the value tells if a wire into a list input of several brings one element or many."""
    unknown = {"json", "any"}
    return target.depth == 1 and not source.depth and source.base in unknown and target.base not in unknown


def _lent(source: PortType, target: PortType) -> Conversion | Refusal:
    if source.base == target.base and source.depth <= target.depth:
        return Conversion.NONE
    lender, other = (source, target) if source.is_binding else (target, source)
    return Refusal(f"`{lender}` is an attachment and cannot be wired to `{other}`.")


_SCALAR_CONVERSIONS: Mapping[tuple[str, str], Conversion] = {
    ("number", "text"): Conversion.TO_TEXT,
    ("flag", "text"): Conversion.TO_TEXT,
    ("message", "text"): Conversion.TO_TEXT,
    ("text", "message"): Conversion.TO_MESSAGE,
    ("image", "file"): Conversion.TO_FILE,
}


def _same_depth(source: PortType, target: PortType) -> Conversion | Refusal:
    found = _SCALAR_CONVERSIONS.get((source.base, target.base))
    if found is None and target.base == "json":
        found = Conversion.TO_JSON
    if found is None:
        return Refusal(f"`{source}` does not fit `{target}`.")
    return found if source.depth == 0 else Conversion.EACH
