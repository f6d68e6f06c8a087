"""Which node the arrow keys lead to."""

from studio.ids import NodeId
from studio.ui.canvas.scene import Scene


def neighbour(scene: Scene, node: NodeId, way: str) -> NodeId | None:
    """The next node along the wires to the left or right, or the nearest one above or below."""
    if way in {"left", "right"}:
        return _along(scene, node, way) or _nearest(scene, node, way)
    return _nearest(scene, node, way)


def _along(scene: Scene, node: NodeId, way: str) -> NodeId | None:
    """The other end of the topmost wire on that side; loops are not walked backwards into their bodies."""
    ends = [
        wire.target.node if way == "right" else wire.source.node
        for wire in scene.wires_of(node)
        if (wire.source.node if way == "right" else wire.target.node) == node
    ]
    here = scene.rect(node)
    ahead = [one for one in ends if (scene.rect(one).x > here.x) == (way == "right")]
    return min(ahead or ends, key=lambda one: (scene.rect(one).y, scene.rect(one).x), default=None)


def _nearest(scene: Scene, node: NodeId, way: str) -> NodeId | None:
    """The node that lies nearest in a direction, sideways distance counting double."""
    here = scene.rect(node)
    x, y = here.x + here.width / 2, here.y + here.height / 2
    best, found = float("inf"), None
    for one in scene.ids:
        if one == node:
            continue
        rect = scene.rect(one)
        dx, dy = rect.x + rect.width / 2 - x, rect.y + rect.height / 2 - y
        forward, aside = {"left": (-dx, dy), "right": (dx, dy), "up": (-dy, dx), "down": (dy, dx)}[way]
        if forward > 1 and (far := forward + 2 * abs(aside)) < best:
            best, found = far, one
    return found
