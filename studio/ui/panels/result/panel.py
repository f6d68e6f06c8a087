"""What the shown run gives: its outputs, how it ended, and what the run before gave beside them."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from studio.trace.events.values import Values
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import row_layout
from studio.ui.look import Look
from studio.ui.panels.result.card import FindsFile, ResultCard
from studio.ui.panels.value_card import clear_cards
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.panels.widgets.picture import FindsImages, NoImages
from studio.ui.panels.widgets.short_label import ShortLabel
from studio.ui.viewmodels.run.results import Given, is_same


class ResultPanel(QWidget):
    """A card for each output of a run; made again only where one is another."""

    origin_asked = Signal(object)
    file_asked = Signal(object)
    folder_asked = Signal(object)
    step_asked = Signal()
    """The step is to be shown at which the run failed."""
    compare_asked = Signal()

    def __init__(
        self,
        look: Look,
        parent: QWidget | None = None,
        images: FindsImages | None = None,
        find: FindsFile = lambda _: None,
    ) -> None:
        super().__init__(parent)
        self._look, self._images, self._find = look, images or NoImages(), find
        self._key: object = None
        self.cards: list[ResultCard] = []
        self._empty = EmptyState(
            look,
            "done",
            self.tr("No result yet"),
            self.tr("The flow's outputs appear here when it has run."),
            self,
        )
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusProxy(area)
        page = QWidget(area)
        self._rows = QVBoxLayout(page)
        self._rows.setContentsMargins(*(look.length("space.large"),) * 4)
        self._rows.setSpacing(look.length("space.small"))
        head = row_layout(spacing=look.length("space.tight"))
        self.status = text_label("", page, "strong")
        self.figures = ShortLabel("", page)
        self.figures.setProperty("tone", "muted")
        self.compare = push_button(
            self.tr("Compare"),
            page,
            self.compare_asked,
            tip=self.tr("Compare with the previous run, step by step"),
        )
        self.copy = icon_button(
            look,
            "copy",
            self.tr("Copy all outputs"),
            page,
            lambda: QGuiApplication.clipboard().setText(self.text),
        )
        head.addWidget(self.status)
        head.addWidget(self.figures, 1)
        head.addWidget(self.compare)
        head.addWidget(self.copy)
        self._rows.addLayout(head)
        self.error = text_label("", page, tone="failed", wraps=True, is_plain=True, is_selectable=True)
        self._rows.addWidget(self.error)
        self.show_step = push_button(self.tr("Show the step"), page, self.step_asked)
        self._rows.addWidget(self.show_step, alignment=Qt.AlignmentFlag.AlignLeft)
        self._rows.addStretch(1)
        area.setWidget(page)
        self._page = page
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(area)

    @property
    def is_empty(self) -> bool:
        """Whether no run is shown."""
        return self._stack.currentIndex() == 0

    @property
    def text(self) -> str:
        """All outputs, as they are copied: one as it stands, several under their names."""
        if len(self.cards) == 1:
            return self.cards[0].text
        return "\n\n".join(f"{card.given.name}\n{card.text}" for card in self.cards)

    def clear(self) -> None:
        """Show that no run is shown."""
        self._key = None
        self._stack.setCurrentIndex(0)
        self._drop()

    def show_result(
        self, status: str, tone: str, figures: str, given: Sequence[Given], *, error: str = ""
    ) -> None:
        """Show where a run stands and what it has given, and in whole sentences why it failed."""
        self._stack.setCurrentIndex(1)
        if self.status.property("tone") != tone:
            self.status.setProperty("tone", tone)
            self.status.style().unpolish(self.status)
            self.status.style().polish(self.status)
        self.status.setText(status)
        self.figures.setText(figures)
        self.error.setText(error)
        self.error.setVisible(bool(error))
        self.show_step.setVisible(bool(error))
        self.copy.setVisible(bool(given))
        key = tuple((one.node, one.name, id(one.shown), one.spot) for one in given)
        if key != self._key:
            self._key = key
            self._drop()
            for one in given:
                self._put(ResultCard(self._look, one, self._images, self._find, self._page))

    def show_before(self, before: Values | None) -> None:
        """Offer what the run before gave; None where there was none."""
        self.compare.setVisible(before is not None)
        for card in self.cards:
            node, shown = card.given.node, card.given.shown
            other = (before or {}).get(str(node))
            card.show_before(other, is_same=is_same(before or {}, node, shown))

    def _put(self, card: ResultCard) -> None:
        card.origin_asked.connect(self.origin_asked)
        card.file_asked.connect(self.file_asked)
        card.folder_asked.connect(self.folder_asked)
        self.cards.append(card)
        self._rows.insertWidget(self._rows.count() - 1, card)

    def _drop(self) -> None:
        widgets: list[QWidget] = [*self.cards]
        self.cards.clear()
        clear_cards(widgets)
