"""Draws the visible part of the timeline."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from studio.ids import StepId
from studio.ui.look import Look
from studio.ui.panels.timeline.scale import LanePlaces, TimeScale
from studio.ui.viewmodels.lanes import Bar, Lane, ticks

STATE_COLORS = {
    "ready": "state.skipped",
    "running": "state.running",
    "held": "state.held",
    "done": "state.done",
    "failed": "state.failed",
    "skipped": "state.skipped",
    "cancelled": "state.skipped",
}
TONE_COLORS = {"chat": "port.message", "tool": "port.tool", "region": "surface.pressed"}
NARROWEST = 3.0
"""Pixels that the shortest step is drawn as."""


@dataclass(frozen=True, slots=True)
class Picture:
    """All that a painting of the timeline depends on."""

    lanes: Sequence[Lane]
    places: LanePlaces
    scale: TimeScale
    began: float
    """Seconds since the epoch at which the run began."""
    now: float
    """Seconds since the run began: where the playhead stands, and where what lasts ends."""
    is_live: bool
    scrolled: int
    left: int
    """Pixels that titles take."""
    top: int
    """Pixels that the ruler takes."""
    selected: StepId | None = None
    cursor: StepId | None = None
    """The bar that the keyboard stands on; None while the keyboard is elsewhere."""


class TimelinePainter:
    """Paints pictures of the timeline; the widget asks it where things are as well."""

    def __init__(self, look: Look) -> None:
        self._look = look

    def paint(self, painter: QPainter, area: QRect, picture: Picture) -> None:
        """Draw the whole viewport `area`."""
        painter.fillRect(area, self._look.color("surface.panel"))
        plot = area.adjusted(picture.left, picture.top, 0, 0)
        self._ruler(painter, area, picture)
        painter.save()
        painter.setClipRect(plot)
        self._guides(painter, plot, picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index in picture.places.between(picture.scrolled, picture.scrolled + plot.height()):
            self._bars(painter, plot, picture, index)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        self._playhead(painter, area, picture)
        painter.restore()
        self._titles(painter, area, picture)

    def bar_rect(self, bar: Bar, lane: Lane, picture: Picture, index: int) -> QRectF:
        """Where a bar stands in the viewport."""
        look = self._look
        row = next((number for number, one in enumerate(lane.rows) if bar in one.bars), 0)
        return self._rect(bar, lane, picture, index, row, look.length("size.row"))

    def row_step(self) -> int:
        """How much lower each further row of one lane stands."""
        return self._thickness("step") + self._look.length("space.hair")

    def _thickness(self, tone: str) -> int:
        small, tight = self._look.length("space.small"), self._look.length("space.tight")
        return {"step": small * 2, "region": small}.get(tone, small + tight // 2)

    def _rect(self, bar: Bar, lane: Lane, picture: Picture, index: int, row: int, height: int) -> QRectF:
        thick = self._thickness(lane.tone)
        top = picture.top + picture.places.tops[index] - picture.scrolled + (height - thick) / 2
        top += row * self.row_step()
        start = picture.left + picture.scale.x(bar.start - picture.began)
        end = picture.left + picture.scale.x(picture.now if bar.end is None else bar.end - picture.began)
        return QRectF(start, top, max(end - start, NARROWEST), thick)

    def _ruler(self, painter: QPainter, area: QRect, picture: Picture) -> None:
        painter.setFont(self._look.font("small"))
        painter.setPen(self._look.color("text.muted"))
        width = area.width() - picture.left
        scale = picture.scale
        for at, text in ticks(scale.seconds(0), scale.seconds(width), scale.per_second):
            x = picture.left + scale.x(at)
            box = QRectF(x + self._look.length("space.tight"), 0, 80, picture.top)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _guides(self, painter: QPainter, plot: QRect, picture: Picture) -> None:
        painter.setPen(QPen(self._look.color("surface.raised"), 1))
        scale = picture.scale
        for at, _ in ticks(scale.seconds(0), scale.seconds(plot.width()), scale.per_second):
            x = round(picture.left + scale.x(at))
            painter.drawLine(x, 0, x, plot.bottom())

    def _bars(self, painter: QPainter, plot: QRect, picture: Picture, index: int) -> None:
        lane = picture.lanes[index]
        height = self._look.length("size.row")
        first = picture.began + picture.scale.seconds(0)
        last = picture.began + picture.scale.seconds(plot.width())
        for number, row in enumerate(lane.rows):
            covered = -1.0
            for bar in row.between(first, last):
                rect = self._rect(bar, lane, picture, index, number, height)
                marked = bar.step in {picture.selected, picture.cursor}
                if rect.right() < covered + 1 and not marked:
                    continue
                covered = rect.right()
                self._bar(painter, rect, bar, lane, picture)

    def _bar(self, painter: QPainter, rect: QRectF, bar: Bar, lane: Lane, picture: Picture) -> None:
        look = self._look
        radius = min(look.length("radius.bar"), rect.width() / 2, rect.height() / 2)
        name = TONE_COLORS.get(lane.tone, "")
        if not name or bar.status == "failed":
            name = STATE_COLORS.get(bar.status, "state.skipped")
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color(name))
        painter.drawRoundedRect(rect, radius, radius)
        if lane.tone == "step":
            self._held(painter, rect, bar, picture, radius)
            self._label(painter, rect, bar)
        if bar.step in {picture.selected, picture.cursor}:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = "accent.focus" if bar.step == picture.cursor else "text.strong"
            painter.setPen(QPen(look.color(ring), 1.5))
            painter.drawRoundedRect(rect.adjusted(-1.5, -1.5, 1.5, 1.5), radius + 1.5, radius + 1.5)

    def _held(self, painter: QPainter, rect: QRectF, bar: Bar, picture: Picture, radius: float) -> None:
        painter.setBrush(self._look.color("state.held"))
        for start, end in bar.held:
            left = picture.left + picture.scale.x(start - picture.began)
            right = picture.left + picture.scale.x(picture.now if end is None else end - picture.began)
            part = QRectF(left, rect.top(), max(right - left, NARROWEST), rect.height())
            painter.drawRoundedRect(part, min(radius, part.width() / 2), radius)

    def _label(self, painter: QPainter, rect: QRectF, bar: Bar) -> None:
        text = "held" if bar.status == "held" else bar.label
        if not text:
            return
        font = self._look.font("small", strong=True)
        inner = rect.adjusted(self._look.length("space.tight") + 2, 0, -2, 0)
        if QFontMetricsF(font).horizontalAdvance(text) > inner.width():
            return
        painter.setFont(font)
        painter.setPen(self._look.color("state.on_state"))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _playhead(self, painter: QPainter, area: QRect, picture: Picture) -> None:
        x = round(picture.left + picture.scale.x(picture.now))
        color = self._look.color("state.held" if picture.is_live else "text.disabled")
        painter.setPen(QPen(color, 1))
        painter.drawLine(x, area.top(), x, area.bottom())

    def _titles(self, painter: QPainter, area: QRect, picture: Picture) -> None:
        look = self._look
        height = look.length("size.row")
        painter.save()
        painter.setClipRect(QRect(0, picture.top, picture.left, area.height() - picture.top))
        painter.fillRect(QRect(0, picture.top, picture.left, area.height()), look.color("surface.panel"))
        for index in picture.places.between(picture.scrolled, picture.scrolled + area.height()):
            lane = picture.lanes[index]
            indent = look.length("space.large") + (look.length("space.small") if lane.is_nested else 0)
            top = picture.top + picture.places.tops[index] - picture.scrolled
            painter.setFont(look.font("label"))
            painter.setPen(look.color("text.muted" if lane.is_nested else "text.normal"))
            box = QRectF(indent, top, picture.left - indent - look.length("space.small"), height)
            title = QFontMetricsF(painter.font()).elidedText(
                lane.title, Qt.TextElideMode.ElideRight, box.width()
            )
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)
        painter.restore()
        painter.setPen(QPen(look.color("surface.raised"), 1))
        painter.drawLine(QPointF(picture.left, 0), QPointF(picture.left, area.bottom()))
