"""The records that a flow is made of. All are values: an edit makes a new flow (`edits`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from studio.flow.ports import Signature
from studio.ids import NodeId, PortName

Json: TypeAlias = JsonValue
"""What JSON can say."""


@dataclass(frozen=True, slots=True, order=True)
class Socket:
    """One port of one given node."""

    node: NodeId
    port: PortName

    def __str__(self) -> str:
        return f"{self.node}.{self.port}"


@dataclass(frozen=True, slots=True)
class Wire:
    """From an output socket to an input socket; `index` orders the wires into a list input."""

    source: Socket
    target: Socket
    index: int | None = None

    @property
    def sort_key(self) -> tuple[str, str, str, str, int]:
        """The order of wires in a file: source node, port, target node, port, index as a number."""
        return (
            self.source.node,
            self.source.port,
            self.target.node,
            self.target.port,
            -1 if self.index is None else self.index,
        )

    def __str__(self) -> str:
        arrow = f"{self.source} -> {self.target}"
        return arrow if self.index is None else f"{arrow}[{self.index}]"


class RunSettings(BaseModel):
    """How a node's steps run: errors, time, and whether it takes part at all."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    on_error: Literal["fail", "output", "default"] = "fail"
    """What happens after the last attempt: the run fails, `error` carries it, or `default` stands in."""
    default: Json = None
    """The outputs by name when `on_error` is `default`."""
    retries: int = Field(default=0, ge=0, le=100)
    """Attempts after the first."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds that one attempt may take."""
    limits: Mapping[str, float] = Field(default_factory=dict)
    """Budgets of this node: `tokens`, `cost` (US dollars), `steps`, `calls`."""
    state: Literal["", "muted", "bypassed"] = ""


class Node(BaseModel):
    """One node of a flow. Settings and inputs hold plain JSON; their node type gives them meaning."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    version: int = Field(default=1, ge=1)
    title: str = ""
    settings: Mapping[str, Json] = Field(default_factory=dict)
    inputs: Mapping[PortName, Json] = Field(default_factory=dict[PortName, Json])
    """Literals typed at unwired ports."""
    run: RunSettings = Field(default_factory=RunSettings)


@dataclass(frozen=True, slots=True)
class Point:
    """A place on the canvas, in whole scene units (device independent pixels at scale 1)."""

    x: int
    y: int


FRAME_COLORS = ("", "blue", "green", "amber", "red", "violet")
"""The colours of frames by name; the first is the quiet one."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A titled rectangle behind nodes. It holds what stands in it; once collapsed, what it hides."""

    title: str
    x: int
    y: int
    width: int
    height: int
    color: str = ""
    """One of `FRAME_COLORS`; any other is shown as none."""
    holds: tuple[str, ...] = ()
    """While it is collapsed: the ids of the nodes that it hides, and `frames.ID` and `notes.ID` of others."""


@dataclass(frozen=True, slots=True)
class Note:
    """A text on the canvas."""

    text: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things stand. Never affects a run. Bends are keyed by the text of their wire."""

    nodes: Mapping[NodeId, Point] = field(default_factory=dict[NodeId, Point])
    frames: Mapping[str, Frame] = field(default_factory=dict[str, Frame])
    notes: Mapping[str, Note] = field(default_factory=dict[str, Note])
    bends: Mapping[str, tuple[Point, ...]] = field(default_factory=dict[str, tuple[Point, ...]])
    collapsed: frozenset[NodeId] = frozenset()
    """The nodes shown as title bars, and the loops and maps shown as nodes."""


@dataclass(frozen=True, slots=True)
class Flow:
    """The document. `wires` is always in file order; nothing in it is ever changed in place."""

    name: str = ""
    description: str = ""
    nodes: Mapping[NodeId, Node] = field(default_factory=dict[NodeId, Node])
    wires: tuple[Wire, ...] = ()
    policies: tuple[Json, ...] = ()
    layout: Layout = field(default_factory=Layout)
    known: dict[tuple[int, ...], Any] = field(
        default_factory=dict[tuple[int, ...], Any], init=False, repr=False, compare=False
    )
    """What was made of it for its runs, by whom and with what: see `flow_cache`. No part of it."""

    def __reduce__(self) -> tuple[type["Flow"], tuple[object, ...]]:
        """Go to another process without what is known of it here."""
        parts = self.name, self.description, self.nodes, self.wires, self.policies, self.layout
        return Flow, parts


class Library(Protocol):
    """What the document needs to know of node types; the node registry implements it."""

    def signature(self, node: Node) -> Signature | None:
        """The ports of `node`; None when its kind is not installed or its settings make no sense."""
        ...


class FlowLookup(Protocol):
    """The flows that a flow may call: those of its project, by their path inside it.

    As long as a flow stays as it is, the same object is given.
    """

    def flow(self, name: str) -> Flow:
        """The flow called `name`; raises `UsageError` where it is missing or cannot be read."""
        ...

    def names(self) -> Sequence[str]:
        """The flows that there are, sorted."""
        ...


@runtime_checkable
class CallingLibrary(Library, Protocol):
    """A library that knows which nodes call other flows, and these flows."""

    @property
    def flows(self) -> FlowLookup:
        """The flows that can be called."""
        ...

    def called_name(self, node: Node) -> str:
        """The flow that `node` runs as a part of its own; empty for nodes that run none."""
        ...

    def call_setting(self, node: Node) -> str:
        """The setting by which `node` names that flow."""
        ...

    def call_fault(self, node: Node) -> str:
        """Why the flow that `node` calls cannot be called, in one sentence; empty where it can."""
        ...


def title_of(flow: Flow, node: NodeId) -> str:
    """The title of a node as people read it; its id where it has none."""
    record = flow.nodes.get(node)
    return record.title or str(node) if record is not None else str(node)
