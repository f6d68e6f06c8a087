"""Labelled editors under one another, in the order in which they are read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.flow.plain_text import quoted
from studio.ui.editors.editor import Editor
from studio.ui.editors.simple import FlagEditor
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
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(look.length("space.normal"))
        if title:
            heading = QLabel(title, self)
            heading.setProperty("type", "section")
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
        box = QVBoxLayout(holder)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(self._look.length("space.tight"))
        if is_row:
            row = QHBoxLayout()
            row.setSpacing(self._look.length("space.normal"))
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
            hint = QLabel(quoted(help_text), self)
            hint.setTextFormat(Qt.TextFormat.PlainText)
            hint.setProperty("type", "small")
            hint.setProperty("tone", "muted")
            hint.setWordWrap(True)
            box.addWidget(hint)
        self._rows.addWidget(holder)

    def show_field(self, name: str, *, is_shown: bool) -> None:
        """Show a field with its label, or hide both."""
        self._holders[name].setVisible(is_shown)

    def _caption(self, label: str, editor: Editor) -> QLabel:
        caption = QLabel(label, self)
        caption.setTextFormat(Qt.TextFormat.PlainText)
        caption.setProperty("type", "label")
        caption.setProperty("tone", "muted")
        caption.setBuddy(editor)
        return caption
