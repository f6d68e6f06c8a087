"""The thin bars beside the canvas: every group's docks by name, open or closed, each a button."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMainWindow,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.ui.labels import text_label
from studio.ui.look import Look
from studio.ui.theme.apply import mark
from studio.ui.visibility import is_seen
from studio.ui.window.docks.dock_records import DockRecord, Group, group_titles
from studio.ui.window.docks.docks import Docks

_AREAS = {
    "left": Qt.ToolBarArea.LeftToolBarArea,
    "right": Qt.ToolBarArea.RightToolBarArea,
    "below": Qt.ToolBarArea.BottomToolBarArea,
}
_STEPS = {Qt.Key.Key_Right: True, Qt.Key.Key_Down: True, Qt.Key.Key_Left: False, Qt.Key.Key_Up: False}


class StripButton(QToolButton):
    """Opens one dock, and closes its place where it is shown; on the canvas's sides it is turned."""

    def __init__(self, look: Look, record: DockRecord, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._record = look, record
        self._is_upright = record.home in {"left", "right"}
        self.setObjectName("strip_button")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setText(record.title)
        side = look.length("size.icon") - look.length("space.hair")
        self.setIconSize(QSize(side, side))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.draw()

    def show_state(self, title: str, *, is_open: bool, is_waiting: bool) -> None:
        """Say what the dock is called now, whether it is open, or waits for the hand to leave the canvas."""
        if self.text() != title:
            self.setText(title)
        self.setAccessibleName(title)
        key = f" ({self._record.key})" if self._record.key else ""
        self.setToolTip(f"{title}{key}")
        self.setChecked(is_open)
        if self.property("waiting") != is_waiting:
            mark(self, waiting=is_waiting)
            self.draw()

    def draw(self) -> None:
        """Take the icon in the colours of now."""
        is_waiting = bool(self.property("waiting"))
        self.setIcon(self._look.icon(self._record.icon, "accent.action" if is_waiting else "text.muted"))

    def sizeHint(self) -> QSize:
        """As long as its words, along the strip."""
        hint = super().sizeHint()
        return hint.transposed() if self._is_upright else hint

    def minimumSizeHint(self) -> QSize:
        """Words are not cut."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the words along the strip."""
        if not self._is_upright:
            super().paintEvent(event)
            return
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        if self._record.home == "left":
            painter.translate(0, self.height())
            painter.rotate(-90)
        else:
            painter.translate(self.width(), 0)
            painter.rotate(90)
        option.rect = self.rect().transposed()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        painter.end()


class DockStrip(QToolBar):
    """The strip of one side."""

    def __init__(self, window: QMainWindow, look: Look, side: str, title: str) -> None:
        super().__init__(title, window)
        self._look = look
        self.setObjectName(f"strip_{side}")
        self.setProperty("strip", side)
        self.setAccessibleName(title)
        self.setMovable(False)
        self.setFloatable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.toggleViewAction().setVisible(False)
        self.buttons: dict[str, StripButton] = {}
        inside = QWidget(self)
        self._row = QHBoxLayout(inside) if side == "below" else QVBoxLayout(inside)
        tight, small = look.length("space.tight"), look.length("space.small")
        if side == "below":
            self._row.setContentsMargins(small, look.length("space.hair"), small, look.length("space.hair"))
        else:
            self._row.setContentsMargins(look.length("space.hair"), small, look.length("space.hair"), small)
        self._row.setSpacing(look.length("space.hair"))
        self._gap = tight
        inside.setMinimumSize(1, 1)  # a narrow window cuts it, and is not made wider for it
        self.addWidget(inside)
        if (around := self.layout()) is not None:
            around.setContentsMargins(0, 0, 0, 0)
            around.setSpacing(0)
        window.addToolBar(_AREAS[side], self)

    def add(self, records: Sequence[DockRecord], caption: str) -> list[StripButton]:
        """Put the buttons of a group at the end, after its name where there are several groups."""
        if self.buttons:
            self._row.addSpacing(self._look.length("space.large"))
        if caption:
            label = text_label(caption, self, "small", "muted")
            self._row.addWidget(label)
            self._row.addSpacing(self._gap)
        made = [StripButton(self._look, record, self) for record in records]
        for record, button in zip(records, made, strict=True):
            self.buttons[record.name] = button
            button.installEventFilter(self)
            self._row.addWidget(button)
        return made

    def close_row(self) -> None:
        """Leave the rest of the strip free."""
        self._row.addStretch(1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go along the strip with the arrow keys."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = _STEPS.get(Qt.Key(event.key()))
            if step is not None:
                shown = list(self.buttons.values())
                here = next(row for row, one in enumerate(shown) if one is watched)
                shown[(here + (1 if step else -1)) % len(shown)].setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return super().eventFilter(watched, event)


class DockStrips(QObject):
    """The strips of a window, in step with its docks."""

    def __init__(self, window: QMainWindow, docks: Docks, look: Look) -> None:
        super().__init__(window)
        self._docks = docks
        titles = group_titles()
        self.strips: dict[str, DockStrip] = {}
        self._buttons: dict[str, StripButton] = {}
        sides: dict[str, tuple[str, tuple[Group, ...]]] = {
            "left": (self.tr("Project panels"), ("project",)),
            "right": (self.tr("Flow panels"), ("flow",)),
            "below": (self.tr("Run and quality panels"), ("run", "quality")),
        }
        for side, (title, groups) in sides.items():
            strip = self.strips[side] = DockStrip(window, look, side, title)
            for group in groups:
                records = [
                    one for one in docks.records if (one.in_strip or one.comes_along) and one.group == group
                ]
                for record, button in zip(
                    records, strip.add(records, titles[group] if len(groups) > 1 else ""), strict=True
                ):
                    button.clicked.connect(lambda _=False, name=record.name: self._press(name))
                    self._buttons[record.name] = button
            strip.close_row()
        docks.arranged.connect(self.follow)
        look.changed.connect(self._draw)
        for dock in docks.all:
            dock.windowTitleChanged.connect(self.follow)
        self.follow()

    def button(self, name: str) -> StripButton:
        """The button of a dock."""
        return self._buttons[name]

    def follow(self) -> None:
        """Show what is open now, and be there unless the canvas stands alone, or no flow is shown."""
        for strip in self.strips.values():
            strip.setVisible(not self._docks.is_bare)
        waiting = self._docks.waiting
        for name, button in self._buttons.items():
            dock = self._docks[name]
            button.show_state(dock.windowTitle(), is_open=is_seen(dock), is_waiting=name in waiting)

    def _press(self, name: str) -> None:
        self._docks.press(name)
        self.follow()

    def _draw(self) -> None:
        for button in self._buttons.values():
            button.draw()
