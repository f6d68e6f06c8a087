"""A glyph for each kind of node: lines of one weight on a square of 16, drawn as vector paths."""

from collections.abc import Iterator, Mapping
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from studio import places

SQUARE = 16.0
"""The side of the square that the paths are written for."""
LINE = 1.5

_OF_CATEGORY: Mapping[str, str] = {
    "io": "io.read_file",
    "llm": "llm.agent",
    "check": "check.expect",
    "control": "control.branch",
    "human": "human.approve",
    "text": "text.text",
    "value": "value.json",
    "memory": "memory.notes",
    "team": "team.committee",
    "plan": "plan.make_plan",
    "environment": "environment.environment",
    "tools": "control.call_tool",
    "part": "control.subflow",
}
_PLAIN = "R 3.5 3.5 9 9 2.5"
"""For kinds from elsewhere, in categories from elsewhere."""


def known_glyphs() -> frozenset[str]:
    """The kinds that have a glyph of their own."""
    return frozenset(_glyphs())


def draw_kind(painter: QPainter, kind: str, place: QRectF, color: QColor) -> None:
    """Draw the glyph of a kind into the middle of `place`; unknown kinds have their category's."""
    lines, dots = _paths(kind)
    side = min(place.width(), place.height())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(place.center() - QPointF(side / 2, side / 2))
    painter.scale(side / SQUARE, side / SQUARE)
    painter.setPen(
        QPen(color, LINE, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(lines)
    if not dots.isEmpty():
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPath(dots)
    painter.restore()


@cache
def _glyphs() -> Mapping[str, str]:
    lines = (places.resources() / "glyphs.txt").read_text("utf-8").splitlines()
    written = (line.partition(" ") for line in lines if line and not line.startswith("#"))
    return {kind: drawn for kind, _, drawn in written}


@cache
def _paths(kind: str) -> tuple[QPainterPath, QPainterPath]:
    """The lines of a glyph, and its dots, which are filled."""
    glyphs = _glyphs()
    written = glyphs.get(kind) or glyphs.get(_OF_CATEGORY.get(kind.partition(".")[0], ""), _PLAIN)
    lines, dots = QPainterPath(), QPainterPath()
    words = iter(written.split())
    for word in words:
        match word:
            case "M":
                lines.moveTo(*_numbers(words, 2))
            case "L":
                lines.lineTo(*_numbers(words, 2))
            case "C":
                lines.cubicTo(*_numbers(words, 6))
            case "Z":
                lines.closeSubpath()
            case "O":
                x, y, radius = _numbers(words, 3)
                lines.addEllipse(QPointF(x, y), radius, radius)
            case "D":
                x, y, radius = _numbers(words, 3)
                dots.addEllipse(QPointF(x, y), radius, radius)
            case "R":
                x, y, width, height, radius = _numbers(words, 5)
                lines.addRoundedRect(QRectF(x, y, width, height), radius, radius)
            case _:
                reason = f"`{word}` is not a drawing instruction, in the glyph of {kind}"
                raise ValueError(reason)
    return lines, dots


def _numbers(words: Iterator[str], count: int) -> tuple[float, ...]:
    return tuple(float(next(words)) for _ in range(count))
