"""Finding in the flow in front, and finding and replacing in all flows of its project."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from studio.app.documents.find_replace import Found, Query, find_in_project, replace_in_project
from studio.app.documents.session import Session
from studio.errors import StepwireError
from studio.flow.records import Flow
from studio.ids import NodeId
from studio.ui.panels.find.bar import FindBar
from studio.ui.panels.find.panel import ProjectFindPanel
from studio.ui.window.docks.docks import Docks
from studio.ui.window.project.closed_flows import borrowing
from studio.ui.window.roles import HasApp, HasDocuments, HasFront, HasLook

if TYPE_CHECKING:
    from studio.ui.canvas.view import CanvasView
    from studio.ui.panels.find.marks import FoundMarks
    from studio.ui.window.open_flow import OpenFlow
    from studio.ui.window.tabs.flow_tabs import FlowTabs


class Window(HasApp, HasFront, HasDocuments, HasLook, Protocol):
    """What this asks of the window."""

    @property
    def docks(self) -> Docks:
        """The places around the canvas."""
        ...


class FindReplace(QObject):
    """Joins the bar over the canvas and the panel with the flows of a window."""

    def __init__(self, window: Window, tabs: "FlowTabs", parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._parent = window, parent
        self.bar = FindBar(window.look, tabs)
        tabs.put_above(self.bar)
        self.bar.shown.connect(self._show)
        self.bar.found.connect(self._mark)
        self.bar.left.connect(self._focus_canvas)
        self.panel = ProjectFindPanel(window.look, parent)
        window.docks["find"].pages.addWidget(self.panel)
        self.panel.asked.connect(self._search_project)
        self.panel.chosen.connect(self._open)
        self.panel.replace_asked.connect(self._replace)
        self.marks: FoundMarks | None = None
        """What lies over the canvas in front, once something was found there."""
        tabs.turned.connect(self.follow)

    def open(self) -> None:
        """Find in the flow in front; in its script, where the keyboard is in that."""
        front = self._window.front
        if front is None:
            return
        if front.work.script.isAncestorOf(QApplication.focusWidget() or self._parent):
            front.work.script.find_bar.open()
        else:
            self.bar.open(front.work.session.flow)

    def open_project(self) -> None:
        """Find in the project of the flow in front."""
        self._window.docks["find"].bring_up()
        self.panel.row.begin(self.bar.row.field.text() if not self.bar.isHidden() else "")
        if self.panel.row.query.words:
            self.panel.search()

    def go(self, by: int) -> None:
        """Show the next hit in the flow, or the one before; with no search, begin one."""
        if self.bar.isHidden():
            self.open()
        self.bar.go(by)

    def follow(self, _flow: "OpenFlow | None" = None) -> None:
        """Search what is in front now, as it is edited."""
        session = self._window.session
        if session is not None:
            self.bar.follow(session.flow)

    def _show(self, hit: Found) -> None:
        front = self._window.front
        if front is not None:
            self._show_in(front, hit)

    def _show_in(self, front: "OpenFlow", hit: Found) -> None:
        place, work = hit.place, front.work
        if place.owner == "node":
            work.show_node(NodeId(place.name))
            return
        layout = work.session.flow.layout
        box = {"frame": layout.frames, "note": layout.notes}.get(place.owner, {}).get(place.name)
        if box is not None:
            is_frame = place.owner == "frame"
            work.session.selection.select(
                frames=[place.name] if is_frame else (), notes=() if is_frame else [place.name]
            )
            work.canvas.looking.centre(box.x + box.width / 2, box.y + box.height / 2)

    def _mark(self, hits: Sequence[Found]) -> None:
        canvas = self._window.front.work.canvas if self._window.front is not None else None
        nodes = {NodeId(hit.place.name) for hit in hits if hit.place.owner == "node"}
        marks = self.marks if self.marks is not None and isValid(self.marks) else None
        if marks is not None and marks.parentWidget() is not canvas:
            marks.deleteLater()
            marks = None
        if marks is None and canvas is not None and nodes:
            marks = self._marks_over(canvas)
        if marks is not None:
            marks.show_nodes(nodes)

    def _marks_over(self, canvas: "CanvasView") -> "FoundMarks":
        from studio.ui.panels.find.marks import FoundMarks

        self.marks = FoundMarks(canvas)
        return self.marks

    def _focus_canvas(self) -> None:
        if self._window.front is not None:
            self._window.front.work.canvas.setFocus()

    def _search_project(self, query: Query) -> None:
        session = self._window.session
        if session is None:
            return
        session.look_at_called_flows()
        try:
            found = find_in_project(session, query)
        except StepwireError as error:
            self.panel.show_found((), {}, error.message)
            return
        flows = {one.path: self._flow_of(session, one.path, one.name) for one in found}
        self.panel.show_found(found, flows)

    @staticmethod
    def _flow_of(session: Session, path: Path, name: str) -> Flow:
        return session.flow if path == session.path else session.registry.flows.flow(name)

    def _open(self, path: Path, hit: Found) -> None:
        self._window.documents.open(path)
        front = self._window.front
        if front is not None and front.work.session.path == path:
            self._show_in(front, hit)

    def _replace(self, hits: Mapping[Path, Sequence[Found]], query: Query, words: str) -> None:
        app = self._window.app
        done = replace_in_project(hits, query, words, borrowing(app), app.close_session)
        session = self._window.session
        if session is not None:
            session.look_at_called_flows()
        self.panel.search()
        said = self.tr("Replaced {places} matches in {flows}. Each of these flows can undo it.")
        told = said.format(places=done.places, flows=", ".join(done.flows)) if done.flows else ""
        self.panel.say(" ".join((told, *done.refused)).strip())
