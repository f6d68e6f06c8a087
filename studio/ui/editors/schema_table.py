"""A table of the fields of a schema: one line each, and below it what it is; objects have tables inside."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QScrollArea, QToolButton, QWidget

from studio.ui.editors.editor import leaves_undo, mouse_focus
from studio.ui.later import later
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.removal import take_out
from studio.ui.viewmodels.flow.schema_rows import KINDS, OTHER, SchemaRow

SETTLED = 40
"""Milliseconds until a line that was added has its place in all the layouts around it."""


class SchemaTable(QWidget):
    """Shows rows; another one always waits below. Tells `changed` with all rows that have a name."""

    changed = Signal(object)
    visited = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.lines: list[SchemaLine] = []
        self._box = column_layout(self, 0, look.length("space.small"))
        self._add()

    def rows(self) -> tuple[SchemaRow, ...]:
        """The rows as they stand; the one that waits does not count."""
        return tuple(line.row() for line in self.lines[:-1])

    def show_rows(self, rows: Sequence[SchemaRow]) -> None:
        """Show other rows; lines that stay keep their cursor."""
        while len(self.lines) > len(rows) + 1:
            self._drop()
        while len(self.lines) < len(rows) + 1:
            self._add()
        for line, row in zip(self.lines, [*rows, SchemaRow()], strict=True):
            line.show_row(row)
        self._mark_last()

    def order_tabs(self) -> None:
        """Let Tab go through the fields as they are read; tables inside are made later than what is below."""
        for before, after in pairwise(self.widgets()):
            QWidget.setTabOrder(before, after)

    def widgets(self) -> list[QWidget]:
        """All that can have the keyboard, as it is read."""
        return [widget for line in self.lines for widget in line.widgets()]

    def _add(self) -> None:
        line = SchemaLine(self._look, len(self.lines) + 1, self)
        line.changed.connect(self._changed)
        line.visited.connect(self.visited)
        line.removed.connect(lambda: self._remove(line))
        line.entered.connect(self._write_next)
        self.lines.append(line)
        self._box.addWidget(line)
        self.setFocusProxy(self.lines[0].name)
        self._mark_last()

    def _drop(self) -> None:
        line = self.lines.pop()
        take_out(self._box, line)

    def _remove(self, line: "SchemaLine") -> None:
        self.visited.emit()
        rows = [one.row() for one in self.lines[:-1] if one is not line]
        self.show_rows(rows)
        self.changed.emit(tuple(rows))

    def _changed(self) -> None:
        if self.lines[-1].name.text().strip():
            self._add()
        self.changed.emit(self.rows())

    def _write_next(self) -> None:
        self.lines[-1].name.setFocus()
        later(self, self._show_next, SETTLED)

    def _show_next(self) -> None:
        ancestor, focused = self.parentWidget(), self.lines[-1].name
        while ancestor is not None:
            if isinstance(ancestor, QScrollArea):
                ancestor.ensureWidgetVisible(focused)
            ancestor = ancestor.parentWidget()

    def _mark_last(self) -> None:
        for line in self.lines:
            line.set_waiting(is_waiting=line is self.lines[-1])


class SchemaLine(QWidget):
    """One field: its name, what it is, whether it is a list, whether it must be there, what it means."""

    changed = Signal()
    visited = Signal()
    removed = Signal()
    entered = Signal()  # Return after a name: the next is written

    def __init__(self, look: Look, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._row = look, SchemaRow()
        box = column_layout(self, 0, look.length("space.tight"))
        self.name = self._field(self.tr("New field"), self.tr("Name of field {number}"), number)
        self.kind = QComboBox(self)
        self.kind.setAccessibleName(self.tr("Type of field {number}").format(number=number))
        self.kind.addItems(list(KINDS))
        mouse_focus(self.kind)
        self.remove = QToolButton(self)
        self.remove.setText("×")
        self.remove.setProperty("plain", True)
        self.remove.setToolTip(self.tr("Remove this field"))
        self.remove.setAccessibleName(self.tr("Remove field {number}").format(number=number))
        head = QHBoxLayout()
        head.addWidget(self.name, 3)
        head.addWidget(self.kind, 2)
        head.addWidget(self.remove)
        box.addLayout(head)
        self.more = QWidget(self)
        below = column_layout(self.more, (look.length("space.large"), 0, 0, 0), look.length("space.tight"))
        self.description = self._field(
            self.tr("Description"), self.tr("Description of field {number}"), number
        )
        self.choices = self._field(
            self.tr("Allowed values, separated by commas"),
            self.tr("Allowed values of field {number}"),
            number,
        )
        self.is_required = QCheckBox(self.tr("Required"), self.more)
        self.is_list = QCheckBox(self.tr("List"), self.more)
        marks = row_layout(spacing=look.length("space.large"))
        marks.addWidget(self.is_required)
        marks.addWidget(self.is_list)
        marks.addStretch(1)
        below.addWidget(self.description)
        below.addWidget(self.choices)
        below.addLayout(marks)
        self.table: SchemaTable | None = None
        self._below = below
        box.addWidget(self.more)
        self._connect()
        self.show_row(SchemaRow())

    def row(self) -> SchemaRow:
        """The field as it stands."""
        kind = self.kind.currentText()
        same = kind == self._row.kind
        return replace(
            self._row,
            name=self.name.text().strip(),
            kind=kind,
            is_list=self.is_list.isChecked() and kind != OTHER,
            is_required=self.is_required.isChecked(),
            description=self.description.text() if kind != OTHER else "",
            choices=_choices(self.choices.text()) if kind == "choice" else (),
            rows=self.table.rows() if self.table is not None and kind == "object" else (),
            kept=self._row.kept if same else {},
            inner=self._row.inner if same else {},
        )

    def show_row(self, row: SchemaRow) -> None:
        """Show a field; texts that are the same already keep their cursor."""
        self._row = row
        if row.kind == OTHER and self.kind.findText(OTHER) < 0:
            self.kind.addItem(OTHER)
        for widget in (self.kind, self.is_list, self.is_required):
            widget.blockSignals(True)  # shown, not edited
        self.kind.setCurrentText(row.kind)
        self.is_list.setChecked(row.is_list)
        self.is_required.setChecked(row.is_required)
        for widget in (self.kind, self.is_list, self.is_required):
            widget.blockSignals(False)
        for field, text in ((self.name, row.name), (self.description, row.description)):
            if field.text() != text:
                field.setText(text)
        if _choices(self.choices.text()) != row.choices:
            self.choices.setText(", ".join(row.choices))
        self._show_parts(row.kind)
        if self.table is not None and row.kind == "object":
            self.table.show_rows(row.rows)

    def widgets(self) -> list[QWidget]:
        """All that can have the keyboard, as it is read."""
        inside = self.table.widgets() if self.table is not None else []
        head = [self.name, self.kind, self.remove]
        return [*head, self.description, self.choices, self.is_required, self.is_list, *inside]

    def set_waiting(self, *, is_waiting: bool) -> None:
        """Show no more than the name where the field is not there yet."""
        self.remove.setVisible(not is_waiting)
        self.kind.setVisible(not is_waiting)
        self.more.setVisible(not is_waiting)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell of visits, and leave undo to the flow's own history."""
        return leaves_undo(event, self.visited) or super().eventFilter(watched, event)

    def _field(self, hint: str, name: str, number: int) -> QLineEdit:
        field = QLineEdit(self)
        field.setPlaceholderText(hint)
        field.setAccessibleName(name.format(number=number))
        field.installEventFilter(self)
        return field

    def _connect(self) -> None:
        self.name.returnPressed.connect(self._name_entered)
        self.name.editingFinished.connect(self._name_given)
        self.description.textEdited.connect(self._edited)
        self.choices.textEdited.connect(self._edited)
        self.kind.currentTextChanged.connect(self._kind_chosen)
        self.is_required.toggled.connect(self._ticked)
        self.is_list.toggled.connect(self._ticked)
        self.remove.clicked.connect(self.removed)

    def _name_given(self) -> None:
        """A name counts when it is whole: each is a port, and letters on the way would each be another."""
        if self.name.text().strip() != self._row.name:
            self._edited()

    def _name_entered(self) -> None:
        self._name_given()
        self.entered.emit()

    def _kind_chosen(self, kind: str) -> None:
        self._show_parts(kind)
        self.visited.emit()
        if kind == "choice" and not _choices(self.choices.text()):
            self.choices.setFocus()
        self._edited()

    def _ticked(self) -> None:
        self.visited.emit()
        self._edited()

    def _edited(self) -> None:
        self._row = self.row()
        self.changed.emit()

    def _show_parts(self, kind: str) -> None:
        self.choices.setVisible(kind == "choice")
        self.description.setVisible(kind != OTHER)
        self.is_list.setVisible(kind != OTHER)
        if kind == "object" and self.table is None:
            self.table = SchemaTable(self._look, self.more)
            self.table.changed.connect(self._edited)
            self.table.visited.connect(self.visited)
            self._below.addWidget(self.table)
        if self.table is not None:
            self.table.setVisible(kind == "object")


def _choices(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))
