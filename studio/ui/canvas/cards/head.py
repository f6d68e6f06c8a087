"""The row with the title, of cards and areas: what stands in it and where."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.ui.canvas.cards.marks import SIDE, Sign, draw_mark
from studio.ui.canvas.cards.pills import STATE_COLORS, draw_pill, pill_width
from studio.ui.canvas.style import Style

GAP = 6.0
LEAST_TITLE = 72.0
"""Scene units that a title keeps before words beside it become shorter."""
_WORDS = {
    "waiting": ("waiting for you", "waiting"),
    "held": ("paused",),
    "in_python": ("in Python", "Python"),
}


@dataclass(frozen=True, slots=True)
class HeadText:
    """What a title row is to say."""

    title: str
    status: str = ""
    is_missing: bool = False
    switched: str = ""
    sign: Sign | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """The row laid out: the title gets what the others leave."""

    title: QRectF
    pill: tuple[str, str] | None
    """A word and the name of its colour."""
    pill_right: float
    switch: QRectF | None
    mark: QRectF | None


def head_of(text: HeadText, style: Style, left: float, right: float, middle: float) -> Head:
    """Lay the row out between `left` and `right`; from the right: state, switch, mark, title."""
    start = right
    beside = (SIDE + GAP) * ((text.sign is not None) + (bool(text.switched) and _has_state(text)))
    pill = _pill(text, style, right - left - beside - GAP)
    if pill is not None:
        right -= pill_width(pill[0], style) + GAP
    switch = mark = None
    if text.switched and _has_state(text):
        switch = QRectF(right - SIDE, middle - SIDE / 2, SIDE, SIDE)
        right -= SIDE + GAP
    if text.sign is not None:
        mark = QRectF(right - SIDE, middle - SIDE / 2, SIDE, SIDE)
        right -= SIDE + GAP
    return Head(QRectF(left, middle - 11, max(right - left, 0), 22), pill, start, switch, mark)


def draw_beside_title(painter: QPainter, head: Head, text: HeadText, style: Style) -> None:
    """Draw state, switch and mark."""
    if head.pill is not None:
        draw_pill(painter, head.pill[0], head.pill_right, head.title.center().y(), head.pill[1], style)
    if head.switch is not None:
        _draw_switch(painter, text.switched, head.switch, style)
    if head.mark is not None and text.sign is not None:
        draw_mark(painter, text.sign, head.mark, style)


def _has_state(text: HeadText) -> bool:
    return bool(text.status) or text.is_missing


def _pill(text: HeadText, style: Style, room: float) -> tuple[str, str] | None:
    if text.status:
        words = _WORDS.get(text.status, (text.status,))
        fits = (word for word in words if room - pill_width(word, style) >= LEAST_TITLE)
        return next(fits, words[-1]), STATE_COLORS.get(text.status, "state.skipped")
    if text.is_missing:
        return "missing", "state.failed"
    return (text.switched, "state.skipped") if text.switched else None


def _draw_switch(painter: QPainter, switched: str, place: QRectF, style: Style) -> None:
    """A crossed ring for muted, an arrow past a dot for bypassed: their words give way to a state's."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(style.color("state.skipped"), 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    inner = place.adjusted(1.5, 1.5, -1.5, -1.5)
    middle = place.center()
    if switched == "muted":
        painter.drawEllipse(inner)
        reach = inner.width() * 0.35
        painter.drawLine(middle + QPointF(-reach, reach), middle + QPointF(reach, -reach))
    else:
        painter.drawArc(inner.adjusted(0, 1, 0, 1), 0, 180 * 16)
        tip = QPointF(inner.right(), middle.y() + 1)
        painter.drawLine(tip, tip + QPointF(-3.5, -1))
        painter.drawLine(tip, tip + QPointF(0.5, -3.8))
        painter.drawEllipse(middle + QPointF(0, 2.5), 1.2, 1.2)
    painter.restore()
