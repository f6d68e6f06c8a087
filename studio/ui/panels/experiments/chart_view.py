"""Paints a chart in the theme's colours, as wide as there is room; what is pointed at says its figure."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from studio.experiments.charts import Chart, Mark
from studio.experiments.html_report import dot_corners
from studio.ui.look import Look

SERIES = ("first", "second", "third", "fourth", "fifth", "sixth")
TONES = {"ink": "text.strong", "muted": "text.muted", "line": "surface.edge"}
_ALIGNED = {
    "left": Qt.AlignmentFlag.AlignLeft,
    "middle": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight,
}
WIDE = 600
"""Points around a place within which its text stands."""


class ChartView(QWidget):
    """Shows a chart that `make` lays out for a width."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._make: Callable[[float], Chart] | None = None
        self._chart: Chart | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(look.length("space.wide") * 9)
        look.changed.connect(self.update)

    @property
    def chart(self) -> Chart | None:
        """What is shown."""
        return self._chart

    def show_chart(self, make: Callable[[float], Chart]) -> None:
        """Show another chart."""
        self._make = make
        self._lay_out()

    def sizeHint(self) -> QSize:
        """As high as the chart."""
        high = round(self._chart.height) + 2 if self._chart is not None else 0
        return QSize(self._look.length("space.wide") * 14, high)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the chart out for the width that there is."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def event(self, event: QEvent) -> bool:
        """Tell the figure of what is pointed at."""
        if isinstance(event, QHelpEvent) and self._chart is not None:
            tip = self._chart.tip_at(event.pos().x(), event.pos().y())
            QToolTip.showText(event.globalPos(), tip, self) if tip else QToolTip.hideText()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw its shapes."""
        if self._chart is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for mark in self._chart.marks:
            self._draw(painter, mark)
        painter.end()

    def _lay_out(self) -> None:
        if self._make is None:
            return
        self._chart = self._make(max(self.width(), self.minimumWidth()))
        self.setAccessibleName(self._chart.title)
        self.setAccessibleDescription(self._chart.words)
        self.setFixedHeight(round(self._chart.height) + 2)
        self.update()

    def _draw(self, painter: QPainter, mark: Mark) -> None:
        color = self._color(mark.tone)
        if mark.kind == "text":
            painter.setFont(self._look.font("small"))
            painter.setPen(color)
            self._write(painter, mark)
            return
        if mark.kind == "line":
            wide = 1.5 if mark.tone.startswith("series") or mark.tone == "ink" else 1.0
            painter.setPen(QPen(color, wide))
            painter.drawLine(QPointF(mark.x, mark.y), QPointF(mark.x + mark.width, mark.y + mark.height))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        if mark.kind == "bar":
            painter.drawRoundedRect(QRectF(mark.x, mark.y, mark.width, mark.height), 2, 2)
            return
        corners = dot_corners(mark.x, mark.y, mark.width, mark.shape)
        if corners:
            painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
        else:
            painter.drawEllipse(QPointF(mark.x, mark.y), mark.width, mark.width)

    def _write(self, painter: QPainter, mark: Mark) -> None:
        left = {"left": 0.0, "middle": WIDE / 2, "right": WIDE}[mark.align]
        high = painter.fontMetrics().ascent()
        place = QRectF(mark.x - left, mark.y - high, WIDE, high * 2)
        aligned = _ALIGNED[mark.align] | Qt.AlignmentFlag.AlignTop
        if mark.tone == "ink":  # no line strikes a name out
            under = painter.boundingRect(place, aligned, mark.text).adjusted(-2, 1, 2, -1)
            painter.fillRect(under, self._look.color("surface.panel"))
        painter.drawText(place, aligned, mark.text)

    def _color(self, tone: str) -> QColor:
        if tone in TONES:
            return self._look.color(TONES[tone])
        number = int(tone.partition(".")[2])
        return self._look.color(f"series.{SERIES[number % len(SERIES)]}")
