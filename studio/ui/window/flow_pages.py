"""The pages of an open flow, one for its canvas and each document; above one of them what is to be said."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, get_args

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QMoveEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from studio.ui.layouts import column_layout

if TYPE_CHECKING:
    from studio.ui.canvas.view import CanvasView

DocumentKind = Literal["flow", "script", "comparison", "experiments"]
"""What a page shows: the flow on its canvas, or in the canvas's place something of it."""

CANVAS = "flow"
"""The kind of the page with the canvas."""


class DocumentPage(QWidget):
    """One document, with room above it; a click anywhere on it gives it the keyboard."""

    document: QWidget

    def __init__(self, parent: QWidget) -> None:
        """Make a page without its document; one that no side has goes with its `parent`, unseen."""
        super().__init__(parent)
        self.hide()
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._rows = column_layout(self, 0, 0)

    def hold(self, document: QWidget) -> None:
        """Take a document in, of which this is the parent already, or it would be styled twice."""
        self.document = document
        self.setFocusProxy(document)
        self._rows.addWidget(document, 1)

    def put_above(self, strip: QWidget) -> None:
        """Take a strip in above the document, below those that are there."""
        self._rows.insertWidget(self._rows.count() - 1, strip)


class CanvasPage(DocumentPage):
    """The canvas: under the pointer, nothing that is drawn moves for what comes above or beside it."""

    _canvas: "CanvasView"

    def hold_canvas(self, canvas: "CanvasView") -> None:
        """Take the canvas in."""
        self._canvas = canvas
        self.hold(canvas)

    def showEvent(self, event: QShowEvent) -> None:
        """Watch all that the canvas moves with in its window."""
        super().showEvent(event)
        moving: QWidget | None = self._canvas
        while moving is not None and not moving.isWindow():
            moving.installEventFilter(self)
            moving = moving.parentWidget()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave what is drawn where it is on the screen as the canvas moves in its window."""
        if isinstance(event, QMoveEvent) and self._moves_with(watched) and self._canvas.underMouse():
            by = event.oldPos() - event.pos()
            self._canvas.looking.slide(by.x(), by.y())
        return super().eventFilter(watched, event)

    def _moves_with(self, watched: QObject) -> bool:
        """Whether the canvas is seen, and stands in this widget: pages go from side to side."""
        stands = isinstance(watched, QWidget) and (
            watched is self._canvas or watched.isAncestorOf(self._canvas)
        )
        return stands and self._canvas.isVisible()


class FlowPages:
    """All pages of a flow by the kind of their document; they stand on either side of a split."""

    def __init__(self, parent: QWidget) -> None:
        """Make an empty page for each kind of document."""
        self._above: tuple[QWidget, ...] = ()
        self._said_on = ""
        self.canvas = CanvasPage(parent)
        others = (kind for kind in get_args(DocumentKind) if kind != CANVAS)
        self._pages: dict[str, DocumentPage] = {CANVAS: self.canvas} | {
            kind: DocumentPage(parent) for kind in others
        }

    def fill(self, canvas: "CanvasView", documents: Mapping[str, QWidget], *above: QWidget) -> None:
        """Give each page its document; `above` is what is to be said of the flow."""
        self._above = above
        for kind, document in documents.items():
            document.setMinimumSize(canvas.minimumSize())  # what is hidden makes no window wider
            self._pages[kind].hold(document)
        self.canvas.hold_canvas(canvas)
        self.say_on(CANVAS)

    @property
    def places(self) -> Mapping[str, QWidget]:
        """Where the documents belong, by their kinds."""
        return self._pages

    def __getitem__(self, kind: str) -> DocumentPage:
        return self._pages[kind]

    def say_on(self, kind: str) -> None:
        """Say above this document what is to be said of the flow."""
        if kind != self._said_on:
            self._said_on = kind
            for strip in self._above:
                was_hidden = strip.isHidden()
                self._pages[kind].put_above(strip)
                strip.setHidden(was_hidden)

    def close(self) -> None:
        """Let the pages go."""
        for page in self._pages.values():
            page.deleteLater()
