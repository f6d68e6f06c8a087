"""What is known of the chosen cell: its row, what came of it and why, and the way to its run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QTextBrowser, QWidget

from studio.experiments.trial_pages import ShownRow
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.viewmodels.experiments.cell_choice import Cell, Pair
from studio.ui.viewmodels.experiments.output_words import output_words
from studio.ui.viewmodels.experiments.table_rows import trial_words

LONGEST = 20_000
"""Characters of an output that are shown here; all of it is in the run."""


class CellDetails(QWidget):
    """Text of the chosen cell, plain whatever stands in it, with buttons to its run and to a comparison."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.title = text_label("", self, "strong", is_plain=True)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        tip = self.tr("Show the run on the canvas (Enter)")
        self.open_button = push_button(self.tr("Open run"), self, tip=tip)
        self.compare_button = push_button(self.tr("Compare"), self)
        self.text = QTextBrowser(self)
        self.text.setOpenLinks(False)
        self.text.setAccessibleName(self.tr("Inputs, outputs and reasons of the chosen cell"))
        self.text.setMinimumHeight(2 * look.length("size.row"))
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.open_button)
        head.addWidget(self.compare_button)
        rows = column_layout(self, (0, look.length("space.small"), 0, 0), look.length("space.tight"))
        rows.addLayout(head)
        rows.addWidget(self.text, 1)

    def show_cell(
        self,
        row: ShownRow | None,
        cell: Cell | None,
        outputs: Mapping[str, Any],
        pair: Pair | None,
        notes: Sequence[str],
    ) -> None:
        """Show a cell, or only its row; without both, what the figures hide, and what to do."""
        self.open_button.setEnabled(cell is not None and bool(cell.over))
        self.compare_button.setEnabled(pair is not None)
        words = self.tr("Select two cells with Ctrl, or one to compare with the baseline (Ctrl+D)")
        if pair is not None:
            words = self.tr("{first}  –  {second}: opens where they part (Ctrl+D)").format(
                first=pair.words[0], second=pair.words[1]
            )
        self.compare_button.setToolTip(words)
        if row is None:
            self.title.setText(self.tr("Notes") if notes else "")
            hint = self.tr("Choose a cell to see what it was asked, what it gave, and why it scored so.")
            self.text.setPlainText("\n".join([*notes, hint]))
            return
        self.title.setText(f"{row.id}, {cell.variant}" if cell is not None else row.id)
        parts = [row.said]
        if cell is not None:
            parts += self._told(cell, outputs)
        elif row.tags:
            parts.append(" · ".join(row.tags))
        self.text.setPlainText("\n\n".join(parts))

    def _told(self, cell: Cell, outputs: Mapping[str, Any]) -> Iterator[str]:
        if not cell.over:
            yield self.tr("Not run yet.")
            return
        for name, value in outputs.items():
            said = output_words(value)
            which = f" ({self.tr('repeat')} {cell.telling.repeat})" if len(cell.trials) > 1 else ""
            yield f"{name}{which}: {said[:LONGEST]}"
        yield "\n".join(f"{trial_words(one)}{f' – {one.reason}' if one.reason else ''}" for one in cell.over)
