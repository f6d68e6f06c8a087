"""Which ports on the border of an area are named beside it."""

from collections.abc import Iterator, Mapping

from studio.ids import NodeId
from studio.ui.canvas.scene.areas import PAD_X, PILL_HEIGHT, PILL_WIDTH, Area, Pill
from studio.ui.canvas.scene.geometry import Spot
from studio.ui.canvas.style import Role, Style

LONGEST = 140.0
"""Scene units that a name takes with its value."""
APART = 10.0
"""Scene units between two names on one height."""


def said(spot: Spot, style: Style) -> str:
    """A port's name, with the value typed at it."""
    if not spot.literal:
        return spot.label
    return style.elided(f"{spot.label}: {spot.literal}", Role.SMALL, LONGEST)


def is_inside(area: Area, pill: Pill, spot: Spot) -> bool:
    """Whether a port faces the area's body."""
    return (spot.x > 0) if pill.on_left else (spot.x < area.rect.width)


def is_named(
    area: Area, pill: Pill, spot: Spot, areas: Mapping[NodeId, Area], style: Style, *, is_wired: bool
) -> bool:
    """Inside always; outside while unwired, unless the area around has a name of its own there."""
    if is_inside(area, pill, spot):
        return True
    parent = areas.get(area.region.parent) if area.region.parent is not None else None
    if is_wired or parent is None:
        return not is_wired
    measure = style.metrics[Role.SMALL].horizontalAdvance
    y = area.rect.y + pill.y - parent.rect.y
    gap = area.rect.x - parent.rect.x if pill.on_left else parent.rect.right - area.rect.right
    room = max(gap, PAD_X) - PILL_WIDTH - APART - 2 * 5
    near = (name for at, name in _inner_names(parent, on_left=pill.on_left) if abs(at - y) < PILL_HEIGHT)
    return all(measure(said(spot, style)) + measure(name) <= room for name in near)


def _inner_names(area: Area, *, on_left: bool) -> Iterator[tuple[float, str]]:
    for pill in area.pills:
        if pill.on_left == on_left:
            yield from ((pill.y, spot.label) for spot in pill.spots if is_inside(area, pill, spot))
