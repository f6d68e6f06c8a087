"""Giving a node another id, everywhere: in its flow, at its breakpoints, and in flows that call this one.

The inputs and outputs of a flow are ports of whoever calls it, so these wires are renamed as well. Scripted
answers and data of the project are texts of their own, and stay as they are.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from studio.app.documents.session import Session
from studio.errors import StepwireError, UsageError
from studio.flow import edits
from studio.flow.change import Change, difference
from studio.flow.ports import Structure
from studio.flow.records import CallingLibrary, Flow, Socket, Wire
from studio.flow.subflows.calls import calls_of
from studio.ids import NodeId, PortName

OpenFlow = Callable[[Path], tuple[Session, bool]]
"""Gives the session of a file, and whether a person has it open."""


@dataclass(slots=True)
class Renamed:
    """Which flows that call this one were changed too, and which could not be."""

    callers: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])


def rename_node(
    session: Session, old: NodeId, new: NodeId, open_flow: OpenFlow, close_flow: Callable[[Session], None]
) -> Renamed:
    """Rename a node as one undo step in each flow; raises `EditRefusedError` for an id that cannot be."""
    flow, library = session.flow, session.registry
    signature = library.signature(flow.nodes[old]) if old in flow.nodes else None
    is_port = signature is not None and signature.structure in {Structure.FLOW_INPUT, Structure.FLOW_OUTPUT}
    change = edits.rename_node(flow, old, new)
    if is_port:
        own = change.applied_to(flow)
        change = change.then(_renamed_at_calls(own, library, session.name, old, new))
    callers = _callers(session) if is_port else []
    session.history.do(change)
    session.selection.select([new])
    done = Renamed()
    for name in callers:
        try:
            caller, is_open = open_flow(session.project.place_of(name))
        except StepwireError as error:
            done.refused.append(error.message)
            continue
        try:
            fitting = _renamed_at_calls(caller.flow, caller.registry, session.name, old, new)
            if not fitting.is_empty:
                caller.history.do(fitting)
                if not is_open:
                    caller.save()
                done.callers.append(name)
        except StepwireError as error:
            done.refused.append(error.message)
        finally:
            if not is_open:
                close_flow(caller)
    return done


def _callers(session: Session) -> list[str]:
    """The other flows of the project that call this one."""
    found: list[str] = []
    for name in session.registry.flows.names():
        with suppress(UsageError):
            if name != session.name and calls_of(
                session.registry.flows.flow(name), session.registry, {session.name}
            ):
                found.append(name)
    return found


def _renamed_at_calls(flow: Flow, library: CallingLibrary, name: str, old: str, new: str) -> Change:
    """The change that lets the calls of a flow name one of its ends as it is called now."""
    calls = set(calls_of(flow, library, {name}))

    def moved(socket: Socket) -> Socket:
        is_meant = socket.node in calls and socket.port == old
        return Socket(socket.node, PortName(new)) if is_meant else socket

    wires = {wire: Wire(moved(wire.source), moved(wire.target), wire.index) for wire in flow.wires}
    bends = {
        str(wires[wire]): flow.layout.bends[str(wire)]
        for wire in flow.wires
        if str(wire) in flow.layout.bends
    }
    nodes = {
        node: record.model_copy(
            update={
                "inputs": {PortName(new) if port == old else port: one for port, one in record.inputs.items()}
            }
        )
        if node in calls and PortName(old) in record.inputs
        else record
        for node, record in flow.nodes.items()
    }
    after = replace(
        flow,
        nodes=nodes,
        wires=tuple(sorted(wires.values(), key=lambda one: one.sort_key)),
        layout=replace(flow.layout, bends=bends),
    )
    return difference(flow, after, f"Rename {old} of {name} to {new}")
