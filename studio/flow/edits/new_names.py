"""Edits of names: ids of nodes and outputs wherever a flow names them, and what the flow is called."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from studio.errors import EditRefusedError
from studio.flow.change import Change, Header, Swap
from studio.flow.edits.nodes import node_of
from studio.flow.edits.wires import rewired
from studio.flow.records import (
    Flow,
    Frame,
    Json,
    Point,
    Socket,
    Wire,
    title_of,
)
from studio.ids import NodeId, PortName, is_identifier


def rename_node(flow: Flow, old: NodeId, new: NodeId) -> Change:
    """Give a node another id, everywhere in the flow; raises `EditRefusedError` for one that cannot be."""
    node = node_of(flow, old)
    if old == new:
        return Change(f"Rename {old}")
    if not is_identifier(new):
        raise EditRefusedError(
            f"`{new}` cannot be an id: start with a lowercase letter, then use letters, digits and `_`."
        )
    if new in flow.nodes:
        raise EditRefusedError(f"There is already a node `{new}` in this flow.")

    def renamed(socket: Socket) -> Socket:
        return Socket(new, socket.port) if socket.node == old else socket

    moved: dict[Wire, Wire | None] = {
        wire: Wire(renamed(wire.source), renamed(wire.target), wire.index)
        for wire in flow.wires
        if old in {wire.source.node, wire.target.node}
    }
    removed, added, bends = rewired(flow, moved)
    places: dict[NodeId, Swap[Point]] = {}
    if old in flow.layout.nodes:
        places = {old: (flow.layout.nodes[old], None), new: (None, flow.layout.nodes[old])}
    policies = tuple(_renamed_in(policy, old, new) for policy in flow.policies)
    return Change(
        f"Rename {old} to {new}",
        {old: (node, None), new: (None, node)},
        removed,
        added,
        places,
        bends=bends,
        frames=_renamed_in_frames(flow, old, new),
        header=_header(flow, policies=policies),
        collapsed=frozenset([new]) if old in flow.layout.collapsed else frozenset(),
        expanded=frozenset([old]) & flow.layout.collapsed,
    )


def rename_outputs(flow: Flow, node: NodeId, names: Mapping[PortName, PortName]) -> Change:
    """Let the wires that leave ports of `node` leave those that are called otherwise now."""
    moved: dict[Wire, Wire | None] = {
        wire: Wire(Socket(node, names[wire.source.port]), wire.target, wire.index)
        for wire in flow.wires
        if wire.source.node == node and wire.source.port in names
    }
    removed, added, bends = rewired(flow, moved)
    return Change(f"Rename outputs of {title_of(flow, node)}", removed=removed, added=added, bends=bends)


def describe(flow: Flow, name: str, description: str) -> Change:
    """Give the flow a name and a description."""
    return Change("Describe flow", header=_header(flow, name=name, description=description))


def _header(
    flow: Flow,
    *,
    name: str | None = None,
    description: str | None = None,
    policies: tuple[Json, ...] | None = None,
) -> Swap[Header]:
    before = Header(flow.name, flow.description, flow.policies)
    after = Header(
        flow.name if name is None else name,
        flow.description if description is None else description,
        flow.policies if policies is None else policies,
    )
    return (None, None) if before == after else (before, after)


def _renamed_in(policy: Json, old: NodeId, new: NodeId) -> Json:
    """A policy names nodes under `node` and `nodes`; every other text in it is left alone."""
    if isinstance(policy, list):
        return [_renamed_in(one, old, new) for one in policy]
    if not isinstance(policy, dict):
        return policy
    rename: Callable[[Json], Json] = lambda one: new if one == old else one  # noqa: E731
    result: dict[str, Json] = {}
    for key, value in policy.items():
        if key == "node":
            result[key] = rename(value)
        elif key == "nodes" and isinstance(value, list):
            result[key] = [rename(one) for one in value]
        else:
            result[key] = _renamed_in(value, old, new)
    return result


def _renamed_in_frames(flow: Flow, old: NodeId, new: NodeId) -> dict[str, Swap[Frame]]:
    """Collapsed frames name what they hide."""
    return {
        name: (frame, replace(frame, holds=tuple(new if one == old else one for one in frame.holds)))
        for name, frame in flow.layout.frames.items()
        if old in frame.holds
    }
