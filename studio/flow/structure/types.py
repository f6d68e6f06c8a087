"""Which types the ports of a flow carry: each node's `T` is found from the wires that arrive there."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from studio.flow.ports import (
    FLAG,
    JSON,
    NUMBER,
    TEXT,
    Conversion,
    Port,
    PortType,
    Refusal,
    Signature,
    Structure,
    conversion,
)
from studio.flow.records import Flow, Json, Library, Node, Socket, Wire
from studio.flow.structure.graph import bound_type, output_of, read_signatures
from studio.flow.structure.wires_at import wires_at
from studio.ids import NodeId

_MOST_PASSES = 8
"""How often a node's `T` may be decided anew: wires in a cycle without a loop would go on for ever."""

_MERGING = frozenset({Structure.MERGE, Structure.RACE})
"""Structures whose list input takes one element from each wire, even where that element is a list."""


def resolve(flow: Flow, library: Library) -> Mapping[Socket, PortType]:
    """Give the type of every port of every node; a `T` that no wire decides stays `T`.

    Where an input and an output share a name, the output's type is given; `types_of` keeps them apart.
    """
    types = types_of(flow, read_signatures(flow, library))
    return {**types.inputs, **types.outputs}


@dataclass(frozen=True, slots=True)
class Types:
    """The types of all sockets."""

    inputs: Mapping[Socket, PortType]
    outputs: Mapping[Socket, PortType]


def types_of(
    flow: Flow, signatures: Mapping[NodeId, Signature | None], only: Iterable[NodeId] | None = None
) -> Types:
    """As `resolve`, for signatures that are known already; given `only`, just the ports of these nodes."""
    named = signatures if only is None else list(only)
    variables = variables_of(flow, signatures, None if only is None else named)
    inputs: dict[Socket, PortType] = {}
    outputs: dict[Socket, PortType] = {}
    for name in named:
        signature = signatures.get(name)
        if signature is not None:
            found = variables.get(name, {})
            inputs.update({Socket(name, one.name): bound_type(one.type, found) for one in signature.inputs})
            outputs.update({Socket(name, one.name): bound_type(one.type, found) for one in signature.outputs})
    return Types(inputs, outputs)


def variables_of(
    flow: Flow, signatures: Mapping[NodeId, Signature | None], only: Iterable[NodeId] | None = None
) -> Mapping[NodeId, Mapping[str, PortType]]:
    """What every `T` stands for, by node, where wires decide it; given `only`, at least for these nodes."""
    return _Solver(flow, signatures, only).solve()


def common_type(candidates: Sequence[PortType]) -> PortType | None:
    """The candidate that all others fit best: without a check on arrival if possible, else with one.

    Where none fits all, the first decides; None when there is no candidate.
    """
    for refused in ((Conversion.CHECKED,), ()):
        for one in candidates:
            found = [conversion(other, one) for other in candidates]
            if not any(isinstance(each, Refusal) or each in refused for each in found):
                return one
    return candidates[0] if candidates else None


def arrival(source: PortType, port: Port, target: PortType, signature: Signature) -> Conversion | Refusal:
    """What happens to a value of type `source` at `port`, whose resolved type is `target`."""
    if port.many and target.depth and signature.structure in _MERGING and not target.is_variable:
        found = conversion(source, target.element)
        return Conversion.TO_LIST if found is Conversion.NONE else found
    return conversion(source, target)


def variable_from(source: PortType, port: Port, signature: Signature) -> PortType:
    """What `T` would be if a value of type `source` alone decided it at `port`."""
    depth = port.type.depth
    if port.many and depth and signature.structure in _MERGING:
        depth -= 1
    return PortType(source.base, max(0, source.depth - depth))


def literal_type(value: Json) -> PortType:
    """The port type of a value typed at a port."""
    if isinstance(value, bool):
        return FLAG
    if isinstance(value, int | float):
        return NUMBER
    if isinstance(value, str):
        return TEXT
    if isinstance(value, list) and value:
        elements = {literal_type(one) for one in value}
        return elements.pop().listed if len(elements) == 1 else JSON.listed
    return JSON


def decide(
    node: Node, signature: Signature, arriving: Mapping[str, Sequence[PortType]]
) -> Mapping[str, PortType]:
    """Find what each `T` stands for: the first input of that type at which something arrives decides."""
    variables: dict[str, PortType] = {}
    for port in signature.inputs:
        if port.type.is_variable and port.type.base not in variables:
            found = [one for one in arriving.get(port.name, ()) if not one.is_variable]
            if not found and port.name in node.inputs and not arriving.get(port.name):
                found = [literal_type(node.inputs[port.name])]
            decided = common_type([variable_from(one, port, signature) for one in found])
            if decided is not None:
                variables[port.type.base] = decided
    return variables


class _Solver:
    """Carries types along the wires until no node's `T` changes any more."""

    def __init__(
        self,
        flow: Flow,
        signatures: Mapping[NodeId, Signature | None],
        only: Iterable[NodeId] | None,
    ) -> None:
        self._flow = flow
        self._signatures = signatures
        self._variables: dict[NodeId, Mapping[str, PortType]] = {}
        self._loose: dict[int, bool] = {}
        self._wires = wires_at(flow)
        self._generic = (
            {name for name in signatures if self._is_generic(name)} if only is None else self._deciding(only)
        )
        self._incoming: dict[NodeId, list[Wire]] = {}
        self._followers: dict[NodeId, list[NodeId]] = defaultdict(list)
        for name in sorted(self._generic):
            self._incoming[name] = self._arriving(name)
            for wire in self._incoming[name]:
                self._followers[wire.source.node].append(name)

    def _is_generic(self, name: NodeId) -> bool:
        """Whether a node's inputs have a `T`; nodes that share a signature are looked at once."""
        signature = self._signatures.get(name)
        found = self._loose.get(id(signature))
        if found is None:
            found = signature is not None and any(port.type.is_variable for port in signature.inputs)
            self._loose[id(signature)] = found
        return found

    def _deciding(self, nodes: Iterable[NodeId]) -> set[NodeId]:
        """Those of these nodes that have a `T`, and all that may decide what it stands for."""
        found = {name for name in nodes if self._is_generic(name)}
        waiting = list(found)
        while waiting:
            before = {wire.source.node for wire in self._arriving(waiting.pop())}
            fresh = {name for name in before - found if self._is_generic(name)}
            found |= fresh
            waiting.extend(fresh)
        return found

    def _arriving(self, name: NodeId) -> list[Wire]:
        return [wire for wire in self._wires.into(name) if wire.source.node in self._signatures]

    def solve(self) -> Mapping[NodeId, Mapping[str, PortType]]:
        """Decide every `T` that can be decided."""
        waiting = deque(sorted(self._generic))
        queued = set(waiting)
        passes: dict[NodeId, int] = defaultdict(int)
        while waiting:
            name = waiting.popleft()
            queued.discard(name)
            found = self._decide(name)
            if not found or found == self._variables.get(name) or passes[name] >= _MOST_PASSES:
                continue
            passes[name] += 1
            self._variables[name] = found
            fresh = [one for one in self._followers[name] if one not in queued]
            waiting.extend(fresh)
            queued.update(fresh)
        return self._variables

    def _decide(self, name: NodeId) -> Mapping[str, PortType]:
        signature = self._signatures[name]
        if signature is None:
            return {}
        return decide(self._flow.nodes[name], signature, arriving_types(self._incoming[name], self._output))

    def _output(self, socket: Socket) -> PortType | None:
        port = output_of(self._flow.nodes[socket.node], self._signatures[socket.node], socket.port)
        return None if port is None else bound_type(port.type, self._variables.get(socket.node, {}))


def arriving_types(
    wires: Iterable[Wire], output: Callable[[Socket], PortType | None]
) -> dict[str, list[PortType]]:
    """Sort what arrives over `wires` by the port where it arrives, in the order of their indices."""
    found: dict[str, list[PortType]] = defaultdict(list)
    for wire in sorted(wires, key=lambda one: (one.index or 0, one.sort_key)):
        kind = output(wire.source)
        if kind is not None:
            found[wire.target.port].append(kind)
    return found
