"""How the variants of an experiment are compared: with which one, on what rows, and when it may end early."""

from collections.abc import Sequence
from typing import Literal

from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFormLayout, QHBoxLayout, QSpinBox, QWidget

from studio.app.experiments.drafts import Draft
from studio.experiments.experiment import Stop
from studio.ui.editors.editor import mouse_focus
from studio.ui.labels import text_label
from studio.ui.look import Look
from studio.ui.slots import of_number

Spending = Literal["obrien-fleming", "pocock"]
POINT = 0.01


class ComparisonFields:
    """The fields, as rows of a form; the baseline is one of the variants that were offered last."""

    def __init__(self, look: Look, before: Draft, form: QFormLayout, parent: QWidget) -> None:
        self._form, self._offered = form, list[object]()
        tr = parent.tr
        self._first = tr("The first variant")
        self.baseline = QComboBox(parent)
        self.rows = QComboBox(parent)
        self.rows.addItem(tr("A sample: the result is about more rows like them"), "sample")
        self.rows.addItem(tr("All there are: the result is about these rows"), "fixed")
        self.rows.setCurrentIndex(self.rows.findData(before.rows))
        self.stop = QComboBox(parent)
        self.stop.addItem(tr("Never: run all trials"), "")
        self.stop.addItem(tr("Once decided, cautious at first (O’Brien–Fleming)"), "obrien-fleming")
        self.stop.addItem(tr("Once decided, as likely at each look (Pocock)"), "pocock")
        stop = before.stop
        self.stop.setCurrentIndex(self.stop.findData(stop.spending if stop is not None else ""))
        self.looks = QSpinBox(parent)
        self.looks.setRange(2, 20)
        self.looks.setValue(stop.looks if stop is not None else Stop().looks)
        self.looks.setSuffix(tr(" looks"))
        self.looks.setToolTip(tr("How often it asks whether the comparison is decided, the end included"))
        self.within = QDoubleSpinBox(parent)
        self.within.setRange(0.0, 100.0)
        self.within.setDecimals(1)
        self.within.setSpecialValueText(tr("only when one is better"))
        self.within.setPrefix(tr("or within "))
        self.within.setSuffix(tr(" points"))
        self.within.setToolTip(tr("It also stops when a larger difference is ruled out"))
        self.within.setValue((stop.within or 0.0) / POINT if stop is not None else 0.0)
        self._within_before = stop.within if stop is not None else None
        for box in (self.looks, self.within):
            box.lineEdit().setTextMargins(look.length("space.small"), 0, 0, 0)
        self.looks.setAccessibleName(tr("Looks of the early stop"))
        self.within.setAccessibleName(tr("Difference to rule out, in points"))
        self._when = QWidget(parent)
        when = QHBoxLayout(self._when)
        when.setContentsMargins(0, 0, 0, 0)
        when.addWidget(self.looks, 1)
        when.addWidget(self.within, 2)
        form.addRow(text_label(tr("Comparison"), parent, "strong"))
        form.addRow(tr("Baseline"), self.baseline)
        form.addRow(tr("Rows are"), self.rows)
        form.addRow(tr("Early stop"), self.stop)
        form.addRow("", self._when)
        self.stop.currentIndexChanged.connect(of_number(lambda _: self._show_when()))
        for one in (self.baseline, self.rows, self.stop, self.looks, self.within):
            mouse_focus(one)
        self._show_when()

    def offer(self, variants: Sequence[tuple[object, str]], chosen: str = "") -> None:
        """Offer variants, each with what it is known by; who is chosen stays so, under whatever name."""
        keys = [None, *(key for key, _ in variants)]
        at = max(self.baseline.currentIndex(), 0)
        before = self._offered[at] if at < len(self._offered) else None
        index = keys.index(before) if before in keys else 0
        if chosen:
            index = next((n for n, (_, name) in enumerate(variants, 1) if name == chosen), 0)
        self._offered = keys
        self.baseline.clear()
        self.baseline.addItems([self._first, *(name or "–" for _, name in variants)])
        self.baseline.setCurrentIndex(index)

    def chosen_baseline(self, variants: Sequence[str]) -> str:
        """The name of the baseline, of variants as they were offered; empty for the first."""
        index = self.baseline.currentIndex()
        return variants[index - 1] if 0 < index <= len(variants) else ""

    def chosen_rows(self) -> Literal["sample", "fixed"]:
        """Whether the rows stand for others."""
        return "fixed" if self.rows.currentData() == "fixed" else "sample"

    def chosen_stop(self) -> Stop | None:
        """When it ends early."""
        spending = self.stop.currentData()
        if not spending:
            return None
        before = self._within_before
        within: float | None = round(self.within.value() * POINT, 6) or None
        if before is not None and within is not None and abs(before - within) < POINT / 10:
            within = before  # the file says it more exactly than is shown
        return Stop(looks=self.looks.value(), spending=spending, within=within)

    def _show_when(self) -> None:
        self._form.setRowVisible(self._when, bool(self.stop.currentData()))
