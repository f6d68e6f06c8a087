"""A flow as the exporter walks it: region by region, each vertex with what it waits for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from studio.flow.files.codec import in_order
from studio.flow.ports import AFTER, ANY, THEN, Port, PortType, Signature, Structure
from studio.flow.records import Flow, Node, Socket, Wire
from studio.flow.structure.graph import (
    ERROR_PORT,
    INTO_BODY,
    OUT_OF_BODY,
    is_binding_wire,
    output_of,
    read_signatures,
)
from studio.flow.structure.regions import Region, innermost_around, region_tree
from studio.flow.structure.types import types_of
from studio.ids import NodeId, PortName
from studio.sdk.node_type import NodeType
from studio.sdk.registry import Registry


@dataclass(frozen=True, slots=True)
class Input:
    """A data input of a node: its port, its resolved type, the wires that end there in order."""

    port: Port
    type: PortType
    wires: tuple[Wire, ...]


@dataclass(slots=True)
class Yard:
    """The steps that stand directly in one region; a region further in is one of them, by its owner."""

    region: Region
    waits: dict[NodeId, set[NodeId]] = field(default_factory=dict[NodeId, set[NodeId]])


class Chart:
    """A flow that passed `check`, looked up once."""

    def __init__(self, flow: Flow, registry: Registry, name: str = "") -> None:
        """Make it; `name` is that by which the flow is called, empty for the one that is exported.

        What two files say in another order and would be saved alike is one script.
        """
        self.name = name
        self.flow = flow = in_order(flow)
        self.registry = registry
        self.signatures: dict[NodeId, Signature | None] = read_signatures(flow, registry)
        self.types = types_of(flow, self.signatures)
        self.tree = region_tree(flow, registry)
        self.owned: dict[NodeId, Region] = {}
        for region in self.tree.root.walk():
            for node in (region.owner, *region.collects):
                if node is not None:
                    self.owned[node] = region
        self._into: dict[Socket, list[Wire]] = {}
        self._from: dict[Socket, list[Wire]] = {}
        for wire in flow.wires:
            self._into.setdefault(wire.target, []).append(wire)
            self._from.setdefault(wire.source, []).append(wire)
        self._node_types: dict[NodeId, NodeType] = {}
        self.yards = {id(region): self._yard(region) for region in self.tree.root.walk()}
        self._add_waits()

    def record(self, node: NodeId) -> Node:
        """A node as the flow has it."""
        return self.flow.nodes[node]

    def type_of(self, node: NodeId) -> NodeType:
        """What kind of node it is; found once, for each of its settings is read for it."""
        if node not in self._node_types:
            record = self.record(node)
            settings = self.registry.settings(record)
            self._node_types[node] = self.registry.require(record.kind).of_variant(settings)
        return self._node_types[node]

    def signature(self, node: NodeId) -> Signature:
        """A node's ports."""
        return self.signatures[node] or Signature()

    def structure(self, node: NodeId) -> Structure | None:
        """How a node shapes the flow."""
        return self.signature(node).structure

    def title(self, node: NodeId) -> str:
        """What people call a node."""
        return self.record(node).title or str(node)

    def wires_into(self, node: NodeId, port: str) -> tuple[Wire, ...]:
        """The wires that end at an input, in the order of their indices."""
        wires = self._into.get(Socket(node, PortName(port)), [])
        return tuple(sorted(wires, key=lambda one: (-1 if one.index is None else one.index, one.sort_key)))

    def wires_from(self, node: NodeId, port: str) -> Sequence[Wire]:
        """The wires that leave an output."""
        return self._from.get(Socket(node, PortName(port)), [])

    def is_read(self, node: NodeId, port: str) -> bool:
        """Whether any step looks at what leaves an output."""
        return bool(self.wires_from(node, port))

    def inputs(self, node: NodeId) -> Iterator[Input]:
        """The data inputs of a node."""
        for port in self.signature(node).inputs:
            if not port.type.is_binding:
                socket = Socket(node, port.name)
                yield Input(port, self.types.inputs.get(socket, port.type), self.wires_into(node, port.name))

    def input(self, node: NodeId, name: str) -> Input:
        """One data input of a node; raises `KeyError`."""
        for one in self.inputs(node):
            if one.port.name == name:
                return one
        raise KeyError(name)

    def lenders(self, node: NodeId, port: str) -> Sequence[NodeId]:
        """The nodes that lend something to a binding input."""
        return [wire.source.node for wire in self.wires_into(node, port)]

    def all_lenders(self, node: NodeId) -> list[NodeId]:
        """The nodes that lend something to a step, those first that lend to the others."""
        found: list[NodeId] = []
        for port in self.signature(node).inputs:
            if port.type.is_binding:
                for lender in self.lenders(node, port.name):
                    found += [*self.all_lenders(lender), lender]
        return list(dict.fromkeys(found))

    def output_type(self, socket: Socket) -> PortType:
        """The type of what leaves an output."""
        if socket.port == THEN:
            return ANY
        found = self.types.outputs.get(socket)
        if found is not None:
            return found
        port = output_of(self.record(socket.node), self.signatures[socket.node], socket.port)
        return port.type if port is not None else ERROR_PORT.type

    def output_type_of_input(self, node: NodeId) -> PortType:
        """The type of what a flow input gives."""
        return self.output_type(Socket(node, PortName("value")))

    def data_outputs(self, node: NodeId) -> Sequence[Port]:
        """The outputs that carry values."""
        return [port for port in self.signature(node).outputs if not port.type.is_binding]

    def is_seen_after(self, region: Region, port: str) -> bool:
        """Whether an output of a region's owner that leads into its body is read after it as well."""
        owner = region.owner
        return owner is not None and any(
            self._home(wire.target, OUT_OF_BODY)[0] not in list(region.walk())
            for wire in self.wires_from(owner, port)
        )

    def left(self, wire: Wire) -> list[NodeId]:
        """The loops that a wire leads out of, from the innermost."""
        region, target = self._home(wire.source, INTO_BODY)[0], self._home(wire.target, OUT_OF_BODY)[0]
        around = innermost_around(region, target)
        found: list[NodeId] = []
        while region is not around and region.parent is not None:
            found += [region.owner] if region.owner is not None else []
            region = region.parent
        return found

    def _yard(self, region: Region) -> Yard:
        yard = Yard(region)
        for child in region.children:
            if child.owner is not None:
                yard.waits[child.owner] = set()
        for node in self.flow.nodes:
            if node in self.tree.graph.steps and node not in self.owned and self.tree.of(node) is region:
                yard.waits[node] = set()
        return yard

    def _add_waits(self) -> None:
        for wire in self.flow.wires:
            if is_binding_wire(wire, self.signatures):
                continue
            source, target = self._home(wire.source, INTO_BODY), self._home(wire.target, OUT_OF_BODY)
            around = innermost_around(source[0], target[0])
            first, second = _climb(*source, around), _climb(*target, around)
            if first is not None and second is not None and first != second:
                self.yards[id(around)].waits[second].add(first)

    def _home(
        self, socket: Socket, inner: Mapping[Structure, frozenset[str]]
    ) -> tuple[Region, NodeId | None]:
        """The region where one end of a wire stands, and its vertex there (None at the border)."""
        owned = self.owned.get(socket.node)
        if owned is None:
            return self.tree.of(socket.node), socket.node
        structure = self.structure(socket.node)
        if structure is not None and socket.port in inner.get(structure, ()):
            return owned, None
        return owned.parent or owned, owned.owner


def ports_after(chart: Chart, node: NodeId) -> tuple[Wire, ...]:
    """The wires that say what a node comes after."""
    return chart.wires_into(node, AFTER)


def _climb(region: Region, vertex: NodeId | None, around: Region) -> NodeId | None:
    while region is not around and region.parent is not None:
        region, vertex = region.parent, region.owner
    return vertex
