"""What one output of a case is to be: a value, a part of it, or what a check lets pass."""

import json
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QWidget

from studio.experiments.cases.case_checks import compared_with
from studio.experiments.cases.case_files import Expected
from studio.flow.plain_text import pretty
from studio.sdk.node import NodeType
from studio.ui.editors.make import Surroundings
from studio.ui.layouts import column_layout, row_layout
from studio.ui.removal import take_out
from studio.ui.window.cases.check_form import CheckForm

LINES = 6
"""Lines of an expected value that are seen at once."""
BESIDE = "facts"
"""What a rule looks at beside the value; it is not what is expected, so nothing recorded is put there."""


class CaseOutput(QWidget):
    """How one output is compared, and with what; text stands as text, all else as JSON."""

    edited = Signal()
    grown = Signal()
    """There is more to be asked for than before."""

    def __init__(
        self,
        around: Surroundings,
        port: str,
        expected: Expected,
        checks: Sequence[NodeType],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._around = around
        self._kinds = {kind.kind: kind for kind in checks}
        self._is_text = isinstance(expected.value, str)
        self.how = QComboBox(self)
        self.how.addItem(self.tr("is"), "equals")
        self.how.addItem(self.tr("contains"), "contains")
        for kind in checks:
            self.how.addItem(self.tr("passes {check}").format(check=kind.title), kind.kind)
        self.how.addItem(self.tr("can be anything"), "")
        self.how.setAccessibleName(self.tr("How {port} is compared").format(port=port))
        self.text = QPlainTextEdit(self)
        self.text.setPlainText(expected.value if isinstance(expected.value, str) else pretty(expected.value))
        self.text.setAccessibleName(port)
        self.text.setTabChangesFocus(True)
        lines = min(self.text.document().blockCount(), LINES) + 1
        room = around.look.length("space.large")
        self.text.setFixedHeight(self.text.fontMetrics().lineSpacing() * lines + room)
        self.check: CheckForm | None = None
        row = row_layout(self, 0)
        row.addWidget(self.how, alignment=Qt.AlignmentFlag.AlignTop)
        self._rows = column_layout(spacing=around.look.length("space.normal"))
        self._rows.addWidget(self.text)
        row.addLayout(self._rows, 1)
        self.how.currentIndexChanged.connect(self._follow)
        self.text.textChanged.connect(self.edited)

    def expected(self) -> Expected | None:
        """What is expected; None where it may be anything. Raises `ValueError` for what does not fit."""
        how = self.how.currentData()
        text = self.text.toPlainText()
        if not how:
            return None
        if self.check is not None:
            value = _loosely(text, is_text=self._is_text) if self._port_of(self.check.kind) else None
            return Expected(value, "check", how, self.check.settings())
        if how == "contains":
            return Expected(text, "contains")
        value: Any = text if self._is_text else json.loads(text)
        return Expected(value)

    def _follow(self) -> None:
        """Show what the chosen way of comparing needs."""
        kind = self._kinds.get(self.how.currentData())
        if self.check is not None:
            take_out(self._rows, self.check)
            self.check = None
        if kind is not None:
            self.check = CheckForm(kind, self._around, self)
            self.check.edited.connect(self.edited)
            self._rows.addWidget(self.check)
            self.check.show()
        self.text.setEnabled(bool(self.how.currentData()))
        self.text.setVisible(kind is None or bool(self._port_of(kind)))
        self.edited.emit()
        self.grown.emit()

    def _port_of(self, kind: NodeType) -> str:
        """The input of a check that takes what is expected; empty where it needs nothing."""
        port = compared_with(kind.inputs)
        return "" if port is None or port == BESIDE else port


def _loosely(text: str, *, is_text: bool) -> Any:
    """What a check compares with: JSON where it is some, a text otherwise, None where nothing is written.

    For a text, only lists and objects are taken as JSON: several texts, or calls that are wanted.
    """
    if is_text and text.lstrip()[:1] not in {"[", "{"}:
        return text or None
    try:
        return json.loads(text)
    except ValueError:
        return text or None
