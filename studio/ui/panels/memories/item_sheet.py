"""One item of a memory, to be written by hand: its text, and what its kind knows besides."""

import json
from collections.abc import Mapping
from typing import Any, cast

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QFormLayout, QLineEdit, QPlainTextEdit, QWidget

from studio.app.memories.project_memories import USER
from studio.app.memories.written_items import NAMED, written_item
from studio.errors import StepwireError
from studio.flow.plain_text import pretty, quoted
from studio.flow.records import Json
from studio.sdk.items import Item
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.dialog_end import DialogEnd
from studio.ui.slots import of_any
from studio.ui.viewmodels.memories.memory_words import fields_of


class ItemSheet(QDialog):
    """Asks for the text of an item, for what its kind has besides, and for other data as JSON."""

    def __init__(self, look: Look, kind: str, item: Item | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind, self._item = kind, item
        self._given: Mapping[str, Json] = item.data if item is not None else {}
        if item is not None and kind in NAMED:
            self._given = {**self._given, NAMED[kind]: item.id}
        self.setWindowTitle(self.tr("Edit an item") if item is not None else self.tr("Add an item"))
        fields = fields_of(kind)
        rows = column_layout(self, spacing=look.length("space.normal"))
        form = QFormLayout()
        self.fields = {name: self._field(name, form) for name in fields}
        self.text = _text_field(item.text if item is not None else "", self.tr("Text"), self)
        form.addRow(self.tr("Text"), self.text)
        rest = {name: value for name, value in self._given.items() if name not in fields}
        self.rest = _text_field(pretty(rest) if rest else "", self.tr("More, as JSON"), self)
        self.rest.setProperty("mono", True)
        self.rest.setMaximumHeight(look.length("space.wide") * 5)
        self.rest.setPlaceholderText('{"name": "value"}')
        form.addRow(self.tr("More, as JSON"), self.rest)
        rows.addLayout(form, 1)
        self.reason = text_label("", self, tone="failed", wraps=True)
        rows.addWidget(self.reason)
        end = DialogEnd(self, self.tr("Save"), self.accept)
        self.keep = end.button
        rows.addLayout(end)
        for one in (self.text, self.rest):
            one.textChanged.connect(self._check)
        for field in self.fields.values():
            field.textChanged.connect(of_any(self._check))
        self._check()
        wide = look.length("space.wide")
        self.resize(QSize(wide * 24, wide * 18))

    def data(self) -> dict[str, Json]:
        """The fields as they stand; raises `ValueError` where the JSON is none."""
        written = self.rest.toPlainText().strip()
        found: Any = json.loads(written) if written else {}
        if not isinstance(found, dict):
            raise ValueError(self.tr("it must be an object, {…}"))  # noqa: TRY004  # as what is no JSON
        rest = cast("dict[str, Json]", found)
        named = {name: self._value(name, field.text()) for name, field in self.fields.items() if field.text()}
        return {**named, **rest}

    def item(self) -> Item:
        """The item as it stands; raises `ValueError` or `StepwireError` where its kind has no such item."""
        return written_item(self._kind, self._item, self.text.toPlainText(), self.data(), USER)

    def _value(self, name: str, written: str) -> Json:
        """A number stays a number, and a new field that reads as one becomes one; all else is text."""
        before = self._given.get(name)
        if isinstance(before, str):
            return written
        try:
            return float(written) if "." in written else int(written)
        except ValueError:
            return written

    def _field(self, name: str, form: QFormLayout) -> QLineEdit:
        value = self._given.get(name)
        field = QLineEdit("" if value is None else str(value), self)
        field.setAccessibleName(name)
        form.addRow(name.capitalize(), field)
        return field

    def _check(self) -> None:
        reason = ""
        try:
            found = self.data()
            if not self.text.toPlainText().strip() and not found:
                reason = self.tr("Enter a text.")
            else:
                self.item()
        except StepwireError as error:
            reason = quoted(f"{error.message} {error.hint}".strip())
        except ValueError as error:
            reason = self.tr("This is not JSON: {reason}.").format(reason=error)
        self.reason.setText(reason)
        self.keep.setEnabled(not reason)


def _text_field(text: str, name: str, parent: QWidget) -> QPlainTextEdit:
    field = QPlainTextEdit(text, parent)
    field.setAccessibleName(name)
    field.setTabChangesFocus(True)
    return field
