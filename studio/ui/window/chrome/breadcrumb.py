"""The way from a flow to the flow that it calls: who called whom, to click back."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from studio.flow.records import title_of
from studio.ids import NodeId
from studio.ui.labels import text_label
from studio.ui.look import Look
from studio.ui.window.roles import HasDocuments, HasFront, HasLook

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow
    from studio.ui.window.tabs.flow_tabs import FlowTabs


@dataclass(frozen=True, slots=True)
class Caller:
    """From where a flow was opened: the flow's file and name, and the node that calls."""

    path: Path
    name: str
    node: NodeId | None
    title: str


class Breadcrumb(QWidget):
    """Shows callers, outermost first, and the flow in front; hidden where nobody called it."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setProperty("surface", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Path to this flow"))
        self.crumbs: list[QToolButton] = []
        self.here = QLabel(self)
        self._row = QHBoxLayout(self)
        small = look.length("space.small")
        self._row.setContentsMargins(look.length("space.normal"), 0, small, 0)
        self._row.setSpacing(look.length("space.tight"))
        self.hide()

    def show_way(self, callers: list[Caller], name: str) -> list[QToolButton]:
        """Show the way; gives a button for each caller."""
        while (item := self._row.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None and widget is not self.here:
                widget.hide()
                widget.deleteLater()
        self.crumbs = [self._crumb(one) for one in callers]
        for crumb in self.crumbs:
            self._row.addWidget(crumb)
            arrow = text_label("→", self, tone="muted")
            self._row.addWidget(arrow)
        self.here.setText(name)
        self._row.addWidget(self.here)
        self._row.addStretch(1)
        self.setVisible(bool(callers))
        return self.crumbs

    def _crumb(self, caller: Caller) -> QToolButton:
        button = QToolButton(self)
        button.setText(caller.name)
        button.setProperty("plain", True)
        tip = self.tr("Back to “{title}” in {name}").format(
            title=caller.title or caller.name, name=caller.name
        )
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        return button


class Window(HasFront, HasDocuments, HasLook, Protocol):
    """What this asks of the window."""


class Trails(QObject):
    """Remembers for each open flow by which call it was opened last."""

    def __init__(self, window: Window, tabs: "FlowTabs", parent: QWidget) -> None:
        super().__init__(parent)
        self._window = window
        self._callers: dict[Path, Caller] = {}
        self.breadcrumb = Breadcrumb(window.look, tabs)
        tabs.put_above(self.breadcrumb)
        tabs.turned.connect(self.refresh)

    def open_called(self, flow: "OpenFlow", path: Path) -> None:
        """Open the flow that a node calls, and keep the way back."""
        session = flow.work.session
        node = session.selection.now.only_node
        title = title_of(session.flow, node) if node is not None else ""
        name = session.title
        target = path.resolve()
        if target != session.path:
            self._callers[target] = Caller(session.path, name, node, title)
        self._window.documents.open(path)
        self.refresh()

    def can_go_back(self) -> bool:
        """Whether the flow in front was opened by a call."""
        session = self._window.session
        return session is not None and session.path in self._callers

    def go_back(self) -> None:
        """Show the node that calls the flow in front."""
        session = self._window.session
        caller = self._callers.get(session.path) if session is not None else None
        if caller is not None:
            self._show(caller)

    def way(self, path: Path) -> list[Caller]:
        """The callers of a flow, outermost first; each flow once."""
        found: list[Caller] = []
        seen = {path}
        while (caller := self._callers.get(path)) is not None and caller.path not in seen:
            found.insert(0, caller)
            path = caller.path
            seen.add(path)
        return found

    def refresh(self, _flow: object = None) -> None:
        """Show the way to the flow in front."""
        session = self._window.session
        if session is None:
            self.breadcrumb.show_way([], "")
            return
        way = self.way(session.path)
        crumbs = self.breadcrumb.show_way(way, session.title)
        for crumb, caller in zip(crumbs, way, strict=True):
            crumb.clicked.connect(lambda _=False, caller=caller: self._show(caller))

    def _show(self, caller: Caller) -> None:
        self._window.documents.open(caller.path)
        front = self._window.front
        if front is not None and front.work.session.path == caller.path and caller.node is not None:
            front.work.show_node(caller.node)
