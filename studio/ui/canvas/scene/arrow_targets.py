"""Where the arrow keys lead: from node to node, from port to port, and along wires."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from studio.flow.records import Wire
from studio.ids import NodeId
from studio.ui.canvas.scene.geometry import Spot
from studio.ui.canvas.scene.keyboard import Stand

if TYPE_CHECKING:
    from studio.ui.canvas.scene.scene import Scene

Way: TypeAlias = Literal["left", "right", "up", "down"]


def onward(scene: "Scene", stand: Stand, way: Way) -> Stand | None:
    """The next place: among nodes, along a node's ports, onto a wire at a port and along it; None at an end.

    Ports stand in two columns. Left of an input, and right of an output, stand the wires that end there.
    """
    if stand.wire is not None:
        return _from_wire(scene, stand, stand.wire, way)
    if stand.port is not None:
        return _from_port(scene, stand, way)
    found = neighbour(scene, stand.node, way)
    return Stand(found) if found is not None else None


def first_port(scene: "Scene", node: NodeId) -> Stand | None:
    """The port at which walking a node's ports begins: its first output, else its first input."""
    spots = [spot for spot in scene.spots(node) if not spot.is_order] or scene.spots(node)
    spot = next((one for one in spots if one.is_output), None) or next(iter(spots), None)
    return Stand(node, spot.port, spot.is_output) if spot is not None else None


def wires_at(scene: "Scene", stand: Stand) -> list[Wire]:
    """The wires that end at a port, in the order of a list input, else from the topmost other end down."""
    if stand.is_output:
        found = [wire for wire in scene.wires_of(stand.node) if wire.source == stand.socket]
        return sorted(found, key=lambda wire: (scene.rect(wire.target.node).y, wire.sort_key))
    found = [wire for wire in scene.wires_of(stand.node) if wire.target == stand.socket]
    return sorted(found, key=lambda wire: (wire.index or 0, scene.rect(wire.source.node).y, wire.sort_key))


def _from_wire(scene: "Scene", stand: Stand, wire: Wire, way: Way) -> Stand | None:
    if way == "left":
        return Stand(wire.source.node, wire.source.port, is_output=True)
    if way == "right":
        return Stand(wire.target.node, wire.target.port, is_output=False)
    beside = wires_at(scene, stand)
    place = beside.index(wire) + (1 if way == "down" else -1) if wire in beside else 0
    return replace(stand, wire=beside[place]) if 0 <= place < len(beside) else None


def _from_port(scene: "Scene", stand: Stand, way: Way) -> Stand | None:
    column = _column(scene, stand.node, is_output=stand.is_output)
    place = next((row for row, spot in enumerate(column) if spot.port == stand.port), None)
    if place is None:
        return None
    if way in {"up", "down"}:
        place += 1 if way == "down" else -1
        return _at(stand.node, column[place]) if 0 <= place < len(column) else None
    if (way == "right") is stand.is_output:
        wires = wires_at(scene, stand)
        return replace(stand, wire=wires[0]) if wires else None
    across = _column(scene, stand.node, is_output=not stand.is_output)
    here = column[place]
    return _at(stand.node, min(across, key=lambda one: abs(one.y - here.y))) if across else None


def _column(scene: "Scene", node: NodeId, *, is_output: bool) -> Sequence[Spot]:
    """A node's inputs or outputs from above; among those at one height, from the left."""
    return sorted(
        (one for one in scene.spots(node) if one.is_output is is_output), key=lambda one: (one.y, one.x)
    )


def _at(node: NodeId, spot: Spot) -> Stand:
    return Stand(node, spot.port, spot.is_output)


def neighbour(scene: "Scene", node: NodeId, way: str) -> NodeId | None:
    """The next node along the wires to the left or right, or the nearest one above or below."""
    if way in {"left", "right"}:
        return _along(scene, node, way) or _nearest(scene, node, way)
    return _nearest(scene, node, way)


def _along(scene: "Scene", node: NodeId, way: str) -> NodeId | None:
    """The other end of the topmost wire on that side; loops are not walked backwards into their bodies."""
    ends = [
        wire.target.node if way == "right" else wire.source.node
        for wire in scene.wires_of(node)
        if (wire.source.node if way == "right" else wire.target.node) == node
    ]
    here = scene.rect(node)
    ahead = [one for one in ends if (scene.rect(one).x > here.x) == (way == "right")]
    return min(ahead or ends, key=lambda one: (scene.rect(one).y, scene.rect(one).x), default=None)


def _nearest(scene: "Scene", node: NodeId, way: str) -> NodeId | None:
    """The node that lies nearest in a direction, sideways distance counting double."""
    here = scene.rect(node)
    x, y = here.x + here.width / 2, here.y + here.height / 2
    best, found = float("inf"), None
    for one in scene.ids:
        if one == node or one in scene.hidden:
            continue
        rect = scene.rect(one)
        dx, dy = rect.x + rect.width / 2 - x, rect.y + rect.height / 2 - y
        forward, aside = {"left": (-dx, dy), "right": (dx, dy), "up": (-dy, dx), "down": (dy, dx)}[way]
        if forward > 1 and (far := forward + 2 * abs(aside)) < best:
            best, found = far, one
    return found
