"""The open flows: a tab for each where there are several, and the canvas of the one in front."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QVBoxLayout, QWidget

from studio.app.session import Session
from studio.ui.look import Look
from studio.ui.slots import of_number

if TYPE_CHECKING:
    from studio.ui.window.tabs import OpenFlow


class FlowTabs(QWidget):
    """Shows one open flow at a time."""

    turned = Signal(object)
    """The flow that came to the front; None when the last one went."""
    close_asked = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.flows: list[OpenFlow] = []
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
        self.bar.tabCloseRequested.connect(of_number(lambda index: self.close_asked.emit(self.flows[index])))
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
    def front(self) -> "OpenFlow | None":
        """The flow that is shown."""
        index = self.bar.currentIndex()
        return self.flows[index] if 0 <= index < len(self.flows) else None

    def flow_of(self, session: Session) -> "OpenFlow | None":
        """The widgets of an open flow."""
        return next((flow for flow in self.flows if flow.work.session is session), None)

    def show_flow(self, flow: "OpenFlow") -> None:
        """Bring a flow to the front."""
        if flow not in self.flows:
            self.flows.append(flow)
            self._stack.addWidget(flow.page)
            self.bar.blockSignals(True)
            self.bar.addTab(flow.work.session.flow.name)
            self.bar.blockSignals(False)
            self.bar.setVisible(len(self.flows) > 1)
        index = self.flows.index(flow)
        self.bar.setCurrentIndex(index)
        self._turn(index)
        flow.work.canvas.setFocus()

    def rename(self, flow: "OpenFlow") -> None:
        """Write on a flow's tab how it is called now, and whether it was changed since it was saved."""
        session = flow.work.session
        name = session.flow.name or session.path.stem
        title = f"{name} •" if session.is_modified else name
        index = self.flows.index(flow)
        if self.bar.tabText(index) != title:
            self.bar.setTabText(index, title)
            self.bar.setTabToolTip(index, str(session.path))

    def remove(self, flow: "OpenFlow") -> None:
        """Take a flow out; its widgets are its own to close."""
        index = self.flows.index(flow)
        self.flows.pop(index)
        self._stack.removeWidget(flow.page)
        self.bar.blockSignals(True)
        self.bar.removeTab(index)
        self.bar.blockSignals(False)
        self.bar.setVisible(len(self.flows) > 1)
        self._turn(self.bar.currentIndex())
        if self.front is not None:
            self.front.work.canvas.setFocus()

    def step(self, by: int) -> None:
        """Bring the next flow to the front, or the one before; around the end."""
        if self.flows:
            self.show_flow(self.flows[(self.bar.currentIndex() + by) % len(self.flows)])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close the flow whose tab is clicked with the middle button."""
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.MiddleButton
        ):
            index = self.bar.tabAt(event.position().toPoint())
            if 0 <= index < len(self.flows):
                self.close_asked.emit(self.flows[index])
            return True
        return super().eventFilter(watched, event)

    def _move(self, source: int, target: int) -> None:
        """Keep the flows in the order of their tabs, which a hand drags."""
        self.flows.insert(target, self.flows.pop(source))

    def _turn(self, index: int) -> None:
        if 0 <= index < len(self.flows):
            self._stack.setCurrentWidget(self.flows[index].page)
        self.turned.emit(self.front)
