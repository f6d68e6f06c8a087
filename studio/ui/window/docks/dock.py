"""One place beside the canvas: its header, and a panel for each open flow."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QStackedWidget, QToolButton, QWidget

from studio.ui.labels import text_label
from studio.ui.layouts import row_layout
from studio.ui.look import Look


class DockHeader(QWidget):
    """A dock's title, with what it shows just now, and its two buttons; dragging it drags the dock."""

    def __init__(self, look: Look, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._look = look
        self.setObjectName("dock_header")
        self.setProperty("surface", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title = text_label(dock.windowTitle(), self, "strong")
        self.about = text_label("", self, tone="muted")
        self._float = self._button(dock.tr("Float or dock"))
        self._float.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
        self._close = self._button(dock.tr("Close; reopen it from the View menu"))
        self._close.clicked.connect(dock.close)
        row = row_layout(
            self, (look.length("space.normal"), 0, look.length("space.tight"), 0), look.length("space.small")
        )
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
    wanted = Signal()
    """Somebody wants to look at it."""

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
        self.wanted.emit()
