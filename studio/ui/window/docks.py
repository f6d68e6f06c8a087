"""The places around the canvas: docks that move, tab, float, and hold one panel for each open flow."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QApplication,
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

from studio.ui.later import later
from studio.ui.look import Look

BESIDE = 76
"""How wide, in wide gaps, a window has to be for the script beside the inspector; else it stands above it."""
CODE = 22
"""How wide lines of code like to be, in wide gaps."""
SHARE = 0.38
"""The part of a window's width that the script takes at most, at first."""
HEIGHT = 0.55
"""The part of their column that it takes above the inspector."""


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

    closed = Signal()
    """A person took it away."""

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

    def closeEvent(self, event: QCloseEvent) -> None:
        """Tell that it goes."""
        super().closeEvent(event)
        self.closed.emit()

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
        self._narrow = 0
        self._settling = QTimer(self, singleShot=True, interval=0)
        self._settling.timeout.connect(self._settle)
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
        self._docks["script"].closed.connect(self._narrow_column)
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
            "history": self.tr("History"),
            "inspector": self.tr("Inspector"),
            "outline": self.tr("Outline"),
            "tree": self.tr("Tree"),
            "timeline": self.tr("Timeline"),
            "debugger": self.tr("Debugger"),
            "problems": self.tr("Problems"),
            "questions": self.tr("Questions"),
            "log": self.tr("Log"),
            "find": self.tr("Find"),
            "cases": self.tr("Cases"),
            "memories": self.tr("Memories"),
            "messages": self.tr("Messages"),
            "origin": self.tr("Origin"),
            "result": self.tr("Result"),
            "comparison": self.tr("Compare"),
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
        is_wide = window.width() >= self._look.length("space.wide") * BESIDE
        window.splitDockWidget(
            docks["script"],
            docks["inspector"],
            Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical,
        )
        window.addDockWidget(areas.BottomDockWidgetArea, docks["timeline"])
        window.splitDockWidget(docks["timeline"], docks["messages"], Qt.Orientation.Horizontal)
        for first, others in (
            ("library", ("runs", "files")),
            ("inspector", ("result", "outline", "tree", "history")),
            (
                "timeline",
                ("debugger", "problems", "questions", "log", "find", "cases", "memories", "comparison"),
            ),
            ("messages", ("origin",)),
        ):
            for other in others:
                window.tabifyDockWidget(docks[first], docks[other])
        for dock in docks.values():
            dock.setVisible(dock not in {docks["script"], docks["comparison"]})  # who wants one asks for it
        docks["library"].raise_()
        docks["inspector"].raise_()
        docks["timeline"].raise_()
        docks["messages"].raise_()
        self.share_room()
        self.settle()

    def turn_script(self) -> bool:
        """Bring the script up with room for lines of code, or take it away where the keyboard is in it."""
        script = self._docks["script"]
        if script.isAncestorOf(QApplication.focusWidget() or self._window):
            script.close()
            return False
        was_hidden = script.isHidden()
        script.bring_up()
        if was_hidden and not script.isFloating():
            later(self, self._widen_script)
        return True

    def _widen_script(self) -> None:
        """Give it room that it lacks: beside the inspector, or above it in one column with it."""
        script, inspector = self._docks["script"], self._docks["inspector"]
        code = min(self._look.length("space.wide") * CODE, round(self._window.width() * SHARE))
        is_above = script.x() == inspector.x() and not inspector.isHidden()
        if script.width() < code:
            self._narrow = script.width() if is_above else 0
            docks, widths = [script], [code]
            if not is_above and not inspector.isHidden():
                docks, widths = [script, inspector], [code, inspector.width()]
            self._window.resizeDocks(docks, widths, Qt.Orientation.Horizontal)
        if is_above and script.height() < inspector.height():
            both = script.height() + inspector.height()
            heights = [round(both * HEIGHT), round(both * (1 - HEIGHT))]
            self._window.resizeDocks([script, inspector], heights, Qt.Orientation.Vertical)

    def _narrow_column(self) -> None:
        """Give the canvas back what the script took of it."""
        narrow, self._narrow = self._narrow, 0
        inspector = self._docks["inspector"]
        if narrow and not inspector.isHidden():
            self._window.resizeDocks([inspector], [narrow], Qt.Orientation.Horizontal)

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
        """Show titles only where no tab has the same words, once all docks stand where they stay."""
        self._settling.start()

    def _settle(self) -> None:
        for dock in self._docks.values():
            shares = any(not one.isHidden() for one in self._window.tabifiedDockWidgets(dock))
            dock.show_header(is_shown=dock.isFloating() or not shares)
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setAccessibleName(self.tr("Panels"))
            bar.setExpanding(False)
            bar.setDrawBase(False)
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setUsesScrollButtons(True)
            bar.setFixedHeight(self._look.length("size.button") + self._look.length("space.tight"))
        self.arranged.emit()
