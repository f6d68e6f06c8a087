"""Editors of objects, field by field, and of lists, entry by entry, each within the other."""

from collections.abc import Mapping
from typing import Any, cast

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QPushButton, QWidget

from studio.bounds.schemas import mismatch
from studio.runtime.resources.typed_answers import choices_of, part_of
from studio.ui.editors.editor import Editor, lead_to
from studio.ui.editors.simple import FlagEditor
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.forms.fields import (
    Schema,
    complain,
    fields_of,
    help_of,
    is_left_out,
    plain_editor,
    title_of,
)
from studio.ui.panels.inspector.form import Form
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.removal import take_out


class ObjectEditor(Editor):
    """The fields of an object; one that may be left out is filled in only where that is ticked."""

    def __init__(
        self, look: Look, part: Schema, whole: Schema, parent: QWidget | None = None, *, offered: str = ""
    ) -> None:
        super().__init__(parent)
        self._look, self._whole = look, whole
        self._parts = {name: part_of(one, whole) for name, one in fields_of(part).items()}
        self._required = {str(one) for one in cast("list[object]", part.get("required") or [])}
        self.offer = QCheckBox(self.tr("Fill in {name}").format(name=offered), self)
        self.offer.setVisible(bool(offered))
        self._rows.addWidget(self.offer)
        self.form = Form(look, parent=self)
        if part is not whole and not isinstance(parent, QFrame):
            self.form.setContentsMargins(look.length("space.normal"), 0, 0, 0)
        self._rows.addWidget(self.form)
        for name, one in self._parts.items():
            self._add(name, one)
        if offered:
            self.form.hide()
            self.offer.toggled.connect(self.form.setVisible)
            self.offer.toggled.connect(self._tell)
            self.setFocusProxy(self.offer)
        elif field := next(iter(self.form), None):
            self.setFocusProxy(field.editor)

    def value(self) -> Any:
        """The fields that were filled in; None for an object that is left out."""
        if self._is_left_out:
            return None
        values = {field.name: field.editor.value() for field in self.form}
        return {
            name: value
            for name, value in values.items()
            if not (is_left_out(value) or (value == [] and name not in self._required))
        }

    def show_value(self, value: object) -> None:
        """Show an object, each field that it has."""
        held = cast("Mapping[str, object]", value if isinstance(value, Mapping) else {})
        self.offer.setChecked(isinstance(value, Mapping))
        for field in self.form:
            if field.name in held:
                field.editor.set_value(held[field.name])

    def check(self) -> Editor | None:
        """Say at each field what is wrong there; gives the first."""
        if self._is_left_out:
            return None
        found = [self._check(field.name, field.editor, is_last=True) for field in self.form]
        return next((one for one in found if one is not None), None)

    @property
    def _is_left_out(self) -> bool:
        return not self.offer.isHidden() and not self.offer.isChecked()

    def _add(self, name: str, part: Schema) -> None:
        title, is_needed = title_of(part, name), name in self._required
        editor = editor_of(self._look, part, self._whole, title, self.form, is_required=is_needed)
        if "default" in part:
            editor.set_value(part["default"])
        is_offered = isinstance(editor, ObjectEditor) and not is_needed
        self.form.add(
            name,
            "" if is_offered else title if is_needed or _never_empty(editor) else self._optional(title),
            editor,
            edited=lambda _: self._heard(name, editor),
            visited=self.visited.emit,
            help_text=help_of(part),
        )

    def _optional(self, title: str) -> str:
        return self.tr("{title} (optional)").format(title=title)

    def _heard(self, name: str, editor: Editor) -> None:
        """Say at once what is wrong with what is being typed, but not that it is not there yet."""
        self._check(name, editor, is_last=False)
        self._tell()

    def _check(self, name: str, editor: Editor, *, is_last: bool) -> Editor | None:
        if isinstance(editor, ObjectEditor | EntriesEditor):
            if is_last:
                return editor.check()
            editor.say("")
            return None
        part = self._parts[name]
        is_needed = is_last and name in self._required
        return editor if complain(editor, part, title_of(part, name), is_required=is_needed) else None


class EntriesEditor(Editor):
    """The entries of a list, one under the other, with buttons that add and remove one."""

    def __init__(
        self, look: Look, part: Schema, whole: Schema, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._part, self._whole, self._name = look, part, whole, name
        self._entry = part_of(part["items"], whole)
        self.entries: list[tuple[QFrame, Editor]] = []
        self.list = column_layout(spacing=look.length("space.small"))
        self._rows.addLayout(self.list)
        foot = QHBoxLayout()
        self.more = QPushButton(self.tr("Add an entry"), self)
        self.more.setAccessibleName(self.tr("Add an entry to {name}").format(name=name))
        self.more.clicked.connect(self._add_by_hand)
        foot.addWidget(self.more)
        foot.addStretch(1)
        self._rows.addLayout(foot)
        self.setFocusProxy(self.more)
        for _ in range(int(part.get("minItems", 0))):
            self._add()

    def value(self) -> list[Any]:
        """The entries that say anything."""
        values = [editor.value() for _, editor in self.entries]
        return [one for one in values if not is_left_out(one)]

    def show_value(self, value: object) -> None:
        """Show a list."""
        while self.entries:
            self._remove(self.entries[-1][0])
        for one in cast("list[object]", value) if isinstance(value, list) else []:
            self._add().set_value(one)

    def check(self) -> Editor | None:
        """Say at each entry what is wrong there, or else of the list as a whole; gives the first."""
        for _, editor in self.entries:
            if isinstance(editor, ObjectEditor | EntriesEditor):
                found = editor.check()
                if found is not None:
                    return found
            elif complain(editor, self._entry, self._name, is_required=False):
                return editor
        self.say(mismatch(self.value(), self._part, self._name) if self.value() or self.entries else "")
        return self if self.message else None

    def _add_by_hand(self) -> None:
        self._add().setFocus()
        self._tell()

    def _add(self) -> Editor:
        row = QFrame(self)
        row.setProperty("card", True)
        small = self._look.length("space.small")
        box = row_layout(row, small)
        title = f"{self._name} {len(self.entries) + 1}"
        editor = editor_of(self._look, self._entry, self._whole, title, row, is_required=True)
        editor.edited.connect(self._tell)
        editor.visited.connect(self.visited)
        box.addWidget(editor, 1)
        remove = icon_button(
            self._look, "close", self.tr("Remove this entry"), row, lambda: self.take_out(row)
        )
        box.addWidget(remove)
        self.entries.append((row, editor))
        self.list.addWidget(row)
        lead_to(row, self.more)
        self._settle()
        return editor

    def take_out(self, row: QFrame) -> None:
        """Remove an entry, as a person does."""
        self._remove(row)
        self.more.setFocus()
        self._tell()

    def _remove(self, row: QFrame) -> None:
        self.entries = [one for one in self.entries if one[0] is not row]
        take_out(self.list, row)
        self._settle()

    def _settle(self) -> None:
        most = self._part.get("maxItems")
        self.more.setEnabled(most is None or len(self.entries) < most)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave everything to the editors within."""
        del watched, event
        return False


def editor_of(
    look: Look, part: Schema, whole: Schema, name: str, parent: QWidget | None = None, *, is_required: bool
) -> Editor:
    """Make the editor of a part of a form, with those within it."""
    plain = part_of(part, whole)
    if plain.get("type") == "object" and fields_of(plain):
        return ObjectEditor(look, plain, whole, parent, offered="" if is_required else name)
    if plain.get("type") == "array" and "items" in plain:
        entry = part_of(plain["items"], whole)
        if entry.get("type") != "string" or choices_of(entry):
            return EntriesEditor(look, plain, whole, name, parent)
    return plain_editor(plain, name, look, parent, is_required=is_required)


def _never_empty(editor: Editor) -> bool:
    return isinstance(editor, FlagEditor | EntriesEditor)
