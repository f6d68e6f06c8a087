"""The timeline as a widget: what of it is seen, zoomed and chosen; `hand` leads pointer and keys to it."""

import math
import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from studio.ids import StepId
from studio.trace.figures import cost, duration
from studio.trace.fold.cost_curve import Spending
from studio.trace.fold.idle import IdleSpan
from studio.trace.timeline.spans import Bar
from studio.ui.look import Look
from studio.ui.panels.timeline.painter import AROUND, TimelinePainter
from studio.ui.panels.timeline.picture import NOTHING_SPENT, Picture
from studio.ui.panels.timeline.scale import LanePlaces, TimeScale, fitted, folded, placed
from studio.ui.panels.timeline.strip import strip_height
from studio.ui.viewmodels.run.lanes import Lane, Lanes

WHEEL_STEP = 1.0015
"""Zoom for an eighth of a degree of the wheel."""
LABEL_WIDE = 600
"""Pixels of a bar from which on it has room for what is to be written on it."""
LONGEST_TITLES = 12
"""Titles that are measured: those with the most letters."""


class TimelineView(QAbstractScrollArea):
    """Shows lanes; what a bar says when pointed at is asked of `describe`."""

    step_chosen = Signal(str)
    moment_asked = Signal(object)
    """The run is to be shown as it was so many seconds after its beginning; None: as it is now."""
    moment_stepped = Signal(int)
    """It is to be shown at the moment before (-1) or after (1)."""
    part_chosen = Signal(object)
    """A part of the run was chosen (seconds since its beginning, from and to), or none any more."""

    def __init__(self, look: Look, describe: Callable[[StepId], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._describe = look, describe
        self._painter = TimelinePainter(look)
        self._shown: Lanes | None = None
        self._lanes: Sequence[Lane] = ()
        self._places = LanePlaces()
        self._scale = TimeScale()
        self._follows = True
        self._began, self._ended, self._is_live = 0.0, 0.0, False
        self._waiting: AbstractSet[StepId] = frozenset()
        self._selected: StepId | None = None
        self._cursor: StepId | None = None
        self._moment: float | None = None
        self._chosen: tuple[float, float] | None = None
        self._anchor: StepId | None = None
        self._path: Container[StepId] | None = None
        self._differing: Mapping[StepId, bool] = {}
        self._spending = NOTHING_SPENT
        self._version, self._titles = 0, 0
        self._titled: object = None
        self._placed: object = None
        self._painted: object = None
        self._waited: dict[Lane, float] = {}
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Timeline"))
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        look.changed.connect(self.viewport().update)

    def show_lanes(
        self,
        lanes: Lanes,
        began: float,
        ended: float | None,
        waiting: AbstractSet[StepId] = frozenset(),
        spending: Spending = NOTHING_SPENT,
        idle: Iterable[IdleSpan] = (),
    ) -> None:
        """Show these lanes of a run that began then, and ended then or still lasts (None).

        `waiting` has the steps that go on when somebody has answered, `idle` when the run did not work.
        """
        self._waiting, self._spending = waiting, spending
        self._shown, self._lanes, self._began = lanes, lanes.all(), began
        self._version = lanes.version
        self._is_live = ended is None
        before, self._ended = self._ended, ended if ended is not None else time.time()
        spans = ((since - began, until - began) for since, until, _ in idle)
        folds = folded(spans, self._longest(), is_live=self._is_live)
        if folds != self._scale.folds:
            self._scale = replace(self._scale, folds=folds)
        self._lay_out()
        self._update(lanes, before)

    def _update(self, lanes: Lanes, before: float) -> None:
        """Have painted anew what is otherwise than at a time before: all, or the ends of lanes."""
        picture = self.picture()
        key = (
            lanes,
            self._version,
            self._scale,
            picture.left,
            self._is_live,
            set(self._waiting),
            self._spending.total,
            self._moment,
            bool(self._differing),
        )
        wide = LABEL_WIDE / self._scale.per_second
        changed = lanes.changed(before, wide)
        if key != self._painted or not self._is_live or self._moment is not None or self._differing:
            self._painted = key
            self.viewport().update()
            return
        region, area = QRegion(), self.viewport().rect()
        for index, lane in enumerate(self._lanes):
            since = min(changed.get(lane, math.inf), self._waited.pop(lane, math.inf))
            if lane.waiting:
                self._waited[lane] = waits = next(iter(lane.waiting.values()))
                since = min(since, waits)
            if since < math.inf:
                x = int(picture.left + self._scale.x(since - self._began)) - AROUND
                box = self._painter.lane_rect(picture, index)
                box.setLeft(max(x, picture.left + 1))
                region += box & area
        for end in (before, self._ended):
            x = round(picture.left + self._scale.x(end - self._began))
            region += QRect(x - 1, picture.top, 3, picture.height) & area
        strip = strip_height(self._look, picture)
        if strip:
            region += QRect(picture.left, picture.height - strip, self.viewport().width(), strip)
        self.viewport().update(region)

    def follow(self) -> None:
        """Show the whole run, and keep showing it while it grows."""
        self._follows = True
        self._lay_out()
        self.viewport().update()

    def select(self, step: StepId | None) -> None:
        """Mark the bar of the step that is shown everywhere, and bring it into sight."""
        if step == self._selected:
            return
        self._selected = step
        self._cursor = step
        found = self._find(step)
        if found is not None:
            self._reveal(*found)
        self.setAccessibleDescription(self._describe(step) if step is not None else "")
        self.viewport().update()

    def show_moment(self, seconds: float | None) -> None:
        """Let the playhead stand at a moment; None: at the end."""
        if seconds != self._moment:
            self._moment = seconds
            self.viewport().update()

    def mark_path(self, steps: Container[StepId] | None) -> None:
        """Mark the steps of the critical path, or none."""
        if steps is not self._path:
            self._path = steps
            self.viewport().update()

    def mark_differing(self, steps: Mapping[StepId, bool]) -> None:
        """Mark steps that did something else in another run; True for where the two went apart."""
        self._differing = steps
        self.viewport().update()

    def choose_part(self, part: tuple[float, float] | None) -> None:
        """Choose a part of the run, in seconds since its beginning."""
        if part is not None:
            first, last = sorted(part)
            part = max(first, 0.0), min(last, max(self._longest(), 0.0))
            part = part if part[0] < part[1] else None
        if part != self._chosen:
            self._chosen = part
            self.part_chosen.emit(part)
            self.viewport().update()

    @property
    def chosen(self) -> tuple[float, float] | None:
        """The part of the run that is chosen."""
        return self._chosen

    @property
    def moment(self) -> float | None:
        """Where the playhead stands; None: at the end."""
        return self._moment

    @property
    def scale(self) -> TimeScale:
        """How times are laid out just now."""
        return self._scale

    def picture(self) -> Picture:
        """All that is painted just now."""
        small = self._look.length("space.small")
        return Picture(
            self._lanes,
            self._places,
            self._scale,
            self._began,
            max(self._ended - self._began, 0.0),
            self._is_live,
            self.verticalScrollBar().value(),
            self._title_width(),
            small * 3,
            self._label,
            self._waiting,
            self._selected,
            self._cursor if self.hasFocus() else None,
            [found[1] for one in {self._selected, self._cursor} if (found := self._find(one)) is not None],
            self._moment,
            self._chosen,
            self._path,
            self._differing,
            self._spending,
            self.viewport().height(),
        )

    def bar_at(self, place: QPointF) -> Bar | None:
        """The bar under a place in the viewport."""
        picture = self.picture()
        index = self._places.at(place.y() - picture.top + picture.scrolled)
        low = picture.height - strip_height(self._look, picture)
        if index is None or place.x() < picture.left or not picture.top <= place.y() < low:
            return None
        at = self._began + self._scale.seconds(place.x() - picture.left)
        for number, row in enumerate(self._lanes[index].rows):
            for bar in reversed(list(row.between(at - 4 / self._scale.per_second, at))):
                rect = self._painter.bar_rect(bar, picture, index, number)
                if rect.adjusted(-2, -3, 2, 3).contains(place):
                    return bar
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is in sight."""
        painter = QPainter(self.viewport())
        self._painter.paint(painter, self.viewport().rect(), self.picture(), event.region())
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the whole run in sight while it is followed."""
        super().resizeEvent(event)
        self._lay_out()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; with Shift, or beside the plot, scroll the lanes."""
        over_titles = event.position().x() < self._title_width()
        turned = event.angleDelta()
        if over_titles or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            super().wheelEvent(event)
            return
        if abs(turned.x()) > abs(turned.y()):
            self._set_scale(self._scale.panned(turned.x(), self._drawn()))
        else:
            x = event.position().x() - self._title_width()
            self._zoom(WHEEL_STEP ** turned.y(), x)
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        """Say what a bar is when the pointer rests on it."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().viewportEvent(event)

    def is_ruler(self, place: QPointF) -> bool:
        """Whether a place lies in the ruler above the lanes."""
        return place.y() < self.ruler.height() and place.x() >= self._title_width()

    @property
    def ruler(self) -> QRect:
        """Where moments are chosen, above the lanes."""
        left, high = self._title_width(), self._look.length("space.small") * 3
        return QRect(left, 0, max(self.viewport().width() - left, 0), high)

    def seconds_at(self, x: float) -> float:
        """The time since the run began that stands above a place of the viewport."""
        return self._scale.seconds(x - self._title_width())

    def ask_moment(self, x: float) -> None:
        """Let the playhead stand where the pointer is; at the end of the run it goes along with it."""
        seconds = max(self.seconds_at(x), 0.0)
        asked = seconds if seconds < self._longest() else None
        if asked != self._moment:
            self.moment_asked.emit(asked)

    def pan(self, across: float, down: float) -> None:
        """Move everything by so many pixels."""
        self._set_scale(self._scale.panned(across, self._drawn()))
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() - round(down))

    def zoom(self, factor: float) -> None:
        """Zoom in the middle."""
        self._zoom(factor, self._plot_width() / 2)

    def choose(self, bar: Bar | None = None) -> None:
        """Show the step of a bar everywhere, by default the one that the keyboard stands on."""
        found = self._find(self._cursor)
        bar = bar or (found[1] if found is not None else None)
        if bar is not None:
            self._cursor = bar.step
            self.step_chosen.emit(bar.step)
            self.viewport().update()

    def step_along(self, direction: int, *, grows: bool = False) -> None:
        """Go to the next bar of the lane; where the chosen part `grows`, it reaches from where that began."""
        before = self._find(self._cursor)
        self._step_along(direction)
        after = self._find(self._cursor)
        if not grows or after is None:
            self._anchor = None
            return
        if self._anchor is None:
            self._anchor = (before or after)[1].step
        first = self._find(self._anchor) or after
        edges = [edge for _, bar in (first, after) for edge in (bar.start, bar.end or self._ended)]
        self.choose_part((min(edges) - self._began, max(edges) - self._began))

    def step_across(self, direction: int) -> None:
        """Go to the nearest bar in the lane beneath (1) or above (-1)."""
        self._step_across(direction)

    def _tip(self, place: QPointF) -> str:
        if self.is_ruler(place):
            return self.tr("Drag: show the run as it was then. Shift-drag: select part of it.")
        bar = self.bar_at(place)
        if bar is not None:
            return self._describe(bar.step)
        if place.y() < self.viewport().height() - self._strip() or place.x() < self._title_width():
            return ""
        spent = self._spending.until(self._began + self.seconds_at(place.x()))
        words = self.tr("{tokens} tokens, {cost} by {time}")
        time_said = duration(max(self.seconds_at(place.x()), 0.0))
        return words.format(tokens=f"{spent.tokens:,}", cost=cost(spent.cost), time=time_said)

    def _title_width(self) -> int:
        if self._titled == (self._version, self.font()):
            return self._titles
        metrics, wide = self.fontMetrics(), self._look.length("space.wide")
        longest = sorted({lane.title for lane in self._lanes}, key=len)[-LONGEST_TITLES:]
        deepest = max((lane.depth for lane in self._lanes), default=0) * self._look.length("space.small")
        widest = max((metrics.horizontalAdvance(title) for title in longest), default=0) + deepest
        self._titled = self._version, self.font()
        self._titles = min(max(widest + wide * 2, wide * 4), wide * 8)
        return self._titles

    def _strip(self) -> int:
        return strip_height(self._look, self.picture())

    def _plot_width(self) -> float:
        return max(self.viewport().width() - self._title_width(), 1)

    def _longest(self) -> float:
        return max(self._ended - self._began, 0.0)

    def _drawn(self) -> float:
        """How long the run is, with idle times folded."""
        return self._scale.folds.fold(self._longest())

    def _lay_out(self) -> None:
        row = self._look.length("size.row")
        if self._placed != (self._version, self._lanes, row):
            self._places = placed(self._lanes, row, self._painter.row_step())
            self._placed = self._version, self._lanes, row
        if self._follows:
            folds, scale = self._scale.folds, fitted(self._drawn(), self._plot_width(), is_live=self._is_live)
            self._scale = replace(scale, folds=folds)
        room = self.viewport().height() - self._look.length("space.small") * 3 - self._strip()
        self.verticalScrollBar().setRange(0, max(self._places.height - room, 0))
        self.verticalScrollBar().setPageStep(max(room, 1))
        self.verticalScrollBar().setSingleStep(row)

    def _set_scale(self, scale: TimeScale) -> None:
        self._follows = False
        self._scale = scale
        self.viewport().update()

    def _zoom(self, factor: float, x: float) -> None:
        self._set_scale(self._scale.zoomed(factor, max(x, 0.0), self._drawn(), self._plot_width()))

    def _label(self, step: StepId) -> str:
        return self._shown.label(step) if self._shown is not None else ""

    def _find(self, step: StepId | None) -> tuple[int, Bar] | None:
        found = self._shown.find(step) if self._shown is not None and step is not None else None
        return (self._lanes.index(found[1]), found[0]) if found is not None else None

    def _step_along(self, direction: int) -> None:
        found = self._find(self._cursor)
        if found is None:
            self._step_across(direction)
        elif (bar := self._lanes[found[0]].beside(found[1], direction)) is not None:
            self._stand_on(found[0], bar)

    def _step_across(self, direction: int) -> None:
        found = self._find(self._cursor)
        index = found[0] if found is not None else -1 if direction > 0 else len(self._lanes)
        when = found[1].start if found is not None else self._began
        while 0 <= (index := index + direction) < len(self._lanes):
            bar = self._lanes[index].nearest(when)
            if bar is not None:
                self._stand_on(index, bar)
                return

    def _stand_on(self, index: int, bar: Bar) -> None:
        self._cursor = bar.step
        self._reveal(index, bar)
        self.setAccessibleDescription(self._describe(bar.step))
        self.viewport().update()

    def _reveal(self, index: int, bar: Bar) -> None:
        scroll, rows = self.verticalScrollBar(), self._lanes[index].rows
        lower = next((number for number, row in enumerate(rows) if row.has(bar)), 0)
        top = self._places.tops[index] + lower * self._painter.row_step()
        if top < scroll.value():
            scroll.setValue(top)
        elif top + self._look.length("size.row") > scroll.value() + scroll.pageStep():
            scroll.setValue(top + self._look.length("size.row") - scroll.pageStep())
        x, width = self._scale.x(bar.start - self._began), self._plot_width()
        if not 0 <= x <= width:
            self._set_scale(self._scale.panned(width / 3 - x, self._drawn()))
