"""The open documents: a tab for each flow, its script and its comparison, on one side or on two."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QApplication, QRubberBand, QSplitter, QTabBar, QWidget

from studio.app.documents.session import Session
from studio.ui.later import later
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.window.flow_pages import DocumentKind
from studio.ui.window.tabs.tab_side import Document, TabSide

if TYPE_CHECKING:
    from studio.ui.window.open_flow import OpenFlow


class FlowTabs(QWidget):
    """Shows one document, or two beside one another, of which one is in front: the window speaks of that one.

    Each side has tabs of its own. The one in front is where the keyboard, or a click, was last.
    """

    turned = Signal(object)
    """The flow that came to the front, or of which a document did; None when the last one went."""
    close_asked = Signal(object)
    """A flow is to be closed."""
    menu_asked = Signal(QPoint)
    """The menu of what is in front, at this point of the screen."""
    share_changed = Signal()
    """A hand has moved the line between both sides."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.splitterMoved.connect(lambda: self.share_changed.emit())  # noqa: PLW0108
        self._sides = [self._new_side(), self._new_side()]
        """From left to right; without a split, the right one is empty and hidden."""
        self._sides[1].hide()
        self._side = self._sides[0]
        self._seen: Document | None = None
        """What was in front when all was last shown to be so."""
        self._is_changing = False
        self._above = QWidget(self)
        self._above.setMinimumWidth(1)  # half a canvas is not made wider for it
        self._strips = column_layout(self._above, 0, 0)
        self._target: QRubberBand | None = None
        self._rows = column_layout(self, 0, 0)
        self._rows.addWidget(self._splitter, 1)
        self._side.put_above(self._above)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._follow_focus)

    def _new_side(self) -> TabSide:
        side = TabSide(self._look, self)
        side.turned.connect(self._come)
        side.close_asked.connect(self._ask_close)
        side.menu_asked.connect(self._ask_menu)
        side.dragged.connect(self._show_target)
        side.dropped.connect(self._drop)
        self._splitter.addWidget(side)
        return side

    def put_above(self, widget: QWidget) -> None:
        """Put a widget, which speaks of the flow in front, between its tabs and its canvas."""
        self._strips.addWidget(widget)

    def put_over(self, widget: QWidget) -> None:
        """Put a widget above both sides."""
        self._rows.insertWidget(self._rows.count() - 1, widget)

    # ---------------------------------------------------------------- what is there

    @property
    def sides(self) -> Sequence[TabSide]:
        """The sides that have documents, from left to right."""
        return [side for side in self._sides if side.documents]

    @property
    def bar(self) -> QTabBar:
        """The tabs of the side in front."""
        return self._side.bar

    @property
    def documents(self) -> list[Document]:
        """The open documents, in the order of their tabs."""
        return [document for side in self._sides for document in side.documents]

    @property
    def flows(self) -> "list[OpenFlow]":
        """The open flows, in the order of their tabs."""
        return [one.flow for one in self.documents if one.kind == "flow"]

    @property
    def shown(self) -> Document | None:
        """What is shown on the side in front."""
        return self._side.shown

    @property
    def front(self) -> "OpenFlow | None":
        """The flow that is in front, or of which a document is."""
        return self.shown.flow if self.shown is not None else None

    def flow_of(self, session: Session) -> "OpenFlow | None":
        """The widgets of an open flow."""
        return next((flow for flow in self.flows if flow.work.session is session), None)

    # ---------------------------------------------------------------- one document and another

    def show_flow(self, flow: "OpenFlow") -> None:
        """Bring a flow to the front, on its canvas."""
        self._show(Document(flow))

    def show_document(self, flow: "OpenFlow", kind: DocumentKind) -> None:
        """Show a document of an open flow, in its canvas's place where it is not open on the other side."""
        self._show(Document(flow, kind))

    def add_document(self, flow: "OpenFlow", kind: DocumentKind) -> None:
        """Open a document of a flow behind what is shown."""
        self._add(Document(flow, kind))
        self._settle()

    def close_document(self, flow: "OpenFlow", kind: DocumentKind) -> None:
        """Take a document away; where it was in front, its flow's canvas is."""
        document = Document(flow, kind)
        if document not in self.documents:
            return
        was_in_front = document == self.shown
        with self._changing():
            self._side_of(document).take(document)
        if was_in_front:
            self.show_flow(flow)
        else:
            self._settle()
            self.turned.emit(self.front)

    def rename(self, flow: "OpenFlow") -> None:
        """Write on a flow's tabs how it is called now, and whether it was changed since it was saved."""
        for side in self._sides:
            for document in side.documents:
                if document.flow is flow:
                    side.rename(document)

    def remove(self, flow: "OpenFlow") -> None:
        """Take a flow out with its documents; its widgets are its own to close."""
        with self._changing():
            for document in [one for one in self.documents if one.flow is flow]:
                self._side_of(document).take(document)
            self._settle()
        self.turned.emit(self.front)
        self._side.focus()

    def step(self, by: int) -> None:
        """Bring the next document to the front, or the one before, of both sides; around the end."""
        documents = self.documents
        if self.shown is not None:
            self._show(documents[(documents.index(self.shown) + by) % len(documents)])

    # ---------------------------------------------------------------- one side and the other

    @property
    def is_split(self) -> bool:
        """Whether two documents are shown beside one another."""
        return bool(self._sides[1].documents)

    @property
    def share(self) -> float:
        """The part of the width that the left side has."""
        left, right = self._splitter.sizes()
        return left / (left + right) if self.is_split and left + right else 0.5

    @share.setter
    def share(self, share: float) -> None:
        self._splitter.setSizes([round(share * 1000), round((1 - share) * 1000)])

    def can_show_beside(self) -> bool:
        """Whether what is in front can have a side of its own: something else is left to stand beside it."""
        return not self.is_split and len(self.documents) > 1

    def turn_side(self) -> None:
        """Put what is in front on the other side; without a split, on a side of its own at the right."""
        document = self.shown
        if document is not None and len(self.documents) > 1:
            self._put(document, self._other)
            self._show(document)

    def show_beside(self, flow: "OpenFlow", kind: DocumentKind) -> None:
        """Show a document of a flow on the other side than its canvas."""
        document = Document(flow, kind)
        if document in self.documents:
            self._side_of(document).take(document)
        canvas = self._side_of(Document(flow))
        other = next(side for side in self._sides if side is not canvas)
        self._put(document, other)
        canvas.show_document(Document(flow))
        self._show(document)

    def close_split(self) -> None:
        """Put all documents on one side."""
        shown = self.shown
        for document in tuple(self._sides[1].documents):
            self._put(document, self._sides[0])
        if shown is not None:
            self._show(shown)

    def go_to_other_side(self) -> None:
        """Give the keyboard to what is shown on the other side."""
        if self.is_split and self._other.shown is not None:
            self._show(self._other.shown)

    def put_back(self, rows: Sequence[tuple[Document, int, bool]], front: Document | None) -> None:
        """Put documents on the side, left (0) or right (1), on which each stood, in their order.

        The flag says what was shown on its side, `front` what was in front.
        """
        with self._changing():
            for document, side, _ in rows:
                self._put(document, self._sides[side])
            self._fill_left()
            for document, _, was_shown in rows:
                if was_shown:
                    self._side_of(document).show_document(document)
        if front is not None:
            self._show(front)
        else:
            self._settle()

    @property
    def _other(self) -> TabSide:
        return next(side for side in self._sides if side is not self._side)

    def _side_of(self, document: Document) -> TabSide:
        return next((side for side in self._sides if document in side.documents), self._side)

    def _put(self, document: Document, side: TabSide) -> None:
        """Put a document last on a side, wherever it stood."""
        with self._changing():
            before = self._side_of(document)
            if document in before.documents:
                before.take(document)
            side.insert(len(side.documents), document)

    # ---------------------------------------------------------------- what follows

    def _show(self, document: Document) -> None:
        with self._changing():
            self._add(document)
            self._side = self._side_of(document)
            self._side.show_document(document)
            self._settle()
        self.turned.emit(self.front)
        document.page.document.setFocus()

    def _add(self, document: Document) -> None:
        """Put a new document's tab after the others of its flow; a new flow's on the side in front."""
        if document in self.documents:
            return
        of_flow = [one for one in self._sides if any(mate.flow is document.flow for mate in one.documents)]
        side = self._side if self._side in of_flow or not of_flow else of_flow[0]
        mates = [row for row, one in enumerate(side.documents) if one.flow is document.flow]
        side.insert(mates[-1] + 1 if mates else len(side.documents), document)

    def _settle(self) -> None:
        """Close a side that is empty; show which one is in front, and what is to be said where it is seen."""
        if not self._side.documents:
            self._side = self._other
        self._fill_left()
        self._seen = self.shown
        is_new = self._sides[1].isHidden() and self.is_split
        self._sides[0].show()
        self._sides[1].setVisible(self.is_split)
        if is_new:
            self.share = 0.5
        for side in self._sides:
            side.mark(is_current=side is self._side or not self.is_split)
            side.bar.setVisible(self.is_split or len(side.documents) > 1)
        for flow in self.flows:
            seen = [side.shown.kind for side in self._sides if side.shown and side.shown.flow is flow]
            if seen:
                flow.pages.say_on("flow" if "flow" in seen else seen[0])
        if not self._side.isAncestorOf(self._above):
            self._side.put_above(self._above)

    def _fill_left(self) -> None:
        """Have the side at the left that has documents, where only one has."""
        if not self._sides[0].documents and self.is_split:
            self._sides.reverse()
            self._splitter.insertWidget(0, self._sides[0])

    def _come(self, side: TabSide) -> None:
        """Bring a side to the front, in which a tab was chosen."""
        if side is self._side and side.shown == self._seen:
            return
        with self._changing():
            self._side = side
            self._settle()
        self.turned.emit(self.front)
        side.focus()

    @contextmanager
    def _changing(self) -> Generator[None]:
        """Let the keyboard be where Qt puts it as pages come and go: it follows when all stands."""
        was_changing, self._is_changing = self._is_changing, True
        try:
            yield
        finally:
            self._is_changing = was_changing

    def _follow_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        """Bring the side to the front that has the keyboard, unless it came there only as its place went."""
        if self._is_changing or now is None or not self._other.isAncestorOf(now):
            return
        if before is not None and not before.isVisible():
            later(self, self._side.focus)
            return
        with self._changing():
            self._side = self._other
            self._settle()
        self.turned.emit(self.front)

    # ---------------------------------------------------------------- tabs under the hand

    def _ask_close(self, document: Document) -> None:
        if document.kind == "flow":
            self.close_asked.emit(document.flow)
        else:
            self.close_document(document.flow, document.kind)

    def _ask_menu(self, document: Document, at: QPoint) -> None:
        self._show(document)
        self.menu_asked.emit(at)

    def _side_at(self, document: Document, at: QPoint) -> TabSide | None:
        """The side to which a tab would go that is let go here; None where it would stay."""
        place = self._splitter.rect()
        here = self._splitter.mapFromGlobal(at)
        if not place.contains(here) or len(self.documents) < 2:
            return None
        mine = self._side_of(document)
        if self.is_split:
            found = self._sides[here.x() >= self._sides[1].x()]
            return found if found is not mine else None
        is_below = here.y() > mine.bar.height()
        return self._sides[1] if is_below and here.x() > place.width() / 2 else None

    def _show_target(self, document: Document, at: QPoint) -> None:
        side = self._side_at(document, at)
        if side is None:
            if self._target is not None:
                self._target.hide()
            return
        if self._target is None:
            self._target = QRubberBand(QRubberBand.Shape.Rectangle, self)
        place = self._splitter.geometry()
        half = QRect(place.x() + place.width() // 2, place.y(), place.width() // 2, place.height())
        self._target.setGeometry(side.geometry().translated(place.topLeft()) if self.is_split else half)
        self._target.show()

    def _drop(self, document: Document, at: QPoint) -> None:
        side = self._side_at(document, at)
        if self._target is not None:
            self._target.hide()
        if side is not None:
            later(self, lambda: self._move(document, side))  # the tab's own drag ends first

    def _move(self, document: Document, side: TabSide) -> None:
        if document in self.documents:
            self._put(document, side)
            self._show(document)
