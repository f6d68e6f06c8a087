"""Lining things up and spacing them evenly: how far each has to move. Rectangles only, no Qt."""

from collections.abc import Mapping
from typing import Literal, TypeAlias, TypeVar

from studio.ui.canvas.camera import Rect

Way: TypeAlias = Literal["left", "centre", "right", "top", "middle", "bottom"]
"""What is brought into line: an edge, or for `centre` (across) and `middle` (down) the middles."""

K = TypeVar("K")

Moves: TypeAlias = Mapping[K, tuple[int, int]]
"""How far right and down, for those that have to move at all."""


def align(rects: Mapping[K, Rect], way: Way) -> Moves[K]:
    """Bring edges or middles to those of the rectangle around all."""
    if not rects:
        return {}
    across = way in {"left", "centre", "right"}
    spans = {key: _span(rect, across=across) for key, rect in rects.items()}
    start, end = min(low for low, _ in spans.values()), max(high for _, high in spans.values())
    share = {"left": 0.0, "top": 0.0, "centre": 0.5, "middle": 0.5, "right": 1.0, "bottom": 1.0}[way]
    line = start + (end - start) * share
    return _moves({key: line - (low + (high - low) * share) for key, (low, high) in spans.items()}, across)


def distribute(rects: Mapping[K, Rect], *, across: bool) -> Moves[K]:
    """Leave the same gap between neighbours; the first and the last stay."""
    spans = {key: _span(rect, across=across) for key, rect in rects.items()}
    order = sorted(spans, key=lambda key: (sum(spans[key]), spans[key]))
    if len(order) < 3:
        return {}
    room = spans[order[-1]][0] - spans[order[0]][1]
    filled = sum(spans[key][1] - spans[key][0] for key in order[1:-1])
    gap = (room - filled) / (len(order) - 1)
    wanted: dict[K, float] = {}
    place = spans[order[0]][1] + gap
    for key in order[1:-1]:
        wanted[key] = place - spans[key][0]
        place += spans[key][1] - spans[key][0] + gap
    return _moves(wanted, across)


def _span(rect: Rect, *, across: bool) -> tuple[float, float]:
    return (rect.x, rect.right) if across else (rect.y, rect.bottom)


def _moves(offsets: Mapping[K, float], across: bool) -> Moves[K]:  # noqa: FBT001 - which axis
    return {key: (round(by), 0) if across else (0, round(by)) for key, by in offsets.items() if round(by)}
