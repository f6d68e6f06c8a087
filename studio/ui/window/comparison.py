"""Two runs side by side: which steps did something else, and how."""

import json
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from studio.flow.records import CallingLibrary, Flow
from studio.ids import StepId, step_parts
from studio.trace import figures
from studio.trace.comparison import Side, StepPair, compare_steps, seconds_of
from studio.trace.state import RunState
from studio.ui.look import Look
from studio.ui.panels.listing import Listing, ListRow
from studio.ui.slots import of_flag, of_number, of_text
from studio.ui.viewmodels import wording
from studio.ui.window.room import open_at

LONGEST = 20_000
"""Characters of one value that are shown."""


class ComparisonView(QDialog):
    """Lists the steps of two runs, those that differ first of all, and shows the chosen one of both."""

    def __init__(
        self,
        look: Look,
        flow: Flow,
        first: RunState,
        second: RunState,
        parent: QWidget,
        library: CallingLibrary | None = None,
    ) -> None:
        super().__init__(parent)
        self._look, self._flow, self._library = look, flow, library
        self.pairs: Sequence[StepPair] = compare_steps(first, second)
        self.setWindowTitle(self.tr("Two runs compared"))
        wide, large = look.length("space.wide"), look.length("space.large")
        open_at(self, QSize(wide * 44, wide * 28))
        self.summary = QLabel(self._said(first, second), self)
        self.summary.setWordWrap(True)
        self.list = Listing(look, self.tr("Steps"), self)
        self.list.chosen.connect(of_text(self._show))
        self.list.currentRowChanged.connect(of_number(lambda _: self._show(self.list.current_key())))
        self.only_differing = QCheckBox(self.tr("Only what differs"), self)
        self.only_differing.setChecked(True)
        self.only_differing.toggled.connect(of_flag(lambda _: self._list()))
        left = QWidget(self)
        rows = QVBoxLayout(left)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self.only_differing)
        rows.addWidget(self.list, 1)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.addWidget(left)
        splitter.addWidget(self._area)
        splitter.setSizes([wide * 12, wide * 32])
        close = QPushButton(self.tr("Close"), self)
        close.clicked.connect(self.close)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(large, large, large, large)
        whole.setSpacing(look.length("space.normal"))
        whole.addWidget(self.summary)
        whole.addWidget(splitter, 1)
        whole.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        self._list()

    def _said(self, first: RunState, second: RunState) -> str:
        differing = sum(not pair.is_same for pair in self.pairs)
        said = (
            self.tr("{count} of {all} steps differ.").format(count=differing, all=len(self.pairs))
            if differing
            else self.tr("Both did the same.")
        )
        lines = [said]
        for title, state in ((self.tr("First run"), first), (self.tr("Second run"), second)):
            spent = [
                figures.duration(seconds_of(state)),
                wording.tokens(state.tokens),
                figures.cost(state.cost),
            ]
            lines.append(f"{title}: {' · '.join([wording.moment(state.started), *spent])}")
        return "\n".join(lines)

    def _list(self) -> None:
        rows = [
            ListRow(
                pair.step,
                self._title(pair.step),
                self._differs(pair),
                "" if pair.is_same else "state.held",
                pair.step,
            )
            for pair in self.pairs
            if not (pair.is_same and self.only_differing.isChecked())
        ]
        self.list.show_rows(rows)
        if rows and not self.list.current_key():
            self.list.setCurrentRow(0)
        self._show(self.list.current_key())

    def _differs(self, pair: StepPair) -> str:
        if pair.first is None:
            return self.tr("only in the second run")
        if pair.second is None:
            return self.tr("only in the first run")
        return ", ".join(map(self._name, pair.differing))

    def _title(self, step: StepId) -> str:
        """A step's name, and for what it asked which chat or tool this was."""
        title = wording.step_title(self._flow, step, self._library)
        call, _, number = step_parts(step)[2].partition(".")
        words = {"chat": self.tr("chat"), "tool": self.tr("tool")}
        return f"{title}: {words.get(call, call)} {number}".rstrip() if call else title

    def _name(self, thing: str) -> str:
        """What was compared, in words: `read prompt` for `inputs.prompt`."""
        what, _, port = thing.partition(".")
        match what:
            case "inputs":
                return self.tr("read {port}").format(port=port)
            case "outputs":
                return self.tr("gave {port}").format(port=port)
            case "status":
                return self.tr("state")
            case _:
                return thing

    def _show(self, step: str) -> None:
        pair = next((one for one in self.pairs if one.step == step), None)
        page = QWidget(self._area)
        grid = QGridLayout(page)
        grid.setSpacing(self._look.length("space.small"))
        if pair is not None:
            for column, (title, side) in enumerate(
                ((self.tr("First run"), pair.first), (self.tr("Second run"), pair.second))
            ):
                grid.addWidget(self._label(title, "strong"), 0, column)
                grid.addWidget(self._label(self._spent(side), "small"), 1, column)
            sides = (pair.first or Side(), pair.second or Side())
            names = dict.fromkeys((*pair.differing, *sides[0].things, *sides[1].things))
            for number, name in enumerate(names):
                mark = " ≠" if name in pair.differing else ""
                heading = self._label(self._name(name) + mark, "strong" if mark else "small")
                grid.addWidget(heading, 2 + 2 * number, 0, 1, 2)
                for column, side in enumerate(sides):
                    grid.addWidget(self._text(side, name), 3 + 2 * number, column)
            grid.setRowStretch(2 + 2 * len(names), 1)
        self._area.setWidget(page)

    def _spent(self, side: Side | None) -> str:
        if side is None:
            return self.tr("not in this run")
        return " · ".join(
            [figures.duration(side.seconds), wording.tokens(side.tokens), figures.cost(side.cost)]
        )

    def _label(self, text: str, kind: str) -> QLabel:
        label = QLabel(text, self)
        label.setProperty("type", kind)
        return label

    def _text(self, side: Side, name: str) -> QPlainTextEdit:
        value = side.things.get(name)
        shown = (
            value
            if isinstance(value, str)
            else ""
            if value is None
            else json.dumps(value, ensure_ascii=False, indent=2)
        )
        box = QPlainTextEdit(shown[:LONGEST], self)
        box.setReadOnly(True)
        box.setAccessibleName(name)
        lines = min(max(shown.count("\n") + 1, 2), 12)
        box.setFixedHeight(lines * box.fontMetrics().lineSpacing() + self._look.length("space.large"))
        return box
