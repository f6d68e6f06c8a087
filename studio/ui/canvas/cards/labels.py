"""Where the names of ports and the values typed at them stand on a card."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from studio.ui.canvas.scene.geometry import INSET, Box, Side, Spot
from studio.ui.canvas.style import Role, Style

GAP = 8.0
FIELD_PAD = 6.0
FIELD_HEIGHT = 18.0
LEAST_FIELD = 24.0
LEAST_LABEL = 40.0
"""Scene units that a port's name keeps beside a value, where it needs as many."""


@dataclass(frozen=True, slots=True)
class Written:
    """A text with the place that it has."""

    text: str
    place: QRectF


def label_of(box: Box, spot: Spot, style: Style) -> Written | None:
    """The name beside a port, cut so that the name across from it and a typed value have room."""
    if not spot.label or spot.side not in {Side.LEFT, Side.RIGHT}:
        return None
    room = _room(box, spot, style)
    if spot.literal:
        room = max(room - LEAST_FIELD - GAP, min(room, LEAST_LABEL))
    text = style.elided(spot.label, Role.LABEL, room)
    width = style.metrics[Role.LABEL].horizontalAdvance(text) + 1
    left = INSET if spot.side is Side.LEFT else box.width - INSET - width
    return Written(text, QRectF(left, spot.y - 10, width, 20))


def literal_of(box: Box, spot: Spot, style: Style) -> Written | None:
    """The field with the value typed at a port; None where nothing was typed, or nothing fits."""
    label = label_of(box, spot, style)
    if label is None or not spot.literal:
        return None
    left = label.place.right() - 1 + GAP
    room = INSET + _room(box, spot, style) - left
    text = style.elided(spot.literal, Role.LABEL, room - 2 * FIELD_PAD)
    if room < LEAST_FIELD or not text:
        return None
    width = style.metrics[Role.LABEL].horizontalAdvance(text) + 2 * FIELD_PAD
    return Written(text, QRectF(left, spot.y - FIELD_HEIGHT / 2, width, FIELD_HEIGHT))


def _room(box: Box, spot: Spot, style: Style) -> float:
    """What the row has for this side: outputs keep their names up to half of it, inputs get the rest."""
    whole = box.width - 2 * INSET
    across = Side.RIGHT if spot.side is Side.LEFT else Side.LEFT
    other = next((one for one in box.spots if one.y == spot.y and one.side is across), None)
    if other is None or not other.label:
        return whole
    mine, theirs = _wish(spot, style), _wish(other, style)
    half = (whole - GAP) / 2
    if spot.side is Side.RIGHT:
        return min(mine, max(half, whole - GAP - theirs)) + 0.5
    return whole - GAP - min(theirs, max(half, whole - GAP - mine)) - 0.5


def _wish(spot: Spot, style: Style) -> float:
    value = GAP + style.measure(spot.literal) + 2 * FIELD_PAD if spot.literal else 0.0
    return style.measure(spot.label) + value
