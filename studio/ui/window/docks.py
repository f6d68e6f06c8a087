"""The places around the canvas: docks that move, tab, float, and hold one panel for each open flow."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QStackedWidget,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from studio.ui.look import Look

WIDE_ENOUGH = 16
"""Wide gaps from which on a dock has room for lines of code."""


class DockHeader(QWidget):
    """A dock's title, with what it shows just now, and its two buttons; dragging it drags the dock."""

    def __init__(self, look: Look, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._look = look
        self.setObjectName("dock_header")
        self.setProperty("surface", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title = QLabel(dock.windowTitle(), self)
        self.title.setProperty("type", "strong")
        self.about = QLabel(self)
        self.about.setProperty("tone", "muted")
        self._float = self._button(dock.tr("Float or dock again"))
        self._float.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
        self._close = self._button(dock.tr("Close; the View menu brings it back"))
        self._close.clicked.connect(dock.close)
        row = QHBoxLayout(self)
        row.setContentsMargins(look.length("space.normal"), 0, look.length("space.tight"), 0)
        row.setSpacing(look.length("space.small"))
        row.addWidget(self.title)
        row.addWidget(self.about, 1)
        row.addWidget(self._float)
        row.addWidget(self._close)
        self.setFixedHeight(look.length("size.button") + look.length("space.tight") - 1)
        look.changed.connect(self._draw)
        self._draw()

    def _button(self, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("plain", True)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setFixedSize(self._look.length("size.row"), self._look.length("size.row"))
        return button

    def _draw(self) -> None:
        self._float.setIcon(self._look.icon("float", "text.muted"))
        self._close.setIcon(self._look.icon("close", "text.muted"))


class Dock(QDockWidget):
    """One place. Its header is shown only where no tab names it already."""

    def __init__(self, look: Look, name: str, title: str, window: QMainWindow) -> None:
        super().__init__(title, window)
        self.setObjectName(name)
        self.header = DockHeader(look, self)
        self._no_header = QWidget(self)
        self._no_header.setFixedHeight(0)
        self.pages = QStackedWidget(self)
        self.pages.setProperty("surface", "panel")
        self.pages.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWidget(self.pages)
        self.setTitleBarWidget(self.header)

    def show_header(self, *, is_shown: bool) -> None:
        """Show the title, or leave it to the tab."""
        wanted = self.header if is_shown else self._no_header
        if self.titleBarWidget() is not wanted:
            self.setTitleBarWidget(wanted)
            wanted.show()
            other = self._no_header if is_shown else self.header
            other.hide()

    def bring_up(self) -> None:
        """Show it, in front of the docks that it shares a place with."""
        self.show()
        self.raise_()


class Docks(QObject):
    """All docks of a window, by name."""

    arranged = Signal()

    def __init__(self, window: QMainWindow, look: Look) -> None:
        super().__init__(window)
        self._window = window
        self._look = look
        self._had_script = False
        window.setDockNestingEnabled(True)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        self._docks = {name: Dock(look, name, title, window) for name, title in self._titles().items()}
        for dock in self._docks.values():
            dock.dockLocationChanged.connect(self.settle)
            dock.topLevelChanged.connect(self.settle)
            dock.visibilityChanged.connect(self.settle)
        window.tabifiedDockWidgetActivated.connect(self.settle)
        self.arrange()

    def __getitem__(self, name: str) -> Dock:
        return self._docks[name]

    @property
    def all(self) -> list[Dock]:
        """The docks in their order."""
        return list(self._docks.values())

    def _titles(self) -> dict[str, str]:
        return {
            "library": self.tr("Library"),
            "runs": self.tr("Runs"),
            "files": self.tr("Files"),
            "inspector": self.tr("Inspector"),
            "timeline": self.tr("Timeline"),
            "debugger": self.tr("Debugger"),
            "problems": self.tr("Problems"),
            "questions": self.tr("Questions"),
            "log": self.tr("Log"),
            "messages": self.tr("Messages"),
            "script": self.tr("Script"),
        }

    def arrange(self) -> None:
        """Put every dock where it stands at first."""
        window, docks = self._window, self._docks
        areas = Qt.DockWidgetArea
        for dock in docks.values():
            dock.setFloating(False)
        for name in ("library", "runs", "files"):
            window.addDockWidget(areas.LeftDockWidgetArea, docks[name])
        window.addDockWidget(areas.RightDockWidgetArea, docks["script"])
        window.splitDockWidget(docks["script"], docks["inspector"], Qt.Orientation.Horizontal)
        window.addDockWidget(areas.BottomDockWidgetArea, docks["timeline"])
        window.splitDockWidget(docks["timeline"], docks["messages"], Qt.Orientation.Horizontal)
        for first, others in (
            ("library", ("runs", "files")),
            ("timeline", ("debugger", "problems", "questions", "log")),
        ):
            for other in others:
                window.tabifyDockWidget(docks[first], docks[other])
        for dock in docks.values():
            dock.setVisible(dock is not docks["script"])  # who wants it asks for it
        docks["library"].raise_()
        docks["timeline"].raise_()
        self.share_room()
        self.settle()

    def open_script(self) -> None:
        """Bring the script up beside the inspector, with room for lines of code the first time."""
        script = self._docks["script"]
        script.bring_up()
        if not self._had_script and not script.isFloating():
            self._had_script = True
            QTimer.singleShot(0, self, self._widen_script)

    def _widen_script(self) -> None:
        wide = self._look.length("space.wide")
        docks = [self._docks["script"], self._docks["inspector"]]
        if docks[0].width() < wide * WIDE_ENOUGH:
            self._window.resizeDocks(docks, [wide * 20, wide * 13], Qt.Orientation.Horizontal)

    def hide(self) -> None:
        """Take every dock away."""
        for dock in self._docks.values():
            dock.hide()

    def share_room(self) -> None:
        """Give each dock the size that it has at first."""
        window, docks = self._window, self._docks
        wide = self._look.length("space.wide")
        window.resizeDocks(
            [docks["library"], docks["inspector"]], [wide * 9, wide * 13], Qt.Orientation.Horizontal
        )
        window.resizeDocks(
            [docks["timeline"], docks["messages"]], [wide * 26, wide * 17], Qt.Orientation.Horizontal
        )
        window.resizeDocks([docks["timeline"]], [wide * 15], Qt.Orientation.Vertical)

    def settle(self, *_: object) -> None:
        """Show titles only where there is no tab with the same words."""
        for dock in self._docks.values():
            shares = any(not one.isHidden() for one in self._window.tabifiedDockWidgets(dock))
            dock.show_header(is_shown=dock.isFloating() or not shares)
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setExpanding(False)
            bar.setDrawBase(False)
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setUsesScrollButtons(True)
            bar.setFixedHeight(self._look.length("size.button") + self._look.length("space.tight"))
        self.arranged.emit()
