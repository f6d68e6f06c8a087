"""What is collapsed: nodes to their title bars, loops and maps to nodes, frames to bars. No Qt."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from studio.flow.change import Change
from studio.ids import NodeId
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene.areas import Area, Region
from studio.ui.canvas.scene.box_places import Key, Standing
from studio.ui.canvas.scene.geometry import HEADER, Box, Side, Spot
from studio.ui.canvas.scene.wires import Ints

Hull: TypeAlias = NodeId | Key
"""What hides a node: a collapsed loop or map, or a collapsed frame."""

ORDER_Y = 7.0
"""Where the order ports of a title bar stand, clear of the others."""


def folded_box(box: Box) -> Box:
    """A node's box with nothing but its title, its ports on the edges of that, and its drawer below."""
    spots = [replace(spot, y=spot.y - box.height + HEADER) for spot in box.spots if spot.is_spare]
    for side in (Side.LEFT, Side.RIGHT):
        ports = [spot for spot in box.spots if spot.side is side and not (spot.is_order or spot.is_spare)]
        for place, spot in enumerate(ports):
            y = ORDER_Y + (HEADER - ORDER_Y) * (place + 1) / (len(ports) + 1)
            spots.append(replace(spot, y=y, label="", literal=""))
    for spot in box.spots:
        if spot.is_order:
            spots.append(replace(spot, y=ORDER_Y))
        elif spot.side in {Side.TOP, Side.BOTTOM}:
            spots.append(replace(spot, y=0.0 if spot.side is Side.TOP else float(HEADER)))
    order = {(spot.port, spot.is_output): place for place, spot in enumerate(box.spots)}
    spots.sort(key=lambda spot: order[spot.port, spot.is_output])
    return Box(box.width, HEADER, tuple(spots), HEADER, 0, has_foot=False, drawer=box.drawer)


def fold_regions(regions: Sequence[Region], collapsed: Collection[NodeId]) -> Sequence[Region]:
    """Tell every region whether it is collapsed, and what collapsed ones within it hide."""
    folded = [region for region in regions if region.node in collapsed]
    if not folded:
        return regions
    return [
        replace(
            region,
            is_folded=region.node in collapsed,
            folded_away=frozenset(
                node for inner in folded if inner.node in region.body for node in inner.body | inner.lenders
            ),
        )
        for region in regions
    ]


def find_hidden(regions: Sequence[Region], standing: Standing) -> dict[NodeId, Hull]:
    """The hidden nodes, each with the outermost thing that hides it."""
    hulls: dict[NodeId, Hull] = {}
    folded = [region for region in regions if region.is_folded]
    for region in sorted(folded, key=lambda one: (len(one.body), one.node)):
        hulls.update(dict.fromkeys(region.body | region.lenders, region.node))
    by_node = {region.node: region for region in regions}
    for key in standing.rects():
        frame = standing.frame(key)
        if frame is None or not frame.holds:
            continue
        for node in standing.inside(key.name, {}).nodes:
            hulls[node] = key
            if (region := by_node.get(node)) is not None:
                hulls.update(dict.fromkeys((*region.body, *region.collects, *region.lenders), key))
    return hulls


def inner_wires(
    ends: tuple[Ints, Ints],
    rows: Mapping[NodeId, int],
    hulls: Mapping[NodeId, Hull],
    regions: Iterable[Region],
) -> Ints:
    """The wires both ends of which are in the same collapsed thing: nobody sees them."""
    sources, targets = ends
    numbers: dict[Hull, int] = {}
    home = np.full(len(rows), -1, dtype=np.int64)
    for region in regions:
        if region.is_folded:
            number = numbers.setdefault(region.node, len(numbers))
            home[[rows[node] for node in (region.node, *region.collects) if node in rows]] = number
    for node, hull in hulls.items():
        if node in rows:
            home[rows[node]] = numbers.setdefault(hull, len(numbers))
    return np.nonzero((home[sources] >= 0) & (home[sources] == home[targets]))[0]


def rows_by_hull(hulls: Mapping[NodeId, Hull], rows: Mapping[NodeId, int]) -> dict[Hull, Ints]:
    """The rows that each collapsed thing hides."""
    found: dict[Hull, list[int]] = {}
    for node, hull in hulls.items():
        found.setdefault(hull, []).append(rows[node])
    return {hull: np.array(some, dtype=np.int64) for hull, some in found.items()}


def resized(hulls: Iterable[Hull], before: Mapping[NodeId, Area], after: Mapping[NodeId, Area]) -> list[Hull]:
    """The collapsed loops and maps that are new, or of another size than before."""
    fresh: list[Hull] = []
    for hull in hulls:
        if not isinstance(hull, Key) and (now := after.get(hull)) is not None:
            old = before.get(hull)
            if old is None or (old.rect.width, old.rect.height) != (now.rect.width, now.rect.height):
                fresh.append(hull)
    return fresh


def hull_rect(hull: Hull, areas: Mapping[NodeId, Area], standing: Standing) -> Rect | None:
    """Where the collapsed thing is shown."""
    if isinstance(hull, Key):
        return standing.rect(hull)
    area = areas.get(hull)
    return area.rect if area is not None else None


def hull_spot(spot: Spot | None, rect: Rect, *, is_output: bool) -> Spot | None:
    """Where the wire of a hidden port ends: low on the left or right edge of what hides it."""
    if spot is None:
        return None
    side = Side.RIGHT if is_output else Side.LEFT
    y = max(rect.height - 10, rect.height / 2)
    return replace(spot, side=side, x=rect.width if is_output else 0.0, y=y)


def folds(change: Change) -> bool:
    """Whether a change collapses or unfolds anything."""
    return bool(change.collapsed or change.expanded) or any(
        (before.holds if before else ()) != (after.holds if after else ())
        for before, after in change.frames.values()
    )
