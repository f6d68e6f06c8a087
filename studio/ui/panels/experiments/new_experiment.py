"""Asks for a new experiment: the dataset and its columns, variants of the flow, the scorer, how often."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.app.experiments.drafts import (
    Changeable,
    Draft,
    ScorerKind,
    VariantDraft,
    VariantKind,
    changeable_in,
    columns_of,
    datasets_of,
    default_profile,
    expected_in,
    is_made_up,
    mapping_of,
    unchanged,
    unfilled,
)
from studio.errors import StepwireError
from studio.flow.records import Flow
from studio.sdk.registry import Registry
from studio.ui.look import Look
from studio.ui.slots import of_number
from studio.ui.theme.apply import mark
from studio.ui.viewmodels.experiments.new_variants import read_value
from studio.workspace.inputs import input_fields
from studio.workspace.project import Project

MOST = 1_000
"""Repeats that can be chosen here."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What a new experiment can be made of."""

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


class NewExperiment(QDialog):
    """A form that gives a draft, `wanted` when it is to be written; it is open until `accept` is called."""

    wanted = Signal(object)

    def __init__(self, look: Look, offered: Offered, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._offered = look, offered
        self._changeable = changeable_in(offered.flow, offered.registry)
        self.setWindowTitle(self.tr("New experiment"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(look.length("space.wide") * 30, look.length("space.wide") * 30)
        self.name = QLineEdit(
            self.tr("{flow} experiment").format(flow=offered.flow.name or offered.path), self
        )
        self.dataset = _combo(self, datasets_of(offered.project))
        self.dataset.currentIndexChanged.connect(of_number(lambda _: self._read_columns()))
        self.inputs: dict[str, QComboBox] = {}
        self._mapping = QFormLayout()
        self.variants: list[VariantRow] = []
        self._variant_rows = QVBoxLayout()
        more = QPushButton(self.tr("Add a variant"), self)
        more.setIcon(look.icon("add"))
        more.clicked.connect(lambda: self.add_variant())  # noqa: PLW0108
        self.scorer = QComboBox(self)
        for kind, title in (
            ("exact", self.tr("Same as the expected answer")),
            ("contains", self.tr("Contains the expected answer")),
            ("number", self.tr("The expected number is the last one in it")),
            ("judge", self.tr("A judge scores it")),
            ("", self.tr("No score: cost, tokens and time only")),
        ):
            self.scorer.addItem(title, kind)
        self.scorer.currentIndexChanged.connect(of_number(lambda _: self._show_scoring()))
        self.expected = QComboBox(self)
        self.output = _combo(self, offered.outputs)
        self.repeats = QSpinBox(self)
        self.repeats.setRange(1, MOST)
        self.profile = QComboBox(self)
        usual = default_profile(offered.project, offered.environ)
        if usual:
            self.profile.addItem(self.tr("Default of the project: {profile}").format(profile=usual), "")
        for one in offered.profiles:
            self.profile.addItem(one, one)
        self.profile.currentIndexChanged.connect(of_number(lambda _: self._show_made_up()))
        self.made_up = QLabel(self.tr("Its answers are made up: scores say nothing of a model."), self)
        self.made_up.setProperty("tone", "held")
        self.wrong = QLabel(self)
        self.wrong.setProperty("tone", "failed")
        self.wrong.setWordWrap(True)
        self.wrong.setTextFormat(Qt.TextFormat.PlainText)
        self.wrong.hide()
        self._fill(more)
        for _ in range(2):
            self.add_variant()
        self._read_columns()
        self._show_scoring()
        self._show_made_up()

    def draft(self) -> Draft:
        """Give what was chosen."""
        kind: ScorerKind = self.scorer.currentData()
        return Draft(
            self.name.text(),
            self._offered.path,
            self.dataset.currentText(),
            {name: str(box.currentData() or "") for name, box in self.inputs.items()},
            [one.draft() for one in self.variants],
            kind,
            str(self.expected.currentData() or ""),
            self.output.currentText() if kind else "",
            self.repeats.value(),
            str(self.profile.currentData() or ""),
        )

    def say(self, words: str) -> None:
        """Say what keeps the draft from being written."""
        self.wrong.setText(words)
        self.wrong.setVisible(bool(words))

    def add_variant(self) -> None:
        """Add a variant, the first as it is, others with another prompt where there is one."""
        row = VariantRow(self._look, self._offered, self._changeable, len(self.variants), self)
        row.removed.connect(lambda: self._remove(row))
        self.variants.append(row)
        self._variant_rows.addWidget(row)

    def _remove(self, row: "VariantRow") -> None:
        if len(self.variants) > 1:
            self.variants.remove(row)
            row.hide()
            row.deleteLater()

    def _fill(self, more: QPushButton) -> None:
        buttons = QDialogButtonBox(self)
        create = buttons.addButton(self.tr("Create"), QDialogButtonBox.ButtonRole.AcceptRole)
        mark(create, primary=True)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._want)
        buttons.rejected.connect(self.reject)
        hint = QLabel(self.tr("Nothing is run yet: cost and power are shown first."), self)
        hint.setProperty("tone", "muted")
        form = QFormLayout()
        form.addRow(self.tr("Name"), self.name)
        form.addRow(self.tr("Dataset"), self.dataset)
        form.addRow(self.tr("Inputs"), self._mapping)
        form.addRow(_heading(self.tr("Variants"), self))
        form.addRow(self._variant_rows)
        form.addRow(more)
        form.addRow(_heading(self.tr("Score"), self))
        form.addRow(self.tr("Scorer"), self.scorer)
        form.addRow(self.tr("Expected answer"), self.expected)
        form.addRow(self.tr("Scored output"), self.output)
        form.addRow(_heading(self.tr("Run"), self))
        form.addRow(self.tr("Repeats"), self.repeats)
        form.addRow(self.tr("Chat profile"), self.profile)
        form.addRow("", self.made_up)
        inner = QWidget(self)
        whole = QVBoxLayout(inner)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addLayout(form)
        whole.addStretch(1)
        self._form = form
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(inner)
        rows = QVBoxLayout(self)
        rows.addWidget(scroll, 1)
        rows.addWidget(self.wrong)
        rows.addWidget(hint)
        rows.addWidget(buttons)

    def _read_columns(self) -> None:
        """Offer the columns of the chosen dataset, with a guess for each input."""
        columns: Sequence[str] = ()
        self.say("")
        if not self.dataset.count():
            self.say(
                self.tr("The project has no dataset: put a .jsonl or .csv file with a row a line into data/.")
            )
        else:
            try:
                columns = columns_of(self._offered.project, self.dataset.currentText())
            except StepwireError as error:
                self.say(str(error))
        while self._mapping.rowCount():
            self._mapping.removeRow(0)
        flow, registry = self._offered.flow, self._offered.registry
        guessed = mapping_of(flow, registry, columns)
        self.inputs.clear()
        for one in input_fields(flow, registry):
            nothing = self.tr("Choose a column") if one.is_required else self.tr("Its default")
            box = _columns(self, columns, guessed[str(one.node)], nothing)
            box.setAccessibleName(self.tr("Column for {input}").format(input=one.label))
            self.inputs[str(one.node)] = box
            self._mapping.addRow(one.label, box)
        self.expected.clear()
        for one in columns:
            self.expected.addItem(one, one)
        expected = expected_in(columns)
        if expected:
            self.expected.setCurrentText(expected)

    def _show_scoring(self) -> None:
        kind = self.scorer.currentData()
        self._form.setRowVisible(self.expected, kind not in {"", "judge"})
        self._form.setRowVisible(self.output, bool(kind) and self.output.count() > 1)

    def _show_made_up(self) -> None:
        profile = str(self.profile.currentData() or "")
        made_up = is_made_up(self._offered.project, profile, self._offered.environ)
        self._form.setRowVisible(self.made_up, made_up)

    def _want(self) -> None:
        draft = self.draft()
        missing = unfilled(self._offered.flow, self._offered.registry, draft.inputs)
        same = unchanged(draft.variants, self._changeable)
        if missing:
            said = self.tr("“{input}” has no default: choose the column that fills it.")
            self.say(said.format(input=missing[0]))
        elif same:
            said = self.tr("“{variant}” is the flow as it is: change its text or value.")
            self.say(said.format(variant=same[0]))
        else:
            self.wanted.emit(draft)


class VariantRow(QFrame):
    """One variant: its name, what is different in it, and that."""

    removed = Signal()

    def __init__(
        self, look: Look, offered: Offered, changeable: Sequence[Changeable], number: int, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setProperty("card", "true")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._changeable = changeable
        self.name = QLineEdit(self)
        self.name.setAccessibleName(self.tr("Name of variant {number}").format(number=number + 1))
        self.kind = QComboBox(self)
        self.kind.setAccessibleName(self.tr("What is different"))
        kinds: list[tuple[VariantKind, str, bool]] = [
            ("as it is", self.tr("As it is"), True),
            ("prompt", self.tr("Another prompt"), any(one.is_prompt for one in changeable)),
            ("setting", self.tr("Another setting"), any(not one.is_prompt for one in changeable)),
            ("profile", self.tr("Another chat profile"), bool(offered.profiles)),
            ("flow", self.tr("Another flow"), len(offered.flows) > 1),
        ]
        for kind, title, is_there in kinds:
            if is_there:
                self.kind.addItem(title, kind)
        self.place = QComboBox(self)
        self.place.setAccessibleName(self.tr("Where"))
        self.text = QPlainTextEdit(self)
        self.text.setAccessibleName(self.tr("The other text"))
        self.text.setFixedHeight(look.length("space.wide") * 4)
        self.value = QLineEdit(self)
        self.value.setAccessibleName(self.tr("The other value"))
        self._profiles, self._flows = offered.profiles, [one for one in offered.flows if one != offered.path]
        away = QToolButton(self)
        away.setIcon(look.icon("close", "text.muted"))
        away.setToolTip(self.tr("Remove the variant"))
        away.setAccessibleName(self.tr("Remove the variant"))
        away.clicked.connect(lambda: self.removed.emit())  # noqa: PLW0108
        head = QHBoxLayout()
        for widget, stretch in ((self.name, 2), (self.kind, 2), (self.place, 3), (away, 0)):
            head.addWidget(widget, stretch)
        rows = QVBoxLayout(self)
        rows.addLayout(head)
        rows.addWidget(self.text)
        rows.addWidget(self.value)
        self.kind.currentIndexChanged.connect(of_number(lambda _: self._show_kind()))
        self.place.currentIndexChanged.connect(of_number(lambda _: self._show_place()))
        self.kind.setCurrentIndex(min(number, 1) if self.kind.count() > 1 else 0)
        self.name.setText(
            self.tr("as it is") if number == 0 else self.tr("variant {number}").format(number=number + 1)
        )
        self._show_kind()

    def draft(self) -> VariantDraft:
        """Give what was chosen; a value is read as the setting has it now."""
        kind: VariantKind = self.kind.currentData()
        found = self.place.currentData()
        if isinstance(found, Changeable):
            typed = self.text.toPlainText() if kind == "prompt" else self.value.text()
            value = typed if kind == "prompt" else read_value(typed, found.value)
            return VariantDraft(self.name.text(), kind, found.node, found.setting, value)
        return VariantDraft(self.name.text(), kind, value=str(found or ""))

    def _show_kind(self) -> None:
        kind: VariantKind = self.kind.currentData()
        self.place.blockSignals(True)
        self.place.clear()
        if kind in {"prompt", "setting"}:
            for one in self._changeable:
                if one.is_prompt == (kind == "prompt"):
                    self.place.addItem(f"{one.title}: {one.label}", one)
        else:
            for name in {"profile": self._profiles, "flow": self._flows}.get(kind, ()):
                self.place.addItem(name, name)
        self.place.blockSignals(False)
        self.place.setVisible(kind != "as it is")
        self.text.setVisible(kind == "prompt")
        self.value.setVisible(kind == "setting")
        self._show_place()

    def _show_place(self) -> None:
        found = self.place.currentData()
        if isinstance(found, Changeable):
            self.text.setPlainText(str(found.value))
            self.value.setText(str(found.value))


def _combo(parent: QWidget, names: Sequence[str]) -> QComboBox:
    box = QComboBox(parent)
    box.addItems(list(names))
    return box


def _columns(parent: QWidget, columns: Sequence[str], chosen: str, nothing: str) -> QComboBox:
    box = QComboBox(parent)
    box.addItem(nothing, "")
    for one in columns:
        box.addItem(one, one)
    box.setCurrentIndex(max(box.findData(chosen), 0) if chosen else 0)
    return box


def _heading(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setProperty("type", "strong")
    return label
