"""Flows that call other flows: what a called flow looks like from outside, and where its steps stand.

From outside, a flow is its inputs and outputs. Nothing here looks into what a called flow calls in turn, so
that flows may call themselves.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from studio.errors import UsageError
from studio.flow.ports import AFTER, ANY, ERROR, JSON, THEN, VARIABLE, Port, PortType, Signature, Structure
from studio.flow.records import CallingLibrary, Flow, Node, Socket, title_of
from studio.flow.structure.types import types_of
from studio.ids import NodeId, PortName, Scope, is_called, segment_node

GIVEN = "given"
"""Stands for the type of an untyped input while what becomes of it is followed."""

VALUE = PortName("value")


@dataclass(frozen=True, slots=True)
class GivenFlows:
    """Flows that are known beforehand, by name; implements `studio.flow.records.FlowLookup`."""

    known: Mapping[str, Flow] = field(default_factory=dict[str, Flow])

    def flow(self, name: str) -> Flow:
        """Give it; raises `UsageError`."""
        try:
            return self.known[name]
        except KeyError:
            raise no_such_flow(name) from None

    def names(self) -> Sequence[str]:
        """The flows that there are, sorted."""
        return sorted(self.known)


def no_such_flow(name: str) -> UsageError:
    """The error for a flow that a project does not have."""
    if not name:
        return UsageError("No flow is chosen.", hint="Choose one of the project's flows.")
    return UsageError(
        f"The project has no flow `{name}`.", hint="Choose an existing flow, or restore the file."
    )


def call_signature(called: Flow, library: CallingLibrary) -> Signature:
    """The ports of a node that calls `called`: its flow inputs and outputs, by their ids.

    An output has the type of what arrives there. Where a single input takes anything, its type is `T`, as is
    that of the outputs that give it back.
    """
    signatures = {
        name: None if library.called_name(node) else library.signature(node)
        for name, node in called.nodes.items()
    }
    asked = [name for name in _from_the_top(called) if _is(signatures[name], Structure.FLOW_INPUT)]
    untyped = [name for name in asked if _given_type(signatures[name]).base == ANY.base]
    if len(untyped) == 1:
        (name,) = untyped
        depth = _given_type(signatures[name]).depth
        signatures[name] = Signature((), (Port(VALUE, PortType(GIVEN, depth)),), Structure.FLOW_INPUT)
    types = types_of(called, signatures).outputs
    sources = {wire.target: wire.source for wire in called.wires}
    outputs: list[Port] = []
    for name in _from_the_top(called):
        if not _is(signatures[name], Structure.FLOW_OUTPUT):
            continue
        source = sources.get(Socket(name, VALUE))
        arriving = ANY if source is None else types.get(source, JSON if source.port == ERROR else ANY)
        kind = ANY if arriving.is_binding or arriving.is_variable else _generic(arriving)
        outputs.append(Port(PortName(name), kind, _label(called, name)))
    inputs = tuple(
        Port(
            PortName(name),
            _generic(_given_type(signatures[name])),
            _label(called, name),
            str(called.nodes[name].settings.get("help") or ""),
            required=is_required_input(called.nodes[name]),
        )
        for name in asked
    )
    return Signature(inputs, tuple(outputs), Structure.SUBFLOW)


def is_required_input(node: Node) -> bool:
    """Whether a flow input has no default, so that something must be given."""
    return node.settings.get("default") is None


def unusable_port(signature: Signature) -> str:
    """The input or output of a called flow that no port can be called after; empty where all can."""
    taken = [port.name for port in signature.inputs if port.name == AFTER]
    taken += [port.name for port in signature.outputs if port.name in {THEN, ERROR}]
    return taken[0] if taken else ""


def reachable(flow: Flow, library: CallingLibrary) -> dict[str, Flow]:
    """The flows that a run of `flow` may come to, by name; those that cannot be read are left out."""
    found: dict[str, Flow] = {}
    waiting = [flow]
    while waiting:
        for node in waiting.pop().nodes.values():
            name = library.called_name(node)
            if name and name not in found:
                try:
                    found[name] = library.flows.flow(name)
                except UsageError:
                    continue
                waiting.append(found[name])
    return found


def calls_of(flow: Flow, library: CallingLibrary, names: Collection[str]) -> list[NodeId]:
    """The nodes of `flow` that call one of these flows."""
    return [node for node, record in flow.nodes.items() if library.called_name(record) in names]


def changed_flows(
    before: Mapping[str, Flow], after: Mapping[str, Flow], library: CallingLibrary
) -> frozenset[str]:
    """The flows that do something else than before, because they, or those that they call, were edited."""
    changed = {name for name, flow in after.items() if name in before and not _same(before[name], flow)}
    while True:
        calling = {name for name, flow in after.items() if calls_of(flow, library, changed)}
        if calling <= changed:
            return frozenset(changed)
        changed |= calling


def _same(before: Flow, after: Flow) -> bool:
    return before.nodes == after.nodes and before.wires == after.wires


def flow_at(flow: Flow, library: CallingLibrary, scope: Scope) -> Flow | None:
    """The flow that the steps of a scope belong to: `flow` itself, or one that is called on the way there.

    What happens in the call of a tool belongs to the flow of the node that calls it.
    """
    named = named_flow_at(flow, library, scope)
    return named[1] if named is not None else None


def named_flow_at(flow: Flow, library: CallingLibrary, scope: Scope) -> tuple[str, Flow] | None:
    """The same, with the name by which the project knows it; `flow` itself has none here."""
    name, found = "", flow
    for segment in scope.split("/") if scope else ():
        if not is_called(segment) or "#" in segment:
            continue
        node = found.nodes.get(segment_node(segment))
        name = library.called_name(node) if node is not None else ""
        if not name:
            return None
        try:
            found = library.flows.flow(name)
        except UsageError:
            return None
    return name, found


def node_at(flow: Flow, library: CallingLibrary, scope: Scope, node: NodeId) -> Node | None:
    """The record of the node of a step; None where no flow of the run has it."""
    found = flow_at(flow, library, scope)
    return None if found is None else found.nodes.get(node)


def _from_the_top(flow: Flow) -> list[NodeId]:
    places = flow.layout.nodes
    return sorted(flow.nodes, key=lambda one: (place.y, place.x) if (place := places.get(one)) else (0, 0))


def _is(signature: Signature | None, structure: Structure) -> bool:
    return signature is not None and signature.structure is structure


def _given_type(signature: Signature | None) -> PortType:
    return signature.outputs[0].type if signature is not None and signature.outputs else ANY


def _generic(kind: PortType) -> PortType:
    return PortType(VARIABLE, kind.depth) if kind.base == GIVEN else kind


def _label(flow: Flow, name: NodeId) -> str:
    return str(flow.nodes[name].settings.get("label") or "") or title_of(flow, name)
