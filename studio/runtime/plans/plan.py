"""A flow made ready to run: per region, what waits for what; per input, where its values come from.

Every region is one vertex for the region around it. `planning` makes these records.

What is known of a node before the run is looked up once, in its `PlannedNode`. A step that is no more than a
call of its function (`plain`) takes neither a task nor a coroutine of the runtime's own.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from studio.flow.ports import Port, PortType, listed_when_it_arrives
from studio.flow.records import RunSettings
from studio.ids import NodeId, PortName
from studio.runtime.values import Value, apart
from studio.sdk.node import NodeType
from studio.trace.events.run import Pin

HISTORY: Final = PortName("history")
"""What each round of a loop gave back: an output that is made only where somebody reads it."""


@dataclass(frozen=True, slots=True)
class Feed:
    """One wire into an input: the socket, and how many frames up from the reader it is found."""

    node: NodeId
    port: PortName
    hops: int
    type: PortType


@dataclass(frozen=True, slots=True)
class PlannedInput:
    """One data input of a node; `literal` stands in when it is not wired."""

    port: Port
    type: PortType
    feeds: tuple[Feed, ...] = ()
    literal: Value | None = None
    is_race: bool = False
    direct: Feed | None = None
    """The one wire, where its value is read as it was given."""

    def takes_unknown_lists(self, source: PortType) -> bool:
        """Whether a list that a wire of unknown type brings is no element, but the elements."""
        return listed_when_it_arrives(source, self.type) and not self.port.type.is_variable


@dataclass(frozen=True, slots=True)
class NotExecuted:
    """Why a node is not executed: it gives what is pinned to it, or (None) nothing needs what it gives."""

    pin: Pin | None = None


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """One node, everything about it looked up once."""

    id: NodeId
    title: str
    type: NodeType
    settings: Mapping[str, Any]
    run: RunSettings
    inputs: tuple[PlannedInput, ...]
    after: tuple[Feed, ...]
    lenders: Mapping[str, tuple[NodeId, ...]]
    """Binding inputs: the nodes that lend, in wire order."""
    outputs: Mapping[str, PortType]
    is_sheltered: bool = False
    """Whether its failure travels to where failures are taken in, instead of ending the run."""
    plain: Callable[..., Any] | None = None
    """The function, where a step is no more than one call of it, whether it has a context or not."""
    single: "SingleOutput | None" = None
    """The output, where there is one and the function returns its value."""
    loose: tuple[str, ...] = ()
    """The settings that are lists or objects."""
    not_executed: NotExecuted | None = None
    """Set in the plan of a run with pins."""

    def input(self, name: str) -> PlannedInput:
        """The input called `name`; raises `KeyError`."""
        for one in self.inputs:
            if one.port.name == name:
                return one
        raise KeyError(name)

    def own_settings(self) -> Mapping[str, Any]:
        """Give the settings for one call, which may change them for nobody else."""
        if not self.loose:
            return self.settings
        return {**self.settings, **{name: apart(self.settings[name]) for name in self.loose}}


@dataclass(frozen=True, slots=True)
class SingleOutput:
    """The only output of a node; a result of an `immediate` type is its value, without another look."""

    name: str
    immediate: frozenset[type]


@dataclass(frozen=True, slots=True)
class PlannedRace:
    """One race of a region, and what is stopped when it is decided.

    That is vertices of the region, and `deeper` nodes: those of loops and maps that do not lose as a whole.
    """

    node: PlannedNode
    index: int
    contenders: frozenset[int]
    deeper: frozenset[NodeId] = frozenset()


@dataclass(slots=True)
class PlannedRegion:
    """One region: its vertices, and how many others each waits for."""

    kind: str
    owner: PlannedNode | None
    collects: tuple[PlannedNode, ...]
    vertices: "list[PlannedNode | PlannedRegion]" = field(default_factory=list["PlannedNode | PlannedRegion"])
    dependants: list[list[int]] = field(default_factory=list[list[int]])
    waits: list[int] = field(default_factory=list[int])
    roots: list[int] = field(default_factory=list[int])
    body: frozenset[NodeId] = frozenset()
    races: tuple[PlannedRace, ...] = ()
    may_lose: frozenset[NodeId] = frozenset()
    """The nodes of its body that races further out may stop."""
    chain: tuple[int, ...] | None = None
    """All vertices in order, where each waits for the one before it."""
    has_history: bool = False
    """Whether anybody reads the `history` of the loop that it is."""
    leaving: frozenset[NodeId] = frozenset()
    """The nodes of a loop whose values of the last round are read outside of it."""
    last_reads: list[tuple[NodeId, ...]] = field(default_factory=list[tuple[NodeId, ...]])
    """By vertex, the nodes whose values nobody reads any more when it is over."""
    shared_reads: list[tuple[NodeId, ...]] = field(default_factory=list[tuple[NodeId, ...]])
    """By vertex, the nodes that it reads as one of several, none of which is known to be the last."""
    readers: Mapping[NodeId, int] = field(default_factory=dict[NodeId, int])
    """How many vertices read each of these."""

    def nodes(self) -> "Iterator[PlannedNode]":
        """Every node of it, those further in included."""
        if self.owner is not None:
            yield self.owner
        yield from self.collects
        for vertex in self.vertices:
            if isinstance(vertex, PlannedNode):
                yield vertex
            else:
                yield from vertex.nodes()


@dataclass(frozen=True, slots=True)
class Plan:
    """A flow made ready to run."""

    root: PlannedRegion
    bindings: Mapping[NodeId, PlannedNode]
    titles: Mapping[NodeId, str]
