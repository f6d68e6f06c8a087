"""What a person may put in the place of a held step's values, and whether it fits."""

from collections.abc import Mapping

from studio.errors import ValueTypeError
from studio.flow.ports import Port, PortType, Structure
from studio.flow.records import CallingLibrary, Flow, Json, Library, Socket
from studio.flow.structure.graph import INTO_BODY, read_signatures
from studio.flow.structure.types import Types, types_of
from studio.flow.subflows.calls import flow_at
from studio.ids import NodeId, PortName, StepId, step_parts
from studio.runtime.gates.call_edits import call_ports, read_call_edit
from studio.runtime.gates.drops import AT_ERROR, NOTHING, gone_from
from studio.runtime.gates.step_ref import Phase
from studio.runtime.values import USER, Resolved, Value
from studio.sdk.values import from_plain

_RETURNS = frozenset({"again", "done", "also"})


def held_type(flow: Flow, library: Library, socket: Socket, phase: Phase) -> PortType | None:
    """The type of the value that stands at a socket of a held step; None where none does.

    Held before their work, steps have inputs, and a collect has all that it gathers; afterwards outputs.
    """
    return HeldTypes(flow, library).at(socket, phase)


FEW = 8
"""Nodes whose types are found one by one; who asks for more is told from those of the whole flow."""


class HeldTypes:
    """The same for many sockets of one flow, whose types are found once, and only when they are asked for."""

    def __init__(self, flow: Flow, library: Library) -> None:
        self._flow = flow
        self._signatures = read_signatures(flow, library)
        self._found: dict[NodeId, Types] = {}
        self._all: Types | None = None

    def at(self, socket: Socket, phase: Phase) -> PortType | None:
        """The type of the value that stands at a socket of a held step; None where none does."""
        signature = self._signatures.get(socket.node)
        if signature is None:
            return None
        types = self._types(socket.node)
        found = (types.inputs if phase == "before" else types.outputs).get(socket)
        structure = signature.structure
        is_inner = phase == "after" and structure is not None and socket.port in INTO_BODY.get(structure, ())
        is_inner = is_inner or (structure is Structure.LOOP and socket.port in _RETURNS)
        if found is None or found.is_binding or is_inner:
            return None
        if structure is Structure.COLLECT and phase == "before":
            found = found.listed
        return PortType("any", found.depth) if found.is_variable else found

    def _types(self, node: NodeId) -> Types:
        if self._all is not None:
            return self._all
        known = self._found.get(node)
        if known is None and len(self._found) == FEW:
            known = self._all = types_of(self._flow, self._signatures)
        elif known is None:
            known = self._found[node] = types_of(self._flow, self._signatures, [node])
        return known


def type_at(flow: Flow, library: CallingLibrary, step: StepId, port: str, phase: Phase) -> PortType | None:
    """The same for a port of a step, which may stand in a flow that `flow` calls."""
    scope, node, call, _ = step_parts(step)
    if call:
        return call_ports(call, phase).get(port)
    found = flow_at(flow, library, scope)
    return None if found is None else held_type(found, library, Socket(node, PortName(port)), phase)


def outputs_of(flow: Flow, library: CallingLibrary, step: StepId) -> dict[str, PortType]:
    """What a person may give in the place of the error of a step, or of a call."""
    scope, node, call, _ = step_parts(step)
    if call:
        return dict(call_ports(call, "after"))
    found = flow_at(flow, library, scope)
    signature = read_signatures(found, library).get(node) if found is not None else None
    if found is None or signature is None:
        return {}
    types = HeldTypes(found, library)
    given = {str(port.name): types.at(Socket(node, port.name), "after") for port in signature.outputs}
    return {name: kind for name, kind in given.items() if kind is not None}


def settable(flow: Flow, library: CallingLibrary, step: StepId) -> list[str]:
    """The ports of a step at which a person may put a value, inputs first."""
    scope, node, call, _ = step_parts(step)
    if call:
        return list({**call_ports(call, "before"), **call_ports(call, "after")})
    found = flow_at(flow, library, scope)
    signature = read_signatures(found, library).get(node) if found is not None else None
    if found is None or signature is None:
        return []
    sides: tuple[tuple[tuple[Port, ...], Phase], ...] = (
        (tuple(signature.inputs), "before"),
        (tuple(signature.outputs), "after"),
    )
    return [
        str(port.name)
        for ports, phase in sides
        for port in ports
        if held_type(found, library, Socket(node, port.name), phase) is not None
    ]


def read_edits(
    flow: Flow,
    library: CallingLibrary,
    step: StepId,
    phase: Phase,
    edited: Mapping[str, Json],
    schema: Json = None,
) -> dict[str, Resolved]:
    """Read edited values (plain JSON by port); raises `ValueTypeError` for one that does not fit.

    `schema` is what the arguments of a held call of a tool have to fit. Under `NOTHING` stand the outputs
    that are to give nothing.
    """
    values: dict[str, Resolved] = dict(_gone(step, phase, edited))
    edited = {name: plain for name, plain in edited.items() if name not in {NOTHING, AT_ERROR}}
    call = step_parts(step)[2]
    if call:
        for name, plain in edited.items():
            values[name] = Value(read_call_edit(call, name, phase, plain, schema), USER)
        return values
    for name, plain in edited.items():
        kind = type_at(flow, library, step, name, phase)
        if kind is None:
            message = f"`{step}` is held {phase} its work, and there is no `{name}` to edit then."
            raise ValueTypeError(message)
        values[name] = Value(from_plain(plain, kind), USER)
    return values


def _gone(step: StepId, phase: Phase, edited: Mapping[str, Json]) -> Mapping[str, Resolved]:
    gone = gone_from(edited)
    if gone and (phase == "before" or step_parts(step)[2]):
        raise ValueTypeError(f"`{step}` has no outputs now that could give nothing.")
    return gone
