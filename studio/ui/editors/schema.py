"""The editor of a JSON Schema: a table of fields, and the schema itself as text beside it."""

from collections.abc import Sequence

from PySide6.QtWidgets import QToolButton, QWidget

from studio.ui.editors.editor import Editor
from studio.ui.editors.part_editors import JsonEditor
from studio.ui.editors.schema_table import SchemaTable
from studio.ui.labels import text_label
from studio.ui.layouts import row_layout
from studio.ui.look import Look
from studio.ui.viewmodels.flow.schema_rows import SchemaRow, complaint, rows_of, schema_of


class SchemaEditor(Editor):
    """Edits a schema of type object; without a field it is `empty` (None, or an object without anything)."""

    def __init__(self, look: Look, name: str, parent: QWidget | None = None, *, empty: object = None) -> None:
        super().__init__(parent)
        self._empty, self._kept = empty, empty
        self._rows.setSpacing(look.length("space.tight"))
        self.as_fields = self._view_button(self.tr("Fields"), self.tr("The fields as a table"))
        self.as_json = self._view_button(self.tr("JSON"), self.tr("The whole JSON Schema as text"))
        views = row_layout(spacing=look.length("space.tight"))
        views.addWidget(self.as_fields)
        views.addWidget(self.as_json)
        views.addStretch(1)
        self._rows.addLayout(views)
        self.table = SchemaTable(look, self)
        self.text = JsonEditor(look, name, self, optional=empty is None)
        self._not_here = text_label(
            self.tr("This schema cannot be shown as a table of fields; edit it as JSON."),
            self,
            "small",
            "muted",
            wraps=True,
        )
        self._is_json = False
        for part in (self._not_here, self.table, self.text):
            self._rows.addWidget(part)
        self.as_fields.clicked.connect(lambda: self.show_view(is_json=False))
        self.as_json.clicked.connect(lambda: self.show_view(is_json=True))
        self.table.visited.connect(self.visited)
        self.text.visited.connect(self.visited)
        self.table.changed.connect(self._rows_changed)
        self.text.edited.connect(self._text_changed)
        self.setAccessibleName(name)
        self.setFocusProxy(self.table)
        self.show_view(is_json=False)

    def value(self) -> object:
        """The last schema that could be one."""
        return self._kept

    def show_value(self, value: object) -> None:
        """Show a schema in both views."""
        self._kept = value
        self.text.set_value(value)
        self._show_rows()
        self.say("")

    def rejected(self) -> str | None:
        """The text, while it is not JSON."""
        return self.text.rejected()

    def show_rejected(self, text: str) -> None:
        """Show text that is not JSON again."""
        self.show_view(is_json=True)
        self.text.show_rejected(text)

    def show_view(self, *, is_json: bool) -> None:
        """Show the text, or the table where the schema has one."""
        has_table = rows_of(self._kept) is not None
        is_json = is_json or not has_table
        self._not_here.setVisible(not has_table)
        self.as_fields.setEnabled(has_table)
        self.as_fields.setChecked(not is_json)
        self.as_json.setChecked(is_json)
        self._is_json = is_json
        self.table.setVisible(not is_json)
        self.text.setVisible(is_json)

    @property
    def is_json(self) -> bool:
        """Whether the text is shown."""
        return self._is_json

    def _show_rows(self) -> None:
        found = rows_of(self._kept)
        if found is not None:
            self.table.show_rows(found)
            self.table.order_tabs()
        self.show_view(is_json=self.is_json)

    def _rows_changed(self, rows: Sequence[SchemaRow]) -> None:
        self.table.order_tabs()
        reason = complaint(rows)
        self.say(reason)
        if reason:
            return
        self._kept = schema_of(rows, self._kept) if rows else self._empty
        self.text.set_value(self._kept)
        self._tell()

    def _text_changed(self, value: object) -> None:
        self._kept = value
        self._show_rows()
        self.say("")
        self._tell()

    def _view_button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setCheckable(True)
        button.setProperty("plain", True)
        button.setToolTip(tip)
        return button
