"""One value to read: its port, where it comes from, and what it is."""

from collections.abc import Callable, Sequence

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from studio.flow.plain_text import pretty
from studio.trace.events.calls import MADE_UP_LABEL
from studio.trace.events.values import Shown
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.messages.spoken_text import SpokenText
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.panels.widgets.picture import FindsImages, NoImages, pictures_in
from studio.ui.viewmodels.messages.conversation import as_json

LONGEST = 4_000
"""Characters shown at first."""
MOST_LINES = 100
"""Lines shown at first: each is laid out, and a list has one for every element."""


class ValueCard(QFrame):
    """Shows a value of a step; a long one is cut, with a button that shows the rest."""

    def __init__(
        self,
        look: Look,
        name: str,
        shown: Shown,
        parent: QWidget | None = None,
        images: FindsImages | None = None,
        ask: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self.setProperty("card", True)
        small = look.length("space.small")
        rows = column_layout(
            self, (small + look.length("space.tight"), small, small, small), look.length("space.tight")
        )
        head = row_layout(spacing=0)
        head.addWidget(self._caption(name, shown.labels), 1)
        rows.addLayout(head)
        is_text = isinstance(shown.data, str)
        self._whole = pretty(shown.data)
        if is_text and (written := as_json(self._whole)) is not None:
            self._whole, is_text = written, False
        self._text = SpokenText(look, name, self, language="" if is_text else "json")
        first = "\n".join(self._whole[:LONGEST].split("\n", MOST_LINES)[:MOST_LINES])
        self._text.grow(first or "–")
        rows.addWidget(self._text)
        if ask is not None:
            head.addWidget(
                icon_button(
                    self._look,
                    "step_out",
                    self.tr("Where does this come from?"),
                    self,
                    lambda: ask(name),
                    "size.row",
                )
            )
        head.addWidget(
            icon_button(self._look, "copy", self.tr("Copy the value"), self, self._copy, "size.row")
        )
        for picture in pictures_in(shown.data, images or NoImages(), self):
            rows.addWidget(picture)
        if len(self._whole) > len(first):
            more = push_button(
                self.tr("Show all {count} characters").format(count=f"{len(self._whole):,}"),
                self,
                is_plain=True,
            )
            more.clicked.connect(lambda: (self._text.grow(self._whole), more.hide()))
            rows.addWidget(more)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._whole)

    def _caption(self, name: str, labels: Sequence[str]) -> QLabel:
        text, is_made_up = name, MADE_UP_LABEL in labels
        if is_made_up:
            text = self.tr("{name} (made up)").format(name=text)
        if others := ", ".join(one for one in labels if one != MADE_UP_LABEL):
            text = self.tr("{name}, from {labels}").format(name=text, labels=others)
        caption = text_label(text, self, "label", "held" if is_made_up else "muted", wraps=True)
        caption.setToolTip(self.tr("What this value was made from") if labels else "")
        return caption


def clear_cards(cards: list[QWidget]) -> None:
    """Take widgets out of their page."""
    for card in cards:
        card.hide()
        card.deleteLater()
    cards.clear()


def value_cards(
    look: Look,
    values: Sequence[tuple[str, Shown]],
    parent: QWidget,
    images: FindsImages | None = None,
    ask: Callable[[str], None] | None = None,
) -> list[ValueCard]:
    """One card for each value; `images` has pictures among them, `ask` is told whose origin is asked."""
    return [ValueCard(look, name, shown, parent, images, ask) for name, shown in values]
