"""One side of the canvas's place: a bar of tabs, and the page of the document whose tab is chosen."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QCursor, QIcon, QMouseEvent
from PySide6.QtWidgets import QApplication, QStackedWidget, QTabBar, QToolButton, QWidget

from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.slots import of_number
from studio.ui.window.flow_pages import DocumentKind, DocumentPage

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow

translate = QCoreApplication.translate

NARROWEST = 240
"""Points that a side is wide at least."""
SHARE = 0.7
"""The part of an icon's side that the cross of a tab has."""


@dataclass(frozen=True, slots=True)
class Document:
    """What one tab shows: a flow on its canvas, or in the canvas's place something of it."""

    flow: "OpenFlow"
    kind: DocumentKind = "flow"

    @property
    def page(self) -> DocumentPage:
        """What is seen of it."""
        return self.flow.pages[self.kind]

    @property
    def title(self) -> str:
        """What its tab is called."""
        session = self.flow.work.session
        name = session.title
        if self.kind == "script":
            return translate("TabSide", "Script: {name}").format(name=name)
        if self.kind == "comparison":
            return translate("TabSide", "Compare: {name}").format(name=name)
        if self.kind == "experiments":
            return translate("TabSide", "Experiments: {name}").format(name=session.project.name)
        return f"{name} •" if session.is_modified else name


class TabSide(QWidget):
    """Shows one document of those that stand on its side."""

    turned = Signal(object)
    """Another of its documents is shown, or a tab was clicked: this side."""
    close_asked = Signal(object)
    """A document is to be closed."""
    menu_asked = Signal(object, QPoint)
    """The menu of a document's tab, and where on the screen."""
    dragged = Signal(object, QPoint)
    """A document's tab is dragged here on the screen."""
    dropped = Signal(object, QPoint)
    """A document's tab was dragged, and let go here."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.setMinimumWidth(NARROWEST)
        self.documents: list[Document] = []
        self._held: tuple[Document, QPoint] | None = None
        """The document whose tab the hand has taken, and where."""
        self.bar = QTabBar(self)
        self.bar.setObjectName("flow_tabs")
        self.bar.setExpanding(False)
        self.bar.setDrawBase(False)
        self.bar.setMovable(True)
        self.bar.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.bar.setAccessibleName(self.tr("Open flows"))
        self.bar.tabMoved.connect(self._move)
        self.bar.currentChanged.connect(self._turn)
        self.bar.tabBarClicked.connect(of_number(lambda _: self.turned.emit(self)))
        self.bar.customContextMenuRequested.connect(self._ask_menu)
        self.bar.installEventFilter(self)
        self._stack = QStackedWidget(self)
        self._rows = column_layout(self, 0, 0)
        self._rows.addWidget(self.bar)
        self._rows.addWidget(self._stack, 1)

    @property
    def shown(self) -> Document | None:
        """What is shown."""
        index = self.bar.currentIndex()
        return self.documents[index] if 0 <= index < len(self.documents) else None

    def put_above(self, widget: QWidget) -> None:
        """Put a widget between the tabs and the page."""
        self._rows.insertWidget(1, widget)

    def insert(self, index: int, document: "Document") -> None:
        """Take a document in; what is shown stays so, unless nothing was."""
        self.bar.blockSignals(True)
        self.documents.insert(index, document)
        self._stack.addWidget(document.page)
        self.bar.insertTab(index, document.title)
        self.bar.setTabToolTip(index, str(document.flow.work.session.path))
        self.bar.setTabButton(index, QTabBar.ButtonPosition.RightSide, self._cross(document))
        self.bar.blockSignals(False)
        self._show_page()

    def take(self, document: "Document") -> None:
        """Let a document go; where it was shown, its neighbour is."""
        index = self.documents.index(document)
        self.bar.blockSignals(True)
        self.documents.pop(index)
        self.bar.removeTab(index)
        self._stack.removeWidget(document.page)
        document.page.hide()
        self.bar.blockSignals(False)
        self._show_page()

    def show_document(self, document: "Document") -> None:
        """Show one of its documents."""
        self.bar.blockSignals(True)
        self.bar.setCurrentIndex(self.documents.index(document))
        self.bar.blockSignals(False)
        self._show_page()

    def rename(self, document: "Document") -> None:
        """Write on a tab how its document is called now."""
        index = self.documents.index(document)
        if self.bar.tabText(index) != document.title:
            self.bar.setTabText(index, document.title)
            self.bar.setTabToolTip(index, str(document.flow.work.session.path))
            self.cross(index).name(document.title)

    def cross(self, index: int) -> "Cross":
        """What closes a tab."""
        return cast("Cross", self.bar.tabButton(index, QTabBar.ButtonPosition.RightSide))

    def mark(self, *, is_current: bool) -> None:
        """Tell whether all around the canvas speaks of this side."""
        if self.bar.property("current") != is_current:
            self.bar.setProperty("current", is_current)
            self.bar.style().unpolish(self.bar)
            self.bar.style().polish(self.bar)

    def focus(self) -> None:
        """Give the keyboard to what is shown."""
        if self.shown is not None:
            self.shown.page.document.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close what is clicked with the middle button; tell where a tab is dragged to."""
        if event.type() in {QEvent.Type.HoverMove, QEvent.Type.HoverEnter, QEvent.Type.HoverLeave}:
            self._show_crosses()
        if not isinstance(event, QMouseEvent):
            return super().eventFilter(watched, event)
        kind, at = event.type(), event.globalPosition().toPoint()
        if event.button() == Qt.MouseButton.MiddleButton and kind == QEvent.Type.MouseButtonRelease:
            document = self._document_at(event.position().toPoint())
            if document is not None:
                self.close_asked.emit(document)
            return True
        if kind == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
            document = self._document_at(event.position().toPoint())
            self._held = (document, at) if document is not None else None
        elif self._held is not None and kind == QEvent.Type.MouseMove:
            document, start = self._held
            if (at - start).manhattanLength() >= QApplication.startDragDistance():
                self.dragged.emit(document, at)
        elif self._held is not None and kind == QEvent.Type.MouseButtonRelease:
            document, start = self._held
            self._held = None
            if (at - start).manhattanLength() >= QApplication.startDragDistance():
                self.dropped.emit(document, at)
        return super().eventFilter(watched, event)

    def _cross(self, document: Document) -> "Cross":
        cross = Cross(self._look, document.title, self.bar)
        cross.clicked.connect(lambda: self.close_asked.emit(document))
        return cross

    def _show_crosses(self) -> None:
        """Show the cross of the chosen tab, and of the one below the pointer."""
        below = self.bar.tabAt(self.bar.mapFromGlobal(QCursor.pos())) if self.bar.underMouse() else -1
        for index in range(self.bar.count()):
            self.cross(index).show_mark(is_shown=index in {below, self.bar.currentIndex()})

    def _document_at(self, at: QPoint) -> Document | None:
        index = self.bar.tabAt(at)
        return self.documents[index] if 0 <= index < len(self.documents) else None

    def _ask_menu(self, at: QPoint) -> None:
        document = self._document_at(at)
        if document is not None:
            self.menu_asked.emit(document, self.bar.mapToGlobal(at))

    def _move(self, source: int, target: int) -> None:
        """Keep the documents in the order of their tabs, which a hand drags."""
        self.documents.insert(target, self.documents.pop(source))

    def _turn(self, _index: int) -> None:
        self._show_page()
        self.turned.emit(self)

    def _show_page(self) -> None:
        if self.shown is not None:
            self._stack.setCurrentWidget(self.shown.page)
        self._show_crosses()


class Cross(QToolButton):
    """Closes a tab: light, and drawn only where it is looked for; those who hear it always find it."""

    def __init__(self, look: Look, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._is_shown = look, False
        side = look.length("size.icon")
        self.setObjectName("tab_cross")
        self.setFixedSize(side, side)
        self.setIconSize(QSize(side, side) * SHARE)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Ctrl+W and the tab's menu close by the keyboard
        self.name(title)
        look.changed.connect(self._draw)

    def name(self, title: str) -> None:
        """Say what it closes."""
        words = self.tr("Close {title}").format(title=title)
        self.setToolTip(words)
        self.setAccessibleName(words)

    def show_mark(self, *, is_shown: bool) -> None:
        """Draw the cross, or only keep its place."""
        if is_shown != self._is_shown:
            self._is_shown = is_shown
            self._draw()

    @property
    def is_marked(self) -> bool:
        """Whether the cross is drawn."""
        return self._is_shown

    def _draw(self) -> None:
        self.setIcon(self._look.icon("close", "text.muted") if self._is_shown else QIcon())
