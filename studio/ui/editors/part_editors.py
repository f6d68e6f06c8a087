"""Editors of values with parts: a list of lines, JSON, the cases of a branch."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QGridLayout, QLineEdit, QToolButton, QWidget

from studio.ids import slug
from studio.ui.editors.editor import Editor
from studio.ui.editors.highlight import CodeHighlighter
from studio.ui.editors.prose import GrowingText
from studio.ui.look import Look
from studio.ui.removal import take_out


class LinesEditor(Editor):
    """A list of texts, one a line; blank lines at the end are still being written and do not count."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = GrowingText(look, self, least=2, most=10)
        self.field.setUndoRedoEnabled(False)
        self.hold(self.field, name)
        self.field.textChanged.connect(self._tell)

    def value(self) -> list[str]:
        """The lines."""
        text = self.field.toPlainText().rstrip("\n")
        return text.split("\n") if text else []

    def show_value(self, value: object) -> None:
        """Show a list of texts."""
        self.field.put("\n".join(str(one) for one in _sequence(value)))


class JsonEditor(Editor):
    """Any JSON value, as text; what is not JSON is kept in the field and said, and not told."""

    def __init__(
        self, look: Look, name: str, parent: QWidget | None = None, *, optional: bool = False
    ) -> None:
        super().__init__(parent)
        self._kept: object = None
        self._read_text = ""
        self._is_broken = False
        self._optional = optional
        self.field = GrowingText(look, self, least=3, most=18)
        self.field.setUndoRedoEnabled(False)
        self.field.setProperty("mono", True)
        self._highlighter = CodeHighlighter(self.field.document(), look, "json")
        self.hold(self.field, name)
        self.field.textChanged.connect(self._read)

    def value(self) -> object:
        """The last value that was JSON."""
        return self._kept

    def show_value(self, value: object) -> None:
        """Show a plain JSON value, indented."""
        self._kept, self._is_broken = value, False
        empty = value is None and self._optional
        self.field.put("" if empty else json.dumps(value, indent=2, ensure_ascii=False))
        self.say("")

    def rejected(self) -> str | None:
        """The text, while it is not JSON."""
        return self.field.toPlainText() if self._is_broken else None

    def show_rejected(self, text: str) -> None:
        """Show text that is not JSON again."""
        self.field.setPlainText(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Undo takes back text that is not JSON first: no history of the flow knows of it."""
        if self.message and isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Undo):
            if event.type() == QEvent.Type.KeyPress:
                self._is_setting = True
                self.show_value(self._kept)
                self._is_setting = False
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _read(self) -> None:
        text = self.field.toPlainText()
        is_same, self._read_text = text == self._read_text, text
        if self._is_setting or is_same:  # colours that change are told as text is
            return
        if not text.strip() and self._optional:
            self._kept = None
        else:
            try:
                self._kept = json.loads(text, parse_constant=_refuse)
            except ValueError as error:
                self._is_broken = True
                self.say(json_refusal(error))
                return
        self._is_broken = False
        self.say("")
        self._tell()


@dataclass(slots=True)
class _CaseRow:
    label: QLineEdit
    when: QLineEdit
    remove: QToolButton
    port: str = ""
    """The port that the case was read with; it stays when the label changes."""
    first_label: str = ""

    def plain(self) -> dict[str, object]:
        """The case, without what says nothing."""
        case: dict[str, object] = {"label": self.label.text()}
        if self.when.text():
            case["when"] = self.when.text()
        if self.port:
            case["port"] = self.port
        elif self.first_label and self.first_label != self.label.text():
            case["port"] = str(slug(self.first_label))
        return case


class CasesEditor(Editor):
    """The cases of a branch: a label and when it holds, one row each; another row always waits below."""

    def __init__(
        self, name: str, parent: QWidget | None = None, *, hints: tuple[str, str] | None = None
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._hints = hints or (self.tr("New case"), self.tr("Everything else"))
        self._cases: list[_CaseRow] = []
        self._table = QWidget(self)
        self._grid = QGridLayout(self._table)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(0, 2)
        self._grid.setColumnStretch(1, 5)
        self._rows.addWidget(self._table)
        self._add()

    def value(self) -> list[dict[str, object]]:
        """The cases; a row without a label does not count."""
        return [case.plain() for case in self._cases if case.label.text().strip()]

    def show_value(self, value: object) -> None:
        """Show cases; rows that stay keep their cursor."""
        cases = [cast("Mapping[str, object]", one) for one in _sequence(value) if isinstance(one, Mapping)]
        while len(self._cases) > len(cases) + 1:
            self._drop()
        while len(self._cases) < len(cases) + 1:
            self._add()
        for row, case in zip(self._cases, [*cases, {}], strict=True):
            for field, key in ((row.label, "label"), (row.when, "when")):
                text = str(case.get(key, ""))
                if field.text() != text:
                    field.setText(text)
                    field.setCursorPosition(0)
            row.port, row.first_label = str(case.get("port", "")), row.label.text()
        self._show_buttons()

    def _add(self) -> None:
        number = len(self._cases) + 1
        label, when = QLineEdit(self._table), QLineEdit(self._table)
        label.setPlaceholderText(self._hints[0])
        when.setPlaceholderText(self._hints[1])
        label.setAccessibleName(self.tr("Label of case {number}").format(number=number))
        when.setAccessibleName(self.tr("Rule of case {number}").format(number=number))
        when.setProperty("mono", True)
        for field in (label, when):
            field.installEventFilter(self)
            field.textEdited.connect(self._changed)
        remove = QToolButton(self._table)
        remove.setText("×")
        remove.setProperty("plain", True)
        remove.setToolTip(self.tr("Remove this case"))
        remove.setAccessibleName(self.tr("Remove case {number}").format(number=number))
        remove.clicked.connect(lambda: self._remove(remove))
        for column, widget in enumerate((label, when, remove)):
            self._grid.addWidget(widget, number, column)
        self._cases.append(_CaseRow(label, when, remove))
        self.setFocusProxy(self._cases[0].label)
        self._show_buttons()

    def _changed(self) -> None:
        if self._cases[-1].label.text().strip():
            self._add()
        self._tell()

    def _remove(self, button: QToolButton) -> None:
        self.visited.emit()
        self.set_value([case.plain() for case in self._cases[:-1] if case.remove is not button])
        self._tell()

    def _drop(self) -> None:
        row = self._cases.pop()
        for widget in (row.label, row.when, row.remove):
            take_out(self._grid, widget)

    def _show_buttons(self) -> None:
        for index, row in enumerate(self._cases):
            is_last = index == len(self._cases) - 1
            row.remove.setVisible(not is_last)
            row.when.setEnabled(not is_last)


def json_refusal(error: ValueError) -> str:
    """Say what is wrong with a text that should be JSON, with its place."""
    if isinstance(error, json.JSONDecodeError):
        return f"Line {error.lineno}, column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]}."
    return f"{error}."


def _sequence(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()


def _refuse(constant: str) -> object:
    raise ValueError(f"`{constant}` is not JSON")
