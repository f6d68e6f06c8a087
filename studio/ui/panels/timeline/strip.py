"""Tokens and money beneath the lanes, on the same axis: as they were spent, and how much it was by then."""

from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from studio.trace.figures import cost
from studio.trace.fold.cost_curve import Spent
from studio.ui.look import Look
from studio.ui.panels.timeline.picture import Picture

translate = QCoreApplication.translate

COLUMN = 4
"""Pixels in which what was spent is added up to one column."""
COLUMN_ALPHA = 0.55
LEAST_ROWS = 3
"""Rows of lanes that stay above the strip where the timeline is low."""
BANDS = (("tokens", "port.message"), ("cost", "port.number"))
"""What has a band of its own, and the colour of its columns."""


def bands(picture: Picture) -> list[tuple[str, str]]:
    """The bands that have anything to show: a run may spend tokens that cost nothing."""
    total = picture.spending.total
    return [(name, color) for name, color in BANDS if getattr(total, name) > 0]


def strip_height(look: Look, picture: Picture) -> int:
    """Pixels that the strip takes at the lower edge; none where nothing was spent, or there is no room."""
    row = look.length("size.row")
    room = (picture.height - picture.top) // row - LEAST_ROWS
    return min(len(bands(picture)), max(room, 0)) * row


def paint_strip(painter: QPainter, look: Look, area: QRect, picture: Picture) -> None:
    """Draw the strip into `area`, its titles included."""
    painter.fillRect(area, look.color("surface.panel"))
    painter.setPen(QPen(look.color("surface.raised"), 1))
    painter.drawLine(area.topLeft(), area.topRight())
    row = look.length("size.row")
    for number, (name, color) in enumerate(bands(picture)[: area.height() // row]):
        top = area.top() + number * row
        _title(painter, look, QRectF(0, top, picture.left, row), name, picture)
        plot = QRectF(picture.left, top + 3, area.width() - picture.left, row - 5)
        painter.save()
        painter.setClipRect(plot)
        _band(painter, look, plot, (name, color), picture)
        painter.restore()


def _title(painter: QPainter, look: Look, box: QRectF, name: str, picture: Picture) -> None:
    total = picture.spending.total
    said = cost(total.cost)
    if name == "tokens":
        said = translate("timeline", "{count} tokens").format(count=f"{total.tokens:,}")
    painter.setFont(look.font("small"))
    painter.setPen(look.color("text.muted"))
    inner = box.adjusted(look.length("space.large"), 0, -look.length("space.tight"), 0)
    text = QFontMetricsF(painter.font()).elidedText(said, Qt.TextElideMode.ElideRight, inner.width())
    painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


def _band(painter: QPainter, look: Look, plot: QRectF, band: tuple[str, str], picture: Picture) -> None:
    """Columns for what was spent in a few pixels, to the height of the highest; a line for all till then."""
    name, color = band
    until = min(plot.width(), max(picture.scale.x(picture.now), 0.0))  # nothing is known of what is to come
    edges = [picture.began + picture.scale.seconds(x) for x in range(0, int(until) + COLUMN, COLUMN)]
    sums = [_amount(picture.spending.until(time), name) for time in edges]
    whole = _amount(picture.spending.total, name)
    spent = [after - before for before, after in pairwise(sums)]
    most = max(spent, default=0.0)
    column = QColor(look.color(color))
    column.setAlphaF(COLUMN_ALPHA)
    if most > 0:
        for number, one in enumerate(spent):
            if one > 0:
                high = max(one / most * plot.height(), 1.0)
                left = plot.left() + number * COLUMN
                painter.fillRect(QRectF(left, plot.bottom() - high, COLUMN - 1, high), column)
    line = QPainterPath(QPointF(plot.left(), plot.bottom() - sums[0] / whole * plot.height()))
    for number, one in enumerate(sums[1:], start=1):
        line.lineTo(plot.left() + number * COLUMN, plot.bottom() - one / whole * plot.height())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.strokePath(line, QPen(look.color(color), 1.5))


def _amount(spent: Spent, name: str) -> float:
    return float(getattr(spent, name))
