"""The left part of the debugger: the breakpoints of the flow, and what is done to them."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QToolButton, QVBoxLayout, QWidget

from studio.app.debugger import Debugger
from studio.app.session import Session
from studio.ui.look import Look
from studio.ui.panels.debugger.breakpoints import BreakpointList
from studio.ui.panels.empty import EmptyState
from studio.ui.panels.section import Section


class BreakpointPart(QWidget):
    """Has a head of its own; `chosen` tells the node to show."""

    chosen = Signal(str)

    def __init__(
        self, look: Look, session: Session, debugger: Debugger, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._session = look, session
        self.list = BreakpointList(look, debugger.breakpoints, self)
        self.list.chosen.connect(self.chosen)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(
            EmptyState(
                look,
                "breakpoint",
                self.tr("No breakpoints"),
                self.tr("Select a node and press F9 to hold the run before it."),
                self,
            )
        )
        self._stack.addWidget(self.list)
        remove = self._button("remove", self.tr("Remove the chosen breakpoint (Delete)"))
        remove.clicked.connect(self.list.remove_current)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(Section(look, self.tr("Breakpoints"), self._stack, remove, parent=self))
        self._end = debugger.breakpoints.on_change(self.refresh)
        self.refresh()

    def close_session(self) -> None:
        """Stop listening; the part is not used afterwards."""
        self._end()

    def refresh(self) -> None:
        """Read breakpoints and the titles of nodes again."""
        self.list.show_flow(self._session.flow, self._session.called_flows())
        self._stack.setCurrentIndex(1 if self.list.count() else 0)

    def showEvent(self, event: QShowEvent) -> None:
        """Breakpoints of called flows are also set where those are open."""
        super().showEvent(event)
        self.refresh()

    def _button(self, icon: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("plain", True)
        button.setToolTip(tip)
        button.setAccessibleName(tip)

        def draw() -> None:
            button.setIcon(self._look.icon(icon, "text.muted"))

        self._look.changed.connect(draw)
        draw()
        return button
