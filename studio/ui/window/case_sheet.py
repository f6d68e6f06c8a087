"""What is to be expected of a step that becomes a case."""

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any, get_args

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio.app.cases import Case, Expected, Match
from studio.flow.plain_text import pretty
from studio.ui.look import Look
from studio.ui.window.room import open_at

LINES = 6
"""Lines of an expected value that are seen at once."""


class CaseSheet(QDialog):
    """Asks for a case's name, and for each output what it is to be; at first nothing for those in `loose`."""

    def __init__(
        self, look: Look, case: Case, loose: Collection[str], warning: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._case = case
        self.setWindowTitle(self.tr("Turn a step into a case"))
        rows = QVBoxLayout(self)
        rows.setSpacing(look.length("space.normal"))
        words = self.tr("The step runs alone on what it read here, and has to give what you expect.")
        rows.addWidget(_said(f"{words} {warning}".strip(), self))
        page = QWidget(self)
        form = QFormLayout(page)
        form.setContentsMargins(0, 0, look.length("space.normal"), 0)
        self.name = QLineEdit(case.name, self)
        self.name.selectAll()
        form.addRow(self.tr("Name"), self.name)
        self.outputs = {port: _Output(look, port, one, self) for port, one in case.expected.items()}
        for port, output in self.outputs.items():
            form.addRow(port, output)
            if port in loose:
                output.how.setCurrentIndex(output.how.count() - 1)
            output.text.textChanged.connect(self._check)
            output.how.currentIndexChanged.connect(self._check)
        area = QScrollArea(self)  # an agent has many outputs: the buttons stay on the screen
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        rows.addWidget(area, 1)
        self.reason = _said("", self)
        self.reason.setProperty("tone", "failed")
        rows.addWidget(self.reason)
        cancel = QPushButton(self.tr("Cancel"), self)
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        self.keep = QPushButton(self.tr("Keep it"), self)
        self.keep.setProperty("primary", True)
        self.keep.setDefault(True)
        self.keep.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.keep)
        rows.addLayout(buttons)
        self._check()
        margins = rows.contentsMargins()
        around = rows.sizeHint().height() - area.sizeHint().height() + margins.bottom()
        open_at(self, QSize(look.length("space.large") * 32, page.sizeHint().height() + around))

    def case(self) -> Case:
        """The case as it was asked for; raises `ValueError` for a value that is not JSON."""
        expected = {port: one.expected() for port, one in self.outputs.items()}
        wanted = {port: one for port, one in expected.items() if one is not None}
        return replace(self._case, name=self.name.text().strip() or self._case.name, expected=wanted)

    def _check(self) -> None:
        reason = ""
        try:
            case = self.case()
            if not case.expected and not case.absent:
                reason = self.tr("Nothing is expected of it.")
        except ValueError as error:
            reason = self.tr("This is not JSON: {reason}.").format(reason=error)
        self.reason.setText(reason)
        self.keep.setEnabled(not reason)


class _Output(QWidget):
    """How one output is compared, and with what; text stands as text, all else as JSON."""

    def __init__(self, look: Look, port: str, expected: Expected, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_text = isinstance(expected.value, str)
        self.how = QComboBox(self)
        words = {"equals": self.tr("is"), "contains": self.tr("contains")}
        for match in get_args(Match):
            self.how.addItem(words[match], match)
        self.how.addItem(self.tr("may be anything"), "")
        self.how.setAccessibleName(self.tr("How {port} is compared").format(port=port))
        self.text = QPlainTextEdit(self)
        self.text.setPlainText(expected.value if isinstance(expected.value, str) else pretty(expected.value))
        self.text.setAccessibleName(port)
        self.text.setTabChangesFocus(True)
        lines = min(self.text.document().blockCount(), LINES) + 1
        self.text.setFixedHeight(self.text.fontMetrics().lineSpacing() * lines + look.length("space.large"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.how, alignment=Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        self.how.currentIndexChanged.connect(lambda: self.text.setEnabled(bool(self.how.currentData())))

    def expected(self) -> Expected | None:
        """What is expected; None where it may be anything."""
        match = self.how.currentData()
        if not match:
            return None
        text = self.text.toPlainText()
        value: Any = text if self._is_text or match == "contains" else json.loads(text)
        return Expected(value, match)


def _said(words: str, parent: QWidget) -> QLabel:
    label = QLabel(words, parent)
    label.setWordWrap(True)
    return label
