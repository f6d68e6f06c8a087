"""The bar over the canvas that finds words in the flow: Enter and F3 go on, Escape leaves."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from studio.app.documents.find_replace import Found, find_in
from studio.errors import StepwireError
from studio.flow.plain_text import quoted
from studio.flow.records import Flow
from studio.ui.layouts import row_layout
from studio.ui.look import Look
from studio.ui.panels.find.query_row import QueryRow
from studio.ui.panels.widgets.find_buttons import FindButtons
from studio.ui.theme.apply import mark
from studio.ui.viewmodels.words.found_words import place_words


class FindBar(QWidget):
    """Finds in one flow at a time; hidden until it is opened."""

    shown = Signal(object)
    """The hit that is to be shown."""
    found = Signal(object)
    """All hits, to be marked; none when the search is over."""
    left = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = Flow()
        self.hits: Sequence[Found] = ()
        self.at = -1
        self.setProperty("surface", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.row = QueryRow(look, self.tr("Find in the flow"), self)
        self.row.asked.connect(self._search)
        self.said = QLabel(self)
        self.said.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        buttons = FindButtons(look, self, keys=("Shift+F3", "F3"))
        buttons.went.connect(self.go)
        buttons.left.connect(self.leave)
        small = look.length("space.small")
        line = row_layout(self, (small, look.length("space.tight"), small, look.length("space.tight")), small)
        line.addWidget(self.row, 2)
        line.addWidget(self.said, 1)
        line.addWidget(buttons)
        self.hide()

    def open(self, flow: Flow) -> None:
        """Begin a search in a flow; the words of the last one are there, selected."""
        self.show()
        self.row.begin()
        self._flow = flow
        self._search()

    def follow(self, flow: Flow) -> None:
        """Search the flow as it is now, or another one; what is shown stays where it is."""
        if not self.isHidden() and flow is not self._flow:
            self._flow = flow
            self._find()

    def leave(self) -> None:
        """End the search."""
        self.hide()
        self.found.emit(())
        self.left.emit()

    def go(self, by: int) -> None:
        """Show the next hit, or the one before; around the end it goes on at the beginning."""
        if self.hits:
            self.at = (
                (self.at + by) % len(self.hits) if self.at >= 0 else (0 if by > 0 else len(self.hits) - 1)
            )
            self._say()
            self.shown.emit(self.hits[self.at])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes on, Shift+Enter back, Escape leaves."""
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.go(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def _search(self) -> None:
        self.at = -1
        self._find()

    def _find(self) -> None:
        try:
            self.hits = find_in(self._flow, self.row.query)
        except StepwireError as error:
            self.hits, self.at = (), -1
            self._tell(quoted(error.message), "failed")
            self.found.emit(())
            return
        self.at = min(self.at, len(self.hits) - 1)
        self.found.emit(self.hits)
        self._say()

    def _say(self) -> None:
        if not self.row.query.words:
            self._tell("", "muted")
        elif not self.hits:
            self._tell(self.tr("No results"), "muted")
        elif self.at < 0:
            self._tell(self.tr("{count} results").format(count=len(self.hits)), "muted")
        else:
            where = place_words(self._flow, self.hits[self.at])
            said = self.tr("{at} of {count}: {where}")
            self._tell(said.format(at=self.at + 1, count=len(self.hits), where=where), "muted")

    def _tell(self, text: str, tone: str) -> None:
        self.said.setText(text)
        self.said.setToolTip(text)
        mark(self.said, tone=tone)
