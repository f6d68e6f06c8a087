"""The timeline as a widget: zoom at the pointer, pan by dragging, every bar within reach of the keyboard."""

import time
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from studio.ids import StepId
from studio.trace.spans import Bar
from studio.ui.look import Look
from studio.ui.panels.timeline.painter import Picture, TimelinePainter
from studio.ui.panels.timeline.scale import LanePlaces, TimeScale, fitted, placed
from studio.ui.viewmodels.lanes import Lane, Lanes

WHEEL_STEP = 1.0015
"""Zoom for an eighth of a degree of the wheel."""
KEY_ZOOM = 1.5
DRAG_FROM = 4
"""Pixels that the pointer moves before a press is a drag."""


class TimelineView(QAbstractScrollArea):
    """Shows lanes; what a bar says when pointed at is asked of `describe`."""

    step_chosen = Signal(str)
    moment_asked = Signal(object)
    """The run is to be shown as it was so many seconds after its beginning; None: as it is now."""
    moment_stepped = Signal(int)
    """It is to be shown at the moment before (-1) or after (1)."""

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
        self._pressed: QPoint | None = None
        self._dragged = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Timeline"))
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        look.changed.connect(self.viewport().update)

    def show_lanes(
        self, lanes: Lanes, began: float, ended: float | None, waiting: AbstractSet[StepId] = frozenset()
    ) -> None:
        """Show these lanes of a run that began then, and ended then or still lasts (None).

        `waiting` has the steps that go on when somebody has answered.
        """
        self._waiting = waiting
        self._shown, self._lanes, self._began = lanes, lanes.all(), began
        self._is_live = ended is None
        self._ended = ended if ended is not None else time.time()
        self._lay_out()
        self.viewport().update()

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
        )

    def bar_at(self, place: QPointF) -> Bar | None:
        """The bar under a place in the viewport."""
        picture = self.picture()
        index = self._places.at(place.y() - picture.top + picture.scrolled)
        if index is None or place.x() < picture.left or place.y() < picture.top:
            return None
        at = self._began + self._scale.seconds(place.x() - picture.left)
        for number, row in enumerate(self._lanes[index].rows):
            for bar in reversed(list(row.between(at - 4 / self._scale.per_second, at))):
                rect = self._painter.bar_rect(bar, picture, index, number)
                if rect.adjusted(-2, -3, 2, 3).contains(place):
                    return bar
        return None

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what is in sight."""
        painter = QPainter(self.viewport())
        self._painter.paint(painter, self.viewport().rect(), self.picture())
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
            self._set_scale(self._scale.panned(turned.x(), self._longest()))
        else:
            x = event.position().x() - self._title_width()
            self._zoom(WHEEL_STEP ** turned.y(), x)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if event.button() in {Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton}:
            self._pressed, self._dragged = event.position().toPoint(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan while a button is down; otherwise show what can be clicked."""
        place = event.position().toPoint()
        if self._pressed is None:
            over = self.bar_at(event.position()) is not None
            shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
            self.viewport().setCursor(shape)
            return
        moved = place - self._pressed
        if self._dragged or moved.manhattanLength() >= DRAG_FROM:
            self._dragged = True
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self._set_scale(self._scale.panned(moved.x(), self._longest()))
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() - moved.y())
            self._pressed = place

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the bar that was clicked."""
        was_click = self._pressed is not None and not self._dragged
        self._pressed = None
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        if was_click and event.button() == Qt.MouseButton.LeftButton:
            bar = self.bar_at(event.position())
            if bar is not None:
                self._choose(bar)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Show the whole run again."""
        self.follow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go from bar to bar and from lane to lane, Enter chooses, + and - zoom, Home shows all."""
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self._step_along(1 if event.key() == Qt.Key.Key_Right else -1)
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                self._step_across(1 if event.key() == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                found = self._find(self._cursor)
                if found is not None:
                    self._choose(found[1])
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self._zoom(KEY_ZOOM, self._plot_width() / 2)
            case Qt.Key.Key_Minus:
                self._zoom(1 / KEY_ZOOM, self._plot_width() / 2)
            case Qt.Key.Key_Home | Qt.Key.Key_F:
                self.follow()
            case _:
                super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Say what a bar is when the pointer rests on it."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            bar = self.bar_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self._describe(bar.step) if bar is not None else "", self)
            return True
        return super().viewportEvent(event)

    def _title_width(self) -> int:
        metrics = self.fontMetrics()
        most = self._look.length("space.wide") * 8
        widest = max((metrics.horizontalAdvance(lane.title) for lane in self._lanes), default=0)
        return min(
            max(widest + self._look.length("space.wide") * 2, self._look.length("space.wide") * 4), most
        )

    def _plot_width(self) -> float:
        return max(self.viewport().width() - self._title_width(), 1)

    def _longest(self) -> float:
        return max(self._ended - self._began, 0.0)

    def _lay_out(self) -> None:
        row = self._look.length("size.row")
        self._places = placed(self._lanes, row, self._painter.row_step())
        if self._follows:
            self._scale = fitted(self._longest(), self._plot_width())
        room = self.viewport().height() - self._look.length("space.small") * 3
        self.verticalScrollBar().setRange(0, max(self._places.height - room, 0))
        self.verticalScrollBar().setPageStep(max(room, 1))
        self.verticalScrollBar().setSingleStep(row)

    def _set_scale(self, scale: TimeScale) -> None:
        self._follows = False
        self._scale = scale
        self.viewport().update()

    def _zoom(self, factor: float, x: float) -> None:
        self._set_scale(self._scale.zoomed(factor, max(x, 0.0), self._longest(), self._plot_width()))

    def _choose(self, bar: Bar) -> None:
        self._cursor = bar.step
        self.step_chosen.emit(bar.step)
        self.viewport().update()

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
        top, scroll = self._places.tops[index], self.verticalScrollBar()
        if top < scroll.value():
            scroll.setValue(top)
        elif top + self._look.length("size.row") > scroll.value() + scroll.pageStep():
            scroll.setValue(top + self._look.length("size.row") - scroll.pageStep())
        x, width = self._scale.x(bar.start - self._began), self._plot_width()
        if not 0 <= x <= width:
            self._set_scale(self._scale.panned(width / 3 - x, self._longest()))
