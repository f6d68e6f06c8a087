"""Fragments that keep their incoming wires: what feeds the originals feeds the copies too."""

from dataclasses import replace

from studio.flow import edits
from studio.flow.change import Change
from studio.flow.records import Flow, Library, Point, Socket, Wire
from studio.flow.structure.graph import output_of
from studio.flow.structure.wiring import refusal
from studio.ids import NodeId


def with_incoming(flow: Flow, fragment: Flow) -> Flow:
    """The same fragment, and the wires by which `flow` feeds it: their sources are not in it."""
    entering = [
        wire
        for wire in flow.wires
        if wire.target.node in fragment.nodes and wire.source.node not in fragment.nodes
    ]
    wires = sorted((*fragment.wires, *entering), key=lambda one: one.sort_key)
    return replace(fragment, wires=tuple(wires))


def paste_wired(flow: Flow, fragment: Flow, at: Point, library: Library) -> tuple[frozenset[NodeId], Change]:
    """Put a fragment into the flow as `edits.paste` does, fed by what feeds it where the flow has that.

    A wire that would not be allowed is left out, as is one whose source is not there.
    """
    names = edits.names_in(flow, fragment)
    nodes, change = edits.paste(flow, fragment, at)
    after = change.applied_to(flow)
    for wire in fragment.wires:
        if wire.source.node in fragment.nodes or wire.target.node not in names:
            continue
        copy = Wire(wire.source, Socket(names[wire.target.node], wire.target.port), wire.index)
        if _may_feed(after, copy, library):
            fed = Change("", added=frozenset({copy}))
            after, change = fed.applied_to(after), change.then(fed)
    return nodes, change


def _may_feed(flow: Flow, wire: Wire, library: Library) -> bool:
    source = flow.nodes.get(wire.source.node)
    if source is None or output_of(source, library.signature(source), wire.source.port) is None:
        return False
    return refusal(flow, wire.source, wire.target, library) is None
