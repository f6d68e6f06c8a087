"""The gallery on the welcome page: a button for each mechanism that systems show."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from studio.app.gallery.systems import all_entries
from studio.errors import StepwireError
from studio.flow.plain_text import quoted
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.button_rows import Wrapping
from studio.ui.viewmodels.help.gallery_cards import cards_of, mechanism_title, mechanisms_shown


class GalleryStrip(QWidget):
    """Says what the gallery is, and leads there; `chosen` tells the mechanism, empty for all."""

    chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: list[QPushButton] = []
        self._said = text_label("", self, tone="muted", wraps=True)
        self._places = Wrapping(spacing=look.length("space.small"))
        rows = column_layout(self, 0, look.length("space.normal"))
        rows.addWidget(self._said)
        rows.addLayout(self._places)

    def showEvent(self, event: QShowEvent) -> None:
        """Read the gallery when it is first looked at."""
        super().showEvent(event)
        if self.buttons:
            return
        try:
            cards = cards_of(all_entries())
        except StepwireError as error:
            self._said.setText(quoted(str(error)))
            return
        built = sum(card.is_built for card in cards)
        said = self.tr("Published agent systems as flows: {built} of {all} can be opened, run and changed.")
        self._said.setText(said.format(built=built, all=len(cards)))
        self._add("", self.tr("Open the gallery"))
        for one, count in mechanisms_shown(cards):
            self._add(one, f"{mechanism_title(one)}  {count}")

    def _add(self, mechanism: str, words: str) -> None:
        button = push_button(words, self, lambda: self.chosen.emit(mechanism))
        self._places.addWidget(button)
        self.buttons.append(button)
