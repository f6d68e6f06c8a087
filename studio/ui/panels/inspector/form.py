"""Labelled editors under one another, in the order in which they are read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtWidgets import QLabel, QWidget

from studio.flow.plain_text import quoted
from studio.ui.editors.editor import Editor
from studio.ui.editors.simple import FlagEditor
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look


@dataclass(frozen=True, slots=True)
class Field:
    """One row of a form: its name in the flow, and the editor."""

    name: str
    label: str
    editor: Editor


class Form(QWidget):
    """A titled group of fields; told and asked by the fields' names."""

    def __init__(self, look: Look, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._fields: dict[str, Field] = {}
        self._holders: dict[str, QWidget] = {}
        self._rows = column_layout(self, 0, look.length("space.normal"))
        if title:
            heading = text_label(title, self, "section")
            self._rows.addWidget(heading)

    def __iter__(self) -> Iterator[Field]:
        return iter(self._fields.values())

    def __getitem__(self, name: str) -> Editor:
        return self._fields[name].editor

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def add(
        self,
        name: str,
        label: str,
        editor: Editor,
        *,
        edited: Callable[[object], None] | None = None,
        visited: Callable[[], None] | None = None,
        help_text: str = "",
        is_row: bool = False,
    ) -> None:
        """Put a field at the end; `is_row` sets its label beside it instead of above."""
        self._fields[name] = Field(name, label, editor)
        if edited is not None:
            editor.edited.connect(edited)
        if visited is not None:
            editor.visited.connect(visited)
        holder = QWidget(self)
        self._holders[name] = holder
        box = column_layout(holder, 0, self._look.length("space.tight"))
        if is_row:
            row = row_layout(spacing=self._look.length("space.normal"))
            caption = self._caption(label, editor)
            caption.setFixedWidth(self._look.length("space.wide") * 4)
            caption.setWordWrap(True)
            row.addWidget(caption)
            row.addWidget(editor, 1)
            box.addLayout(row)
        else:
            if label and not isinstance(editor, FlagEditor):
                box.addWidget(self._caption(label, editor))
            box.addWidget(editor)
        if help_text:
            hint = text_label(quoted(help_text), self, "small", "muted", wraps=True, is_plain=True)
            box.addWidget(hint)
        self._rows.addWidget(holder)

    def show_field(self, name: str, *, is_shown: bool) -> None:
        """Show a field with its label, or hide both."""
        self._holders[name].setVisible(is_shown)

    def _caption(self, label: str, editor: Editor) -> QLabel:
        caption = text_label(label, self, "label", "muted", is_plain=True)
        caption.setBuddy(editor)
        return caption
