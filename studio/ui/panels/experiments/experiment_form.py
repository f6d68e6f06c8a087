"""Asks for an experiment, new or from its file: dataset, variants, factors, scorers, comparison, limits."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QWidget,
)

from studio.app.experiments.choices import (
    Changeable,
    changeable_in,
    columns_of,
    datasets_of,
    default_profile,
    is_made_up,
    mapping_of,
    unfilled,
)
from studio.app.experiments.drafts import (
    ChangeDraft,
    Draft,
    FactorDraft,
    ScorerDraft,
    VariantDraft,
    draft_of,
    named_variants,
    unchanged,
)
from studio.app.experiments.kept_words import extra_settings, kept_of, scorer_words
from studio.errors import StepwireError
from studio.experiments.experiment import DatasetUse, Experiment, combined_name
from studio.flow.records import Flow
from studio.sdk.registry import Registry
from studio.ui.buttons import push_button
from studio.ui.editors.editor import mouse_focus
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.experiments.choice_box import choice_box
from studio.ui.panels.experiments.comparison_fields import ComparisonFields
from studio.ui.panels.experiments.factor_row import FactorRow, first_levels
from studio.ui.panels.experiments.limit_boxes import limit_boxes
from studio.ui.panels.experiments.scorer_row import ScorerRow
from studio.ui.panels.experiments.variant_row import VariantRow
from studio.ui.panels.widgets.dialog_end import DialogEnd
from studio.ui.slots import of_any, of_number
from studio.ui.viewmodels.experiments.new_variants import present
from studio.workspace.inputs import input_fields
from studio.workspace.problems import read_flow
from studio.workspace.project import Project

Row = TypeVar("Row", VariantRow, FactorRow, ScorerRow)

MOST = 1_000
"""Repeats that can be chosen here."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What an experiment can be made of; the inputs of `flow` are filled, `experiment` is that of a file."""

    project: Project
    registry: Registry
    flow: Flow
    path: str
    """Of the flow, in its project."""
    outputs: Sequence[str]
    flows: Sequence[str]
    profiles: Sequence[str]
    environ: Mapping[str, str]
    """Where the default chat profile may be named."""
    experiment: Experiment | None = None


class ExperimentForm(QDialog):
    """A form that gives a draft, `wanted` when it is to be written; it is open until `accept` is called."""

    wanted = Signal(object)

    def __init__(self, look: Look, offered: Offered, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._offered = look, offered
        self._known: dict[str, Sequence[Changeable]] = {}
        self._file = offered.experiment
        self._before = self._begun()
        is_new = self._file is None
        self.setWindowTitle(self.tr("New experiment") if is_new else self.tr("Edit experiment"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        wide = look.length("space.wide")
        self.resize(wide * 33, min(wide * 36, parent.window().height() - 2 * wide))
        self._make_fields()
        self.variants: list[VariantRow] = []
        self.factors: list[FactorRow] = []
        self.scorers: list[ScorerRow] = []
        self._variant_rows, self._factor_rows, self._scorer_rows = (column_layout() for _ in range(3))
        self._fill(self.tr("Create") if is_new else self.tr("Save"))
        for one in self._before.variants:
            self.add_variant(one)
        if is_new:
            self.add_variant()
        for one in self._before.factors:
            self.add_factor(one)
        for one in self._before.scorers:
            self.add_scorer(one)
        self._offer_baselines(self._before.baseline)
        self._read_columns()
        self._show_made_up()

    def draft(self) -> Draft:
        """Give what was chosen; what was not touched is as the file has it."""
        chosen = self._columns_chosen()
        inputs = {name: column for name, column in chosen.items() if column != self._guessed[name]}
        if self._file is None:
            inputs = {name: column for name, column in chosen.items() if column}
        draft = Draft(
            self.name.text(),
            self.dataset.currentText(),
            {**self._before.inputs, **inputs},
            [one.draft() for one in self.variants],
            [one.draft() for one in self.scorers],
            self.repeats.value(),
            str(self.profile.currentData() or ""),
            {name: box.value() for name, box in self.limits.items() if box.value()},
            [one.draft() for one in self.factors],
            rows=self.comparison.chosen_rows(),
            stop=self.comparison.chosen_stop(),
        )
        names = [name for _, name in named_variants(draft)]
        return replace(draft, baseline=self.comparison.chosen_baseline(names))

    def say(self, words: str) -> None:
        """Say what keeps the draft from being written."""
        self.wrong.setText(words)
        self.wrong.setVisible(bool(words))

    def add_variant(self, draft: VariantDraft | None = None) -> None:
        """Add a variant; a new one has another prompt where the flow has one."""
        if draft is None:
            words = self.tr("variant {number}")
            begun = count(len(self.variants) + 1)
            name = _free((words.format(number=number) for number in begun), self.variants)
            prompts = [one for one in self._changeable(self._offered.path) if one.is_prompt][:1]
            changes = [ChangeDraft(one.node, one.setting, one.value, is_prompt=True) for one in prompts]
            draft = VariantDraft(name, self._offered.path, changes=changes)
        offered = self._offered
        row = VariantRow(self._look, draft, offered.flows, offered.profiles, self._changeable, self)
        row.removed.connect(lambda: self._remove(row, self.variants))
        row.renamed.connect(self._offer_baselines)
        self.variants.append(row)
        self._variant_rows.addWidget(row)
        self._offer_baselines()

    def add_factor(self, draft: FactorDraft | None = None) -> None:
        """Add a factor; a new one has two levels in which nothing is different yet."""
        if draft is None:
            levels = first_levels([self.tr("level {number}").format(number=number) for number in (1, 2)])
            draft = FactorDraft(_free((f"factor {number}" for number in count(1)), self.factors), levels)
        row = FactorRow(self._look, draft, self._level_row, self)
        row.removed.connect(lambda: self._remove(row, self.factors))
        row.renamed.connect(self._offer_baselines)
        self.factors.append(row)
        self._factor_rows.addWidget(row)
        self._offer_baselines()

    def _level_row(self, draft: VariantDraft, parent: QWidget) -> VariantRow:
        offered = self._offered
        return VariantRow(
            self._look, draft, offered.flows, offered.profiles, self._changeable, parent, offered.path
        )

    def _offer_baselines(self, chosen: str = "") -> None:
        """Offer what is tried now as the baseline; a combination is known by the rows of its levels."""
        levels = [one.levels for one in self.factors]
        rows: list[tuple[object, ...]] = [(one,) for one in self.variants]
        rows += product(*levels) if levels and all(levels) else ()
        names = [combined_name([one.name.text().strip() for one in each]) for each in rows]  # type: ignore[attr-defined]
        self.comparison.offer(list(zip(rows, names, strict=True)), chosen)

    def add_scorer(self, draft: ScorerDraft | None = None) -> None:
        """Add a scorer."""
        if draft is None:
            names = (f"right {number}" if number > 1 else "right" for number in count(1))
            draft = ScorerDraft(_free(names, self.scorers))
        use = self._file.scorers.get(draft.was) if self._file is not None else None
        kept = "" if use is None else scorer_words(use) if not draft.kind else ", ".join(extra_settings(use))
        row = ScorerRow(self._look, draft, self._offered.outputs, kept, self)
        row.removed.connect(lambda: self._remove(row, self.scorers))
        row.offer(self._columns)
        self.scorers.append(row)
        self._scorer_rows.addWidget(row)

    def _begun(self) -> Draft:
        """What the form shows first: the file, or an experiment that is likely to be wanted."""
        offered = self._offered
        if self._file is not None:
            return draft_of(self._file, offered.project.name_of(offered.project.main_flow))
        name = self.tr("{flow} experiment").format(flow=offered.flow.name or offered.path)
        as_it_is = VariantDraft(self.tr("as it is"), offered.path)
        return Draft(name, "", variants=[as_it_is], scorers=[ScorerDraft("right")])

    def _changeable(self, flow: str) -> Sequence[Changeable]:
        """What can be changed in a flow of the project; nothing where it cannot be read."""
        if flow not in self._known:
            offered = self._offered
            try:
                path = offered.project.root / flow
                record = offered.flow if flow == offered.path else read_flow(path).flow
                self._known[flow] = changeable_in(record, offered.registry)
            except StepwireError:
                self._known[flow] = ()
        return self._known[flow]

    def _make_fields(self) -> None:
        before, offered = self._before, self._offered
        self.name = QLineEdit(before.name, self)
        self.dataset = QComboBox(self)
        there = datasets_of(offered.project)
        self.dataset.addItems(present(before.dataset, there))
        if before.dataset:
            self.dataset.setCurrentText(before.dataset)
        self.dataset.currentIndexChanged.connect(of_number(lambda _: self._read_columns()))
        self.inputs: dict[str, QComboBox] = {}
        self._guessed: dict[str, str] = {}
        self._columns: Sequence[str] = ()
        self._mapping = QFormLayout()
        self.repeats = QSpinBox(self)
        self.repeats.setRange(1, max(MOST, before.repeats))
        self.repeats.setValue(before.repeats)
        self.repeats.lineEdit().setTextMargins(self._look.length("space.small"), 0, 0, 0)
        usual = default_profile(offered.project, offered.environ)
        nothing = self.tr("None") if self._file is not None and not before.chat else None
        if usual:
            nothing = self.tr("Default of the project: {profile}").format(profile=usual)
        self.profile = choice_box("", before.chat, offered.profiles, self, nothing)
        self.profile.currentIndexChanged.connect(of_number(lambda _: self._show_made_up()))
        said = self.tr("Its answers are made up: scores say nothing of a model.")
        self.made_up = text_label(said, self, tone="held")
        self.limits = limit_boxes(self._look, before.limits, self)
        for box in (self.dataset, self.repeats, *self.limits.values()):
            mouse_focus(box)
        words = "; ".join(kept_of(self._file)) if self._file is not None else ""
        said = self.tr("Stays as the file says: {what}.").format(what=words)
        self.kept = text_label(said, self, tone="muted", wraps=True, is_plain=True)
        self.kept.setVisible(bool(words))
        self.wrong = text_label("", self, tone="failed", wraps=True, is_plain=True)
        self.wrong.hide()

    def _fill(self, done: str) -> None:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self.tr("Name"), self.name)
        form.addRow(self.tr("Dataset"), self.dataset)
        form.addRow(self.tr("Inputs"), self._mapping)
        form.addRow(text_label(self.tr("Variants"), self, "strong"))
        form.addRow(self._variant_rows)
        form.addRow(self._more(self.tr("Add a variant"), self.add_variant))
        form.addRow(text_label(self.tr("Factors"), self, "strong"))
        said = self.tr("Each combination of their levels is a variant.")
        self.combined = text_label(said, self, tone="muted")
        form.addRow(self.combined)
        form.addRow(self._factor_rows)
        form.addRow(self._more(self.tr("Add a factor"), self.add_factor))
        form.addRow(text_label(self.tr("Scorers"), self, "strong"))
        form.addRow(self._scorer_rows)
        form.addRow(self._more(self.tr("Add a scorer"), self.add_scorer))
        self.comparison = ComparisonFields(self._look, self._before, form, self)
        form.addRow(text_label(self.tr("Run"), self, "strong"))
        form.addRow(self.tr("Repeats"), self.repeats)
        form.addRow(self.tr("Chat profile"), self.profile)
        form.addRow("", self.made_up)
        bounds = QHBoxLayout()
        for box in self.limits.values():
            bounds.addWidget(box, 1)
        form.addRow(self.tr("At most per trial"), bounds)
        self._form = form
        inner = QWidget(self)
        whole = column_layout(inner, (0, 0, self._look.length("space.small"), 0))
        whole.addLayout(form)
        whole.addWidget(self.kept)
        whole.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(inner)
        said = self.tr("Nothing is run yet: cost and power are shown first.")
        if self._file is not None:
            said = self.tr("Trials that stay the same are kept; only what is different is run again.")
        hint = text_label(said, self, tone="muted")
        self.end = DialogEnd(self, done, self._want)
        rows = column_layout(self)
        rows.addWidget(scroll, 1)
        rows.addWidget(self.wrong)
        rows.addWidget(hint)
        rows.addLayout(self.end)

    def _more(self, words: str, add: Callable[[], None]) -> QPushButton:
        button = push_button(words, self, of_any(add))
        button.setIcon(self._look.icon("add"))
        button.setAutoDefault(False)
        return button

    def _remove(self, row: Row, rows: list[Row]) -> None:
        rows.remove(row)
        row.hide()
        row.deleteLater()
        self._offer_baselines()

    def _read_columns(self) -> None:
        """Offer the columns of the chosen dataset, with a guess for each input."""
        self._columns = ()
        self.say("")
        if not self.dataset.count():
            self.say(
                self.tr("The project has no dataset: put a .jsonl or .csv file with a row a line into data/.")
            )
        else:
            use = DatasetUse(file=self.dataset.currentText())
            if self._file is not None and use.file == self._file.dataset.file:
                use = self._file.dataset
            try:
                self._columns = columns_of(self._offered.project, use)
            except StepwireError as error:
                self.say(str(error))
        while self._mapping.rowCount():
            self._mapping.removeRow(0)
        self._offer_inputs()
        for one in self.scorers:
            one.offer(self._columns)

    def _offer_inputs(self) -> None:
        flow, registry = self._offered.flow, self._offered.registry
        guessed = mapping_of(flow, registry, self._columns)
        self.inputs.clear()
        self._guessed = {}
        for one in input_fields(flow, registry):
            name = str(one.node)
            nothing = self.tr("Choose a column") if one.is_required else self.tr("Its default")
            chosen = self._before.inputs.get(name) or guessed[name]
            called = self.tr("Column for {input}").format(input=one.label)
            there = [*self._columns, *([chosen] if chosen and chosen not in self._columns else [])]
            box = choice_box(called, chosen, there, self, nothing)
            self.inputs[name], self._guessed[name] = box, chosen
            self._mapping.addRow(one.label, box)

    def _columns_chosen(self) -> dict[str, str]:
        """The column of each input; empty where none is chosen."""
        return {name: str(box.currentData() or "") for name, box in self.inputs.items()}

    def _show_made_up(self) -> None:
        profile = str(self.profile.currentData() or "")
        made_up = is_made_up(self._offered.project, profile, self._offered.environ)
        self._form.setRowVisible(self.made_up, made_up)

    def _want(self) -> None:
        draft = self.draft()
        missing = unfilled(self._offered.flow, self._offered.registry, self._columns_chosen())
        same = unchanged(draft.variants, self._changeable)
        if missing:
            said = self.tr("“{input}” has no default: choose the column that fills it.")
            self.say(said.format(input=missing[0]))
        elif same:
            said = self.tr("“{variant}” is the flow as it is: change its text or value.")
            self.say(said.format(variant=same[0]))
        else:
            self.wanted.emit(draft)


def _free(names: Iterable[str], rows: Sequence[Row]) -> str:
    """The first name that no row has."""
    taken = {one.name.text() for one in rows}
    return next(one for one in names if one not in taken)
