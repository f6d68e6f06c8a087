"""Draws the visible part of the timeline."""

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QRegion, QStaticText

from studio.trace.fold.steps import StepStatus
from studio.trace.timeline.spans import Bar
from studio.ui.look import Look
from studio.ui.panels.timeline.difference_marks import paint_difference
from studio.ui.panels.timeline.picture import Picture
from studio.ui.panels.timeline.playhead import paint_folds, paint_playhead, paint_range, paint_to_come
from studio.ui.panels.timeline.strip import paint_strip, strip_height
from studio.ui.viewmodels.run.lanes import Lane, ticks
from studio.ui.viewmodels.words.step_words import waiting_word

STATE_COLORS = {
    "ready": "state.skipped",
    "running": "state.running",
    "held": "state.held",
    "done": "state.done",
    "failed": "state.failed",
    "skipped": "state.skipped",
    "cancelled": "state.skipped",
}
TONE_COLORS = {
    "chat": "port.message",
    "person": "state.held",
    "tool": "port.tool",
    "region": "surface.pressed",
}
HATCH = 8
"""Pixels between the lines over held time."""
HATCH_ALPHA = 0.22
NARROWEST = 3.0
"""Pixels that the shortest step is drawn as."""
AROUND = 8
"""Pixels around a bar that belong to it: rings, round corners, marks."""
FAR = 1 << 20
"""Pixels to the right, beyond every screen."""
TURNS_APART = 6.0
"""Pixels that a round or item takes at least to be cut off in its loop's bar."""
MOST_LABELS = 2_000
"""Labels of bars that are kept laid out."""
ASIDE_ALPHA = 0.35
"""How strongly bars are drawn that are not on the critical path, while that is marked."""


class TimelinePainter:
    """Paints pictures of the timeline; the widget asks it where things are as well."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._measure()
        look.changed.connect(self._measure)

    def paint(self, painter: QPainter, area: QRect, picture: Picture, exposed: QRegion) -> None:
        """Draw what is `exposed` of the viewport `area`."""
        painter.fillRect(area, self._look.color("surface.panel"))
        strip = strip_height(self._look, picture)
        plot = area.adjusted(picture.left, picture.top, 0, -strip)
        if exposed.intersects(QRect(area.left(), area.top(), area.width(), picture.top)):
            self._ruler(painter, area, picture)
        painter.save()
        painter.setClipRect(plot)
        self._guides(painter, plot, picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index in picture.places.between(picture.scrolled, picture.scrolled + plot.height()):
            seen = exposed.intersected(self.lane_rect(picture, index).intersected(plot)).boundingRect()
            if not seen.isEmpty():
                self._waiting(painter, plot, picture, index)
                self._bars(painter, seen, picture, index)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.restore()
        if exposed.intersects(QRect(area.left(), area.top(), picture.left + 1, area.height())):
            self._titles(painter, area.adjusted(0, 0, 0, -strip), picture)
        if strip:
            paint_strip(painter, self._look, area.adjusted(0, area.height() - strip, 0, 0), picture)
        paint_folds(painter, self._look, area, picture)
        paint_to_come(painter, self._look, area, picture)
        paint_range(painter, self._look, area, picture)
        paint_playhead(painter, self._look, area, picture)

    def bar_rect(self, bar: Bar, picture: Picture, index: int, row: int) -> QRectF:
        """Where a bar of that row of the lane `index` stands in the viewport."""
        thick = self._thick.get(picture.lanes[index].tone, self._thick_call)
        top = picture.top + picture.places.tops[index] - picture.scrolled
        top += (self._row - thick) / 2 + row * self._row_step
        start = picture.left + picture.scale.x(bar.start - picture.began)
        end = picture.left + picture.scale.x(picture.now if bar.end is None else bar.end - picture.began)
        return QRectF(start, top, max(end - start, NARROWEST), thick)

    def lane_rect(self, picture: Picture, index: int) -> QRect:
        """Where the bars of a lane are drawn, in the viewport, from its left edge to far right."""
        tops = picture.places.tops
        top = picture.top + tops[index] - picture.scrolled
        return QRect(picture.left, top, FAR, tops[index + 1] - tops[index])

    def row_step(self) -> int:
        """How much lower each further row of one lane stands."""
        return self._row_step

    def _measure(self) -> None:
        """Read the theme's lengths: they are wanted for each of a thousand bars."""
        small, tight = self._look.length("space.small"), self._look.length("space.tight")
        self._thick = {"step": small * 2, "region": small}
        self._thick_call = small + tight // 2
        self._row = self._look.length("size.row")
        self._row_step = self._thick["step"] + self._look.length("space.hair")
        self._radius = self._look.length("radius.bar")
        self._colors: dict[str, QColor] = {}
        self._label_font = self._look.font("small", strong=True)
        # In no word is a letter on average narrower than an `i`: what has more than fit needs no measuring.
        self._least_letter = QFontMetricsF(self._label_font).horizontalAdvance("i")
        self._label_room = self._look.length("space.tight") + 2
        self._labels: dict[str, tuple[float, QStaticText]] = {}

    def _ruler(self, painter: QPainter, area: QRect, picture: Picture) -> None:
        painter.setFont(self._look.font("small"))
        painter.setPen(self._look.color("text.muted"))
        width = area.width() - picture.left
        scale = picture.scale
        for first, last in scale.stretches(scale.seconds(0), scale.seconds(width)):
            right = min(picture.left + scale.x(last), area.right())
            for at, text in ticks(first, last, scale.per_second):
                x = picture.left + scale.x(at)
                box = QRectF(x + self._look.length("space.tight"), 0, 80, picture.top)
                is_cut = box.left() + painter.fontMetrics().horizontalAdvance(text) > right
                if first <= at and x >= picture.left and not is_cut:  # half a number is read as another one
                    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _guides(self, painter: QPainter, plot: QRect, picture: Picture) -> None:
        painter.setPen(QPen(self._look.color("surface.raised"), 1))
        scale = picture.scale
        for first, last in scale.stretches(scale.seconds(0), scale.seconds(plot.width())):
            for at, _ in ticks(first, last, scale.per_second):
                if at >= first:
                    x = round(picture.left + scale.x(at))
                    painter.drawLine(x, 0, x, plot.bottom())

    def _waiting(self, painter: QPainter, plot: QRect, picture: Picture, index: int) -> None:
        """Draw a hollow bar for the time in which steps of a lane wait for their turn now."""
        lane = picture.lanes[index]
        if not lane.waiting or not picture.is_live:
            return
        since = next(iter(lane.waiting.values()))
        place = Bar(next(iter(lane.waiting)), since, None, StepStatus.READY)
        rect = self.bar_rect(place, picture, index, 0).intersected(QRectF(plot))
        pen = QPen(self._look.color("state.skipped"), 1, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))

    def _bars(self, painter: QPainter, seen: QRect, picture: Picture, index: int) -> None:
        lane = picture.lanes[index]
        first = picture.began + picture.scale.seconds(seen.left() - picture.left - AROUND)
        last = picture.began + picture.scale.seconds(seen.right() + 1 - picture.left + AROUND)
        marks = {picture.selected, picture.cursor}
        narrowest, pixel = NARROWEST / picture.scale.per_second, 1 / picture.scale.per_second
        for number, row in enumerate(lane.rows):
            covered = 0.0
            for bar in row.apart(first, last, narrowest):
                least = bar.start + narrowest
                end = least if bar.end is None or bar.end < least else bar.end
                # Of thousands that share a few pixels, one is drawn.
                is_covered = end < covered + pixel or (end == least and bar.start < covered)
                if is_covered and bar.end is not None and bar.step not in marks:
                    continue
                covered = end
                rect = self.bar_rect(bar, picture, index, number)
                if end == least and bar.end is not None and _is_plain(bar, picture, narrowest):
                    painter.fillRect(rect, self._color(bar, lane, picture))
                else:
                    self._bar(painter, rect, bar, lane, picture)
            # Those that the hand is at are seen among any number of others.
            for bar in picture.marked:
                if row.has(bar):
                    self._bar(painter, self.bar_rect(bar, picture, index, number), bar, lane, picture)

    def _bar(self, painter: QPainter, rect: QRectF, bar: Bar, lane: Lane, picture: Picture) -> None:
        look = self._look
        radius = min(self._radius, rect.width() / 2, rect.height() / 2)
        self._queued(painter, rect, bar, picture)
        color = QColor(self._color(bar, lane, picture))
        if picture.path is not None and bar.step not in picture.path:
            color.setAlphaF(ASIDE_ALPHA)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawRoundedRect(rect, radius, radius)
        if lane.tone == "person" or bar.step in picture.waiting:
            self._hatch(painter, rect, radius)
        if bar.turns is not None:
            self._turns(painter, rect, bar.turns, picture)
        if lane.tone != "region":
            self._held(painter, rect, bar, picture, radius)
        if lane.tone == "step":
            self._label(painter, rect, bar, picture)
        if picture.path is not None and bar.step in picture.path:
            low = rect.bottom() + 1
            painter.setPen(QPen(look.color("text.strong"), 2))
            painter.drawLine(QPointF(rect.left(), low), QPointF(rect.right(), low))
        if bar.step in picture.differing:
            paint_difference(painter, look, rect, is_first=picture.differing[bar.step])
        if bar.step in {picture.selected, picture.cursor}:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = "accent.focus" if bar.step == picture.cursor else "text.strong"
            painter.setPen(QPen(look.color(ring), 1.5))
            painter.drawRoundedRect(rect.adjusted(-1.5, -1.5, 1.5, 1.5), radius + 1.5, radius + 1.5)

    def _color(self, bar: Bar, lane: Lane, picture: Picture) -> QColor:
        name = TONE_COLORS.get(lane.tone, "")
        if not name or bar.status == "failed":
            status = "held" if bar.step in picture.waiting else bar.status
            name = STATE_COLORS.get(status, "state.skipped")
        color = self._colors.get(name)
        if color is None:
            color = self._colors[name] = self._look.color(name)
        return color

    def _queued(self, painter: QPainter, rect: QRectF, bar: Bar, picture: Picture) -> None:
        """Lead a dashed line from where a step was ready to where it had its turn."""
        if bar.ready is None:
            return
        left = picture.left + picture.scale.x(bar.ready - picture.began)
        if rect.left() - left < NARROWEST:
            return
        middle = int(rect.center().y()) + 0.5  # a line between two rows of pixels is blurred
        painter.setPen(QPen(self._look.color("state.skipped"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(max(left, picture.left), middle), QPointF(rect.left(), middle))
        painter.drawLine(QPointF(left, rect.top() + 3), QPointF(left, rect.bottom() - 3))

    def _turns(self, painter: QPainter, rect: QRectF, turns: Sequence[float], picture: Picture) -> None:
        """Cut the bar of a loop or map where its rounds or items begin, as far as they can be told apart."""
        gap, last = self._look.color("surface.panel"), rect.left()
        seen = painter.clipBoundingRect().left() - picture.left - AROUND
        first = bisect_left(turns, picture.began + picture.scale.seconds(max(seen, 0.0)))
        apart = TURNS_APART / picture.scale.per_second
        while first < len(turns):
            x = picture.left + picture.scale.x(turns[first] - picture.began)
            if x > painter.clipBoundingRect().right():
                return
            if x - last >= TURNS_APART:
                painter.fillRect(QRectF(x - 1, rect.top(), 2, rect.height()), gap)
            last = x
            first = bisect_left(turns, turns[first] + apart, first + 1)

    def _held(self, painter: QPainter, rect: QRectF, bar: Bar, picture: Picture, radius: float) -> None:
        """Hatch the time that nothing was done in: it is the person's, not the step's."""
        for start, end in bar.held:
            left = picture.left + picture.scale.x(start - picture.began)
            right = picture.left + picture.scale.x(picture.now if end is None else end - picture.began)
            part = QRectF(left, rect.top(), max(right - left, NARROWEST), rect.height())
            painter.setPen(Qt.PenStyle.NoPen)
            # What was cancelled while it was held does not wait for anybody.
            name = "state.skipped" if bar.status == "cancelled" else "state.held"
            painter.setBrush(self._look.color(name))
            painter.drawRoundedRect(part, min(radius, part.width() / 2), radius)
            self._hatch(painter, part, radius)

    def _hatch(self, painter: QPainter, part: QRectF, radius: float) -> None:
        """Draw slanted lines that stand still while the bar grows, only where they are seen."""
        outline = QPainterPath()
        outline.addRoundedRect(part, min(radius, part.width() / 2), radius)
        painter.save()
        painter.setClipPath(outline, Qt.ClipOperation.IntersectClip)
        color = QColor(self._look.color("state.on_state"))
        color.setAlphaF(HATCH_ALPHA)
        painter.setPen(QPen(color, 2))
        seen = painter.clipBoundingRect().intersected(part)
        high = part.height()
        first = part.left() + ((seen.left() - part.left()) // HATCH - 3) * HATCH
        for step in range(int((seen.right() - first) // HATCH) + 2):
            x = first + step * HATCH
            painter.drawLine(QPointF(x, part.bottom()), QPointF(x + high, part.top()))
        painter.restore()

    def _label(self, painter: QPainter, rect: QRectF, bar: Bar, picture: Picture) -> None:
        inner = rect.adjusted(self._label_room, 0, -2, 0)
        inner.setLeft(max(inner.left(), picture.left + 2))  # of a bar that began to the left of what is seen
        if inner.width() < inner.height():
            return
        text = picture.label(bar.step)
        if bar.status == "held":
            text = QCoreApplication.translate("timeline", "paused")
        elif bar.step in picture.waiting:
            text = waiting_word()
        if not text or len(text) * self._least_letter > inner.width():
            return
        wide, laid_out = self._label_of(text)
        if wide > inner.width():
            return
        painter.setFont(self._label_font)
        painter.setPen(self._look.color("state.on_state"))
        high = laid_out.size().height()
        painter.drawStaticText(QPointF(inner.left(), inner.top() + (inner.height() - high) / 2), laid_out)

    def _label_of(self, text: str) -> tuple[float, QStaticText]:
        """A text laid out, and how wide it is; the latest are kept, for each frame shows nearly the same."""
        found = self._labels.get(text)
        if found is None:
            laid_out = QStaticText(text)
            laid_out.setTextFormat(Qt.TextFormat.PlainText)
            laid_out.prepare(font=self._label_font)
            if len(self._labels) >= MOST_LABELS:
                self._labels.clear()
            found = self._labels[text] = QFontMetricsF(self._label_font).horizontalAdvance(text), laid_out
        return found

    def _titles(self, painter: QPainter, area: QRect, picture: Picture) -> None:
        look = self._look
        height = look.length("size.row")
        painter.save()
        painter.setClipRect(QRect(0, picture.top, picture.left, area.height() - picture.top))
        painter.fillRect(QRect(0, picture.top, picture.left, area.height()), look.color("surface.panel"))
        for index in picture.places.between(picture.scrolled, picture.scrolled + area.height()):
            lane = picture.lanes[index]
            indent = look.length("space.large") + look.length("space.small") * (lane.is_nested + lane.depth)
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


def _is_plain(bar: Bar, picture: Picture, narrowest: float) -> bool:
    """Whether nothing is to be said of a bar but that it is there."""
    if bar.held or picture.path is not None or bar.step in picture.waiting or bar.step in picture.differing:
        return False
    return bar.ready is None or bar.start - bar.ready < narrowest
