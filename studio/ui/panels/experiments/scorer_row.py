"""One scorer in the form of an experiment: its name, how it scores, by which column, and which output."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QWidget,
)

from studio.app.experiments.choices import expected_in
from studio.app.experiments.drafts import ScorerDraft
from studio.ui.editors.editor import mouse_focus
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.experiments.choice_box import choice_box
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.slots import of_number


class ScorerRow(QFrame):
    """A card that gives a draft; `kept` says what of it stays as its file has it."""

    removed = Signal()

    def __init__(
        self, look: Look, draft: ScorerDraft, outputs: Sequence[str], kept: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._draft = draft
        self.setProperty("card", "true")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.name = QLineEdit(draft.name, self)
        self.name.setAccessibleName(self.tr("Name of the scorer"))
        self.name.setReadOnly(bool(draft.was))
        if draft.was:
            self.name.setToolTip(self.tr("Labels and baselines refer to a scorer by its name"))
        self.kind = QComboBox(self)
        self.kind.setAccessibleName(self.tr("How it scores"))
        for kind, title in (
            ("exact", self.tr("Same as the expected answer")),
            ("contains", self.tr("Contains the expected answer")),
            ("number", self.tr("The expected number is the last one in it")),
            ("judge", self.tr("A judge scores it")),
        ):
            self.kind.addItem(title, kind)
        if not draft.kind:
            self.kind.addItem(kept, "")
            self.kind.setEnabled(False)
        self.kind.setCurrentIndex(self.kind.findData(draft.kind))
        self.expected = QComboBox(self)
        self.expected.setAccessibleName(self.tr("Column with the expected answer"))
        self.output = choice_box(self.tr("Scored output"), draft.output, outputs, self)
        away = icon_button(look, "close", self.tr("Remove the scorer"), self, self.removed)
        head = QHBoxLayout()
        for widget, stretch in ((self.name, 2), (self.kind, 4), (away, 0)):
            head.addWidget(widget, stretch)
        self._what = text_label(self.tr("Scored output"), self)
        self._where = text_label(self.tr("Expected answer"), self)
        below = QHBoxLayout()
        for widget, stretch in ((self._what, 0), (self.output, 1), (self._where, 0), (self.expected, 1)):
            below.addWidget(widget, stretch)
        said = self.tr("Stays as it is: {what}.").format(what=kept)
        self.kept = text_label(said, self, tone="muted", wraps=True, is_plain=True)
        self.kept.setVisible(bool(kept))
        rows = column_layout(self)
        rows.addLayout(head)
        rows.addLayout(below)
        rows.addWidget(self.kept)
        self.kind.currentIndexChanged.connect(of_number(lambda _: self._show_kind()))
        for one in (self.kind, self.expected):
            mouse_focus(one)
        self._show_kind()

    def draft(self) -> ScorerDraft:
        """Give what was chosen."""
        kind = self.kind.currentData()
        if not kind:
            return self._draft
        output = str(self.output.currentData() or "")
        if self._draft.was and not self._draft.output and self.output.currentIndex() <= 0:
            output = ""  # the file leaves the only output out
        return ScorerDraft(
            self.name.text(), kind, str(self.expected.currentData() or ""), output, self._draft.was
        )

    def offer(self, columns: Sequence[str]) -> None:
        """Offer the columns of a dataset; what is chosen stays where it is there, else it is guessed."""
        chosen = self.expected.currentData() if self.expected.count() else self._draft.expected
        is_new = not self._draft.was
        self.expected.clear()
        self.expected.addItem(self.tr("None"), "")
        for one in columns:
            self.expected.addItem(one, one)
        if chosen and self.expected.findData(chosen) < 0 and not is_new:
            self.expected.addItem(chosen, chosen)  # dotted, or of another dataset: the file says so
        if not chosen and is_new:
            chosen = expected_in(columns)
        self.expected.setCurrentIndex(max(self.expected.findData(chosen), 0))

    def _show_kind(self) -> None:
        kind = self.kind.currentData()
        for one in (self._where, self.expected):
            one.setVisible(bool(kind))
        for one in (self._what, self.output):
            one.setVisible(bool(kind) and self.output.count() > 1)
        self._where.setText(self.tr("Reference") if kind == "judge" else self.tr("Expected answer"))
