"""Which rows of the table are listed, and by which scorer they are seen."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from studio.experiments.trial_pages import Wanted
from studio.ui.labels import text_label
from studio.ui.layouts import row_layout
from studio.ui.look import Look
from studio.ui.slots import of_number, of_text
from studio.ui.viewmodels.experiments.page_words import rows_words

PAUSE = 200
"""Milliseconds without another letter after which rows are looked for."""


class FilterBar(QWidget):
    """Chooses scorer, words, tag, and which rows: all, those that differ, that failed, without a score."""

    wanted = Signal(object)
    """Other rows are wanted: `Wanted`, without an order."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.scorer = QComboBox(self)
        self.scorer.setAccessibleName(self.tr("Scorer"))
        self.words = QLineEdit(self)
        self.words.setPlaceholderText(self.tr("Filter rows"))
        self.words.setAccessibleName(self.tr("Filter rows by words"))
        self.words.setClearButtonEnabled(True)
        self.words.setMinimumWidth(look.length("space.wide") * 6)
        self.tag = QComboBox(self)
        self.tag.setAccessibleName(self.tr("Tag"))
        self.only = QComboBox(self)
        self.only.setAccessibleName(self.tr("Which rows"))
        self.count = text_label("", self, tone="muted")
        self._row = row_layout(self, 0)
        for box in (self.scorer, self.only, self.tag):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for widget in (self.scorer, self.words, self.only, self.tag):
            self._row.addWidget(widget)
        self._row.addStretch(1)
        self._row.addWidget(self.count)
        self._typing = QTimer(self, singleShot=True, interval=PAUSE)
        self._typing.timeout.connect(self._tell)
        self.words.textChanged.connect(of_text(lambda _: self._typing.start()))
        for box in (self.scorer, self.tag, self.only):
            box.currentIndexChanged.connect(of_number(lambda _: self._tell()))

    @property
    def chosen(self) -> Wanted:
        """What is chosen, in the order of the dataset."""
        only, variant = self.only.currentData() or ("", 0)
        return Wanted(
            scorer=str(self.scorer.currentData() or ""),
            words=self.words.text(),
            tag=str(self.tag.currentData() or ""),
            only=only,
            variant=variant,
        )

    def add(self, widget: QWidget) -> None:
        """Put a widget at the end."""
        self._row.addWidget(widget)

    def show_table(self, about: Mapping[str, Any]) -> None:
        """Offer what a table has, with nothing filtered."""
        boxes = (self.scorer, self.tag, self.only, self.words)
        for box in boxes:
            box.blockSignals(True)
        self.words.clear()
        self.scorer.clear()
        for name in about["scorers"]:
            self.scorer.addItem(self.tr("Score: {name}").format(name=name), name)
        self.scorer.setVisible(self.scorer.count() > 1)
        self.tag.clear()
        self.tag.addItem(self.tr("Every tag"), "")
        for name in about.get("tags", ()):
            self.tag.addItem(name, name)
        self.tag.setVisible(self.tag.count() > 1)
        self._offer_rows(about)
        for box in boxes:
            box.blockSignals(False)

    def show_count(self, listed: int, every: int) -> None:
        """Say how many rows are listed."""
        said = self.tr("{all}") if listed == every else self.tr("{count} of {all}")
        self.count.setText(said.format(count=f"{listed:,}", all=rows_words(every)))

    def show_only(self, only: str, variant: int) -> None:
        """List other rows, as a hand would choose them."""
        for at in range(self.only.count()):
            if self.only.itemData(at) == (only, variant):
                self.only.setCurrentIndex(at)

    def _offer_rows(self, about: Mapping[str, Any]) -> None:
        self.only.clear()
        self.only.addItem(self.tr("All rows"), ("", 0))
        base = about["baseline"]
        if len(about["variants"]) > 1:
            self.only.addItem(self.tr("Variants differ"), ("apart", 0))
        for number, name in enumerate(about["variants"]):
            if name != base:
                better = self.tr("“{one}” better than “{base}”").format(one=name, base=base)
                worse = self.tr("“{one}” worse than “{base}”").format(one=name, base=base)
                self.only.addItem(better, ("better", number))
                self.only.addItem(worse, ("worse", number))
        self.only.addItem(self.tr("A trial failed"), ("failed", 0))
        self.only.addItem(self.tr("Without a score"), ("unscored", 0))

    def _tell(self) -> None:
        self._typing.stop()
        self.wanted.emit(self.chosen)
