"""The open documents: a tab for each flow, and for its script and comparison where they are open."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QVBoxLayout, QWidget

from studio.app.session import Session
from studio.ui.look import Look
from studio.ui.slots import of_number

if TYPE_CHECKING:
    from studio.ui.window.tabs import OpenFlow

DocumentKind = Literal["flow", "script", "comparison"]


@dataclass(frozen=True, slots=True)
class Document:
    """What one tab shows: a flow on its canvas, or in the canvas's place something of it."""

    flow: "OpenFlow"
    kind: DocumentKind = "flow"


class FlowTabs(QWidget):
    """Shows one document at a time."""

    turned = Signal(object)
    """The flow that came to the front, or of which a document did; None when the last one went."""
    close_asked = Signal(object)
    """A flow is to be closed."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.documents: list[Document] = []
        self.bar = QTabBar(self)
        self.bar.setObjectName("flow_tabs")
        self.bar.setTabsClosable(True)
        self.bar.setExpanding(False)
        self.bar.setDrawBase(False)
        self.bar.setMovable(True)
        self.bar.tabMoved.connect(self._move)
        self.bar.installEventFilter(self)
        self.bar.setAccessibleName(self.tr("Open flows"))
        self.bar.currentChanged.connect(self._turn)
        self.bar.tabCloseRequested.connect(of_number(self._ask_close))
        self._stack = QStackedWidget(self)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self._rows.addWidget(self.bar)
        self._rows.addWidget(self._stack, 1)

    def put_above(self, widget: QWidget) -> None:
        """Put a widget between the tabs and the canvas."""
        self._rows.insertWidget(self._rows.count() - 1, widget)

    @property
    def flows(self) -> "list[OpenFlow]":
        """The open flows, in the order of their tabs."""
        return [one.flow for one in self.documents if one.kind == "flow"]

    @property
    def shown(self) -> Document | None:
        """What is shown."""
        index = self.bar.currentIndex()
        return self.documents[index] if 0 <= index < len(self.documents) else None

    @property
    def front(self) -> "OpenFlow | None":
        """The flow that is shown, or of which a document is."""
        return self.shown.flow if self.shown is not None else None

    def flow_of(self, session: Session) -> "OpenFlow | None":
        """The widgets of an open flow."""
        return next((flow for flow in self.flows if flow.work.session is session), None)

    def show_flow(self, flow: "OpenFlow") -> None:
        """Bring a flow to the front, on its canvas."""
        if flow not in self.flows:
            self._stack.addWidget(flow.page)
        self._show(Document(flow))
        flow.work.canvas.setFocus()

    def show_document(self, flow: "OpenFlow", kind: DocumentKind) -> None:
        """Show a document of an open flow in its canvas's place."""
        self._show(Document(flow, kind))
        flow.page.focus_document()

    def add_document(self, flow: "OpenFlow", kind: DocumentKind) -> None:
        """Open a document of a flow behind what is shown."""
        self._add(Document(flow, kind))

    def close_document(self, flow: "OpenFlow", kind: DocumentKind) -> None:
        """Take a document away; where it was shown, its flow's canvas is."""
        document = Document(flow, kind)
        if document not in self.documents:
            return
        if document == self.shown:
            self.show_flow(flow)
        self._remove(document)
        self.turned.emit(self.front)

    def rename(self, flow: "OpenFlow") -> None:
        """Write on a flow's tabs how it is called now, and whether it was changed since it was saved."""
        for index, document in enumerate(self.documents):
            title = self._title(document)
            if document.flow is flow and self.bar.tabText(index) != title:
                self.bar.setTabText(index, title)
                self.bar.setTabToolTip(index, str(flow.work.session.path))

    def remove(self, flow: "OpenFlow") -> None:
        """Take a flow out with its documents; its widgets are its own to close."""
        for document in [one for one in self.documents if one.flow is flow]:
            self._remove(document)
        self._stack.removeWidget(flow.page)
        self._turn(self.bar.currentIndex())
        if self.front is not None:
            self.front.page.focus_document()

    def step(self, by: int) -> None:
        """Bring the next document to the front, or the one before; around the end."""
        if self.documents:
            self._show(self.documents[(self.bar.currentIndex() + by) % len(self.documents)])
            if self.front is not None:
                self.front.page.focus_document()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close what the tab shows that is clicked with the middle button."""
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.MiddleButton
        ):
            index = self.bar.tabAt(event.position().toPoint())
            if 0 <= index < len(self.documents):
                self._ask_close(index)
            return True
        return super().eventFilter(watched, event)

    def _ask_close(self, index: int) -> None:
        document = self.documents[index]
        if document.kind == "flow":
            self.close_asked.emit(document.flow)
        else:
            self.close_document(document.flow, document.kind)

    def _title(self, document: Document) -> str:
        session = document.flow.work.session
        name = session.title
        if document.kind == "script":
            return self.tr("Script: {name}").format(name=name)
        if document.kind == "comparison":
            return self.tr("Compare: {name}").format(name=name)
        return f"{name} •" if session.is_modified else name

    def _show(self, document: Document) -> None:
        self._add(document)
        index = self.documents.index(document)
        self.bar.setCurrentIndex(index)
        self._turn(index)

    def _add(self, document: Document) -> None:
        """Put a new document's tab after the others of its flow."""
        if document in self.documents:
            return
        mates = [row for row, one in enumerate(self.documents) if one.flow is document.flow]
        index = mates[-1] + 1 if mates else len(self.documents)
        self.bar.blockSignals(True)
        self.documents.insert(index, document)
        self.bar.insertTab(index, self._title(document))
        self.bar.setTabToolTip(index, str(document.flow.work.session.path))
        self.bar.blockSignals(False)
        self.bar.setVisible(len(self.documents) > 1)

    def _remove(self, document: Document) -> None:
        index = self.documents.index(document)
        self.bar.blockSignals(True)
        self.documents.pop(index)
        self.bar.removeTab(index)
        self.bar.blockSignals(False)
        self.bar.setVisible(len(self.documents) > 1)

    def _move(self, source: int, target: int) -> None:
        """Keep the documents in the order of their tabs, which a hand drags."""
        self.documents.insert(target, self.documents.pop(source))

    def _turn(self, index: int) -> None:
        if 0 <= index < len(self.documents):
            document = self.documents[index]
            document.flow.page.show_document(document.kind)
            self._stack.setCurrentWidget(document.flow.page)
        self.turned.emit(self.front)
