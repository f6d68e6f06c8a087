"""Which step of several a card or an area shows: a text between two arrows that go from round to round."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from studio.ui.canvas.document import Steps
from studio.ui.canvas.style import Role, Style

ARROW = 18.0
"""Scene units that an arrow takes, for a pointer to find it."""
HEIGHT = 20.0
_TIP = 3.5


@dataclass(frozen=True, slots=True)
class Selector:
    """Where its parts stand, in the units of the card."""

    steps: Steps
    earlier: QRectF
    said: QRectF
    later: QRectF

    def way_at(self, x: float, y: float) -> int:
        """Which way a press at a point goes: -1 back, 1 forth, 0 where it is at no arrow."""
        at = QPointF(x, y)
        if self.earlier.contains(at):
            return -1
        return 1 if self.later.contains(at) else 0


def selector_until(steps: Steps, style: Style, right: float, middle: float) -> Selector:
    """Lay it out so that it ends at `right`."""
    wide = style.metrics[Role.SMALL].horizontalAdvance(steps.text) + 1
    left, top = right - wide - 2 * ARROW, middle - HEIGHT / 2
    return Selector(
        steps,
        QRectF(left, top, ARROW, HEIGHT),
        QRectF(left + ARROW, top, wide, HEIGHT),
        QRectF(right - ARROW, top, ARROW, HEIGHT),
    )


def selector_from(steps: Steps, style: Style, left: float, middle: float) -> Selector:
    """Lay it out so that it begins at `left`."""
    wide = style.metrics[Role.SMALL].horizontalAdvance(steps.text) + 1
    return selector_until(steps, style, left + wide + 2 * ARROW, middle)


def draw_selector(painter: QPainter, selector: Selector, style: Style) -> None:
    """Draw the text and the arrows; one that leads nowhere is faint."""
    painter.setFont(style.fonts[Role.SMALL])
    painter.setPen(style.color("text.normal"))
    painter.drawText(selector.said, Qt.AlignmentFlag.AlignCenter, selector.steps.text)
    painter.setPen(Qt.PenStyle.NoPen)
    arrows = ((selector.earlier, -1, selector.steps.earlier), (selector.later, 1, selector.steps.later))
    for place, way, leads in arrows:
        middle = place.center()
        tip = middle + QPointF(way * _TIP, 0)
        back = middle - QPointF(way * _TIP * 0.7, 0)
        painter.setBrush(style.color("text.normal" if leads else "surface.edge"))
        painter.drawPolygon(QPolygonF([tip, back + QPointF(0, -_TIP * 1.2), back + QPointF(0, _TIP * 1.2)]))
