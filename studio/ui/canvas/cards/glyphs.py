"""The shapes of ports: each type has its own, so that nobody needs to tell their colours apart."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import cos, pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from studio.flow.ports import PortType

LIST_SCALE = 1.42
"""How much larger the second outline of a list is."""
_LINE = 1.6


def draw_glyph(
    painter: QPainter,
    kind: PortType,
    at: QPointF,
    radius: float,
    color: QColor,
    ground: QColor,
    *,
    is_full: bool,
) -> None:
    """Draw a type's shape about a point, full or hollow; a list has a second outline around it."""
    painter.save()
    painter.translate(at)
    if kind.depth:
        painter.setPen(QPen(color, 1.0))
        painter.setBrush(ground)
        painter.drawPath(shape_of(kind.base, radius * LIST_SCALE))
    painter.setPen(_pen(color))
    painter.setBrush(color if is_full else ground)
    painter.drawPath(shape_of(kind.base, radius - _LINE / 2))
    mark = _mark_of(kind.base, radius)
    if not mark.isEmpty():
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground if is_full else color)
        painter.drawPath(mark)
    painter.restore()


@lru_cache(512)
def shape_of(base: str, radius: float) -> QPainterPath:
    """The outline of a base type about the origin, as far out as `radius`."""
    return _SHAPES.get(base, _hexagon)(radius)


def _pen(color: QColor) -> QPen:
    pen = QPen(color, _LINE)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen


def _ring(radius: float) -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(0, 0), radius, radius)
    return path


def _polygon(points: Sequence[tuple[float, float]], radius: float) -> QPainterPath:
    path = QPainterPath(QPointF(points[0][0] * radius, points[0][1] * radius))
    for x, y in points[1:]:
        path.lineTo(x * radius, y * radius)
    path.closeSubpath()
    return path


def _triangle(radius: float) -> QPainterPath:
    """Points the way in which values go."""
    return _polygon([(-0.85, -1.05), (1.1, 0), (-0.85, 1.05)], radius)


def _square(radius: float) -> QPainterPath:
    return _polygon([(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)], radius)


def _half(radius: float) -> QPainterPath:
    """A pennant: flat on the left, round on the right."""
    path = QPainterPath()
    path.moveTo(-0.7 * radius, -1.05 * radius)
    path.arcTo(QRectF(-2.35 * radius, -1.05 * radius, 3.3 * radius, 2.1 * radius), 90, -180)
    path.closeSubpath()
    return path


def _bubble(radius: float) -> QPainterPath:
    """What somebody says: a low rectangle with a tail."""
    corner = 0.45 * radius
    path = QPainterPath()
    path.addRoundedRect(QRectF(-1.15 * radius, -0.95 * radius, 2.3 * radius, 1.5 * radius), corner, corner)
    tail = _polygon([(-0.75, 0.3), (0.1, 0.5), (-0.7, 1.15)], radius)
    return path.united(tail)


def _page(radius: float) -> QPainterPath:
    """A sheet with a corner folded in."""
    return _polygon([(-0.8, -1.1), (0.2, -1.1), (0.85, -0.45), (0.85, 1.1), (-0.8, 1.1)], radius)


def _diamond(radius: float) -> QPainterPath:
    return _polygon([(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)], radius)


def _hexagon(radius: float) -> QPainterPath:
    corners = [(cos(pi / 3 * place), sin(pi / 3 * place)) for place in range(6)]
    return _polygon(corners, 1.1 * radius)


def _dot(radius: float) -> QPainterPath:
    return _ring(0.36 * radius)


def _bar(radius: float) -> QPainterPath:
    path = QPainterPath()
    path.addRect(QRectF(-0.62 * radius, -0.18 * radius, 1.24 * radius, 0.36 * radius))
    return path


def _post(radius: float) -> QPainterPath:
    path = QPainterPath()
    path.addRect(QRectF(-0.18 * radius, -0.62 * radius, 0.36 * radius, 1.24 * radius))
    return path


def _cross(radius: float) -> QPainterPath:
    return _bar(radius).united(_post(radius))


def _line_of_text(radius: float) -> QPainterPath:
    path = QPainterPath()
    path.addRect(QRectF(-0.6 * radius, -0.4 * radius, 1.2 * radius, 0.36 * radius))
    return path


_Shape = Callable[[float], QPainterPath]
_SHAPES: Mapping[str, _Shape] = {
    "text": _ring,
    "number": _triangle,
    "flag": _half,
    "json": _square,
    "message": _bubble,
    "messages": _bubble,
    "file": _page,
    "image": _page,
    "any": _hexagon,
    **dict.fromkeys(("tool", "memory", "agent", "chat", "environment"), _diamond),
}
"""Types that the wires decide are drawn as `any` until they have."""
_MARKS: Mapping[str, _Shape] = {
    "messages": _line_of_text,
    "image": _dot,
    "memory": _bar,
    "agent": _dot,
    "chat": _post,
    "environment": _cross,
}


@lru_cache(512)
def _mark_of(base: str, radius: float) -> QPainterPath:
    """What stands inside a shape that several types share."""
    return _MARKS[base](radius) if base in _MARKS else QPainterPath()
