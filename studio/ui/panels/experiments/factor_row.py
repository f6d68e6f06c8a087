"""One factor in the form of an experiment: its name and its levels, of which each combination is tried."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from studio.app.experiments.drafts import FactorDraft, VariantDraft
from studio.ui.buttons import push_button
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.experiments.variant_row import VariantRow
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.slots import of_text

FEWEST = 2
"""Levels of a factor."""


class FactorRow(QFrame):
    """A card that gives a draft; `make_level` makes the row of a level, in the widget that it is given."""

    removed = Signal()
    renamed = Signal()
    """It or a level has another name, or there are other levels."""

    def __init__(
        self,
        look: Look,
        draft: FactorDraft,
        make_level: Callable[[VariantDraft, QWidget], VariantRow],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._make_level, self._was = make_level, draft.was
        self.levels: list[VariantRow] = []
        self.setProperty("card", "true")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.name = QLineEdit(draft.name, self)
        self.name.setAccessibleName(self.tr("Name of the factor"))
        self.name.setPlaceholderText(self.tr("Factor, such as “prompt” or “model”"))
        self.name.textChanged.connect(of_text(lambda _: self.renamed.emit()))
        self.away = icon_button(look, "close", self.tr("Remove the factor"), self, self.removed)
        head = QHBoxLayout()
        head.addWidget(self.name, 1)
        head.addWidget(self.away)
        self._rows = column_layout()
        self.add_button = push_button(self.tr("Add a level"), self, self.add_level)
        self.add_button.setIcon(look.icon("add"))
        whole = column_layout(self)
        whole.addLayout(head)
        whole.addLayout(self._rows)
        whole.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignLeft)
        for one in draft.levels:
            self._add(one)

    def draft(self) -> FactorDraft:
        """Give what was chosen."""
        return FactorDraft(self.name.text(), [one.draft() for one in self.levels], self._was)

    def add_level(self) -> None:
        """Add a level, in which nothing is different yet."""
        names = {one.name.text() for one in self.levels}
        words = self.tr("level {number}")
        number = next(n for n in range(1, len(names) + 2) if words.format(number=n) not in names)
        self._add(VariantDraft(words.format(number=number)))
        self.renamed.emit()

    def _add(self, draft: VariantDraft) -> None:
        row = self._make_level(draft, self)
        row.removed.connect(lambda: self._remove(row))
        row.renamed.connect(self.renamed)
        self.levels.append(row)
        self._rows.addWidget(row)
        self._show_removable()

    def _remove(self, row: VariantRow) -> None:
        self.levels.remove(row)
        row.hide()
        row.deleteLater()
        self._show_removable()
        self.renamed.emit()

    def _show_removable(self) -> None:
        """A factor keeps two levels."""
        for one in self.levels:
            one.away.setEnabled(len(self.levels) > FEWEST)


def first_levels(names: Sequence[str]) -> list[VariantDraft]:
    """The levels with which a factor begins."""
    return [VariantDraft(one) for one in names]
