"""The editor of a value with a JSON Schema: its fields one by one, its lists in order, all else as JSON."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.ui.editors.editor import Editor
from studio.ui.editors.part_editors import JsonEditor
from studio.ui.editors.prose import TextEditor
from studio.ui.editors.row_list import OrderedRows, RowWords
from studio.ui.editors.simple import ChoiceEditor, FlagEditor, LineEditor, NumberEditor
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.removal import take_out
from studio.ui.slots import of_any

Schema = Mapping[str, Any]
DEEPEST = 4
"""Levels of fields inside fields; what lies deeper is JSON."""

MOST = 60
"""Fields and elements that are shown one by one; what has more is easier read as text."""


def schema_like(value: object, depth: int = 0) -> Schema:
    """The schema of values that are built as this one is; it says nothing of what must be there."""
    if isinstance(value, bool):
        return {"type": "boolean"}
    if isinstance(value, str):
        return {"type": "string"}
    if isinstance(value, int | float):
        return {"type": "number"}
    if isinstance(value, Mapping) and depth < DEEPEST:
        fields = cast("Mapping[str, object]", value)
        return {
            "type": "object",
            "properties": {name: schema_like(one, depth + 1) for name, one in fields.items()},
        }
    if isinstance(value, list) and value and depth < DEEPEST:
        first = schema_like(cast("Sequence[object]", value)[0], depth + 1)
        return {"type": "array", "items": first}
    return {}


def has_parts(value: object, schema: Schema) -> bool:
    """Whether a value can be edited part by part: an object or a list that is not too large for that."""
    kind = _kind(schema, value)
    return kind in {"object", "array"} and _count(value) <= MOST


def part_editor(
    schema: Schema, name: str, value: object, look: Look, parent: QWidget, depth: int = 0
) -> Editor:
    """The editor of a part that is `value` now; what its schema and the value do not agree on is JSON."""
    schema = _without_null(schema)
    made = _made(schema, name, value, look, parent, depth)
    made.set_value(value)
    _keep_own_undo(made)
    return made


def complaint_of(editor: Editor) -> str:
    """What does not fit in an editor, or in a part of it; empty when all does."""
    return next((one.message for one in (editor, *editor.findChildren(Editor)) if one.message), "")


class FieldsEditor(Editor):
    """An object by its fields; one that nobody touched stays as it was, absent or not."""

    def __init__(self, look: Look, schema: Schema, parent: QWidget | None = None, *, depth: int = 0) -> None:
        super().__init__(parent)
        self._look, self._schema, self._depth = look, schema, depth
        self._before: Mapping[str, object] = {}
        self._touched: set[str] = set()
        self.parts: dict[str, Editor] = {}
        self._holders: list[QWidget] = []
        self._rows.setSpacing(look.length("space.small"))
        if depth:
            self._rows.setContentsMargins(look.length("space.large"), 0, 0, 0)

    def value(self) -> dict[str, object]:
        """The object: what was edited to nothing, and need not be there, is left out."""
        made = dict(self._before)
        required = self._schema.get("required", ())
        for name, part in self.parts.items():
            if name not in self._touched:
                continue
            found = part.value()
            is_null = isinstance(part, JsonPart) and bool(part.field.toPlainText().strip())
            if (found is None and not is_null) or (found == "" and name not in required):
                made.pop(name, None)
            else:
                made[name] = found
        return made

    def show_value(self, value: object) -> None:
        """Show an object; what its schema does not know is shown behind what it does."""
        self._before = dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else {}
        self._touched.clear()
        for holder in self._holders:
            take_out(self._rows, holder)
        self._holders, self.parts = [], {}
        known: Mapping[str, Schema] = self._schema.get("properties", {})
        for name in dict.fromkeys((*known, *self._before)):
            schema = known.get(name)
            self._show(name, schema if isinstance(schema, Mapping) else schema_like(self._before.get(name)))
        for first in self.parts.values():
            self.setFocusProxy(first)
            break

    def _show(self, name: str, schema: Schema) -> None:
        holder = QWidget(self)
        column = column_layout(holder, 0, self._look.length("space.hair"))
        value = self._before.get(name)
        part = part_editor(schema, name, value, self._look, holder, self._depth + 1)
        is_needed = name in self._schema.get("required", ())
        if not isinstance(part, FlagEditor):
            caption = text_label(f"{name} *" if is_needed else name, holder, "small", "muted")
            caption.setBuddy(part)
            caption.setToolTip(self.tr("Required") if is_needed else "")
            column.addWidget(caption)
        column.addWidget(part)
        said = schema.get("description")
        if isinstance(said, str) and said:
            part.setToolTip(said)
        part.edited.connect(of_any(lambda: self._note(name)))
        part.complained.connect(self.complained)
        self.parts[name] = part
        self._holders.append(holder)
        self._rows.addWidget(holder)

    def _note(self, name: str) -> None:
        self._touched.add(name)
        self._tell()


class ListEditor(Editor):
    """A list by its elements, which can be moved, added and left out."""

    def __init__(self, look: Look, schema: Schema, parent: QWidget | None = None, *, depth: int = 0) -> None:
        super().__init__(parent)
        items = schema.get("items")
        self._look, self._depth = look, depth
        self._element: Schema = cast("Schema", items) if isinstance(items, Mapping) else {}
        words = RowWords(
            self.tr("Move up"), self.tr("Move down"), self.tr("Remove"), self.tr("Add an element")
        )
        self.ordered = OrderedRows(look, words, self._new, self)
        self.ordered.changed.connect(self._tell)
        self._rows.addWidget(self.ordered)
        self.setFocusProxy(self.ordered.add_button)

    @property
    def parts(self) -> Sequence[Editor]:
        """The editors of its elements."""
        return [cast("Editor", one) for one in self.ordered.widgets]

    def value(self) -> list[object]:
        """The list; an element that says nothing says so."""
        return [one.value() for one in self.parts]

    def show_value(self, value: object) -> None:
        """Show a list."""
        self.ordered.clear()
        for one in cast("Sequence[object]", value) if isinstance(value, list | tuple) else ():
            self.ordered.put(self._part(self._element or schema_like(one), one))

    def _new(self) -> QWidget:
        return self._part(self._element, _nothing_of(self._element))

    def _part(self, schema: Schema, value: object) -> Editor:
        name = self.tr("Element")
        part = part_editor(schema, name, value, self._look, self, self._depth + 1)
        part.edited.connect(of_any(self._tell))
        part.complained.connect(self.complained)
        return part


class JsonPart(JsonEditor):
    """A part that is JSON; where nothing is written, it is not there, which is not null."""


def _made(schema: Schema, name: str, value: object, look: Look, parent: QWidget, depth: int) -> Editor:
    choices = schema.get("enum")
    match _kind(schema, value) if depth <= DEEPEST else "":
        case "choice":
            return ChoiceEditor(name, [(one, one) for one in cast("Sequence[str]", choices)], parent)
        case "string":
            text = TextEditor(look, name, parent)
            text.field.lines(1, 8)
            return text
        case "number" | "integer" as kind:
            least, most = schema.get("minimum"), schema.get("maximum")
            return NumberEditor(
                name, parent, whole=kind == "integer", least=least, most=most, optional=value is None
            )
        case "boolean":
            return FlagEditor(name, parent)
        case "object":
            return FieldsEditor(look, schema, parent, depth=depth)
        case "array":
            return ListEditor(look, schema, parent, depth=depth)
        case _:
            text = JsonPart(look, name, parent, optional=value is None)
            text.field.lines(1, 10)
            return text


_BUILT: Mapping[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, list | tuple),
}


def _kind(schema: Schema, value: object) -> str:
    """Which editor a part has; none of its own where the value is not what the schema says."""
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        are_texts = all(isinstance(one, str) for one in cast("Sequence[object]", choices))
        return "choice" if are_texts and (value is None or value in choices) else ""
    kind = schema.get("type", "")
    if not isinstance(kind, str) or kind not in _BUILT or (value is not None and not _BUILT[kind](value)):
        return ""
    if kind == "object" and not schema.get("properties") and not value:
        return ""
    return kind


def _without_null(schema: Schema) -> Schema:
    """What a part is when it is there: `anyOf` something or null says no more than that something."""
    either = schema.get("anyOf")
    if isinstance(either, list):
        others = [one for one in cast("list[Schema]", either) if one.get("type") != "null"]
        if len(others) == 1:
            return {**schema, **others[0]}
    kinds = schema.get("type")
    if isinstance(kinds, list):
        names = [one for one in cast("list[str]", kinds) if one != "null"]
        return {**schema, "type": names[0]} if len(names) == 1 else schema
    return schema


def _nothing_of(schema: Schema) -> object:
    kind = _without_null(schema).get("type", "")
    empty: Mapping[object, object] = {"string": "", "boolean": False, "object": {}, "array": [], "": ""}
    if kind in {"number", "integer"}:
        return 0
    return empty.get(kind)


def _count(value: object) -> int:
    if isinstance(value, Mapping):
        return 1 + sum(_count(one) for one in cast("Mapping[str, object]", value).values())
    if isinstance(value, list | tuple):
        return 1 + sum(_count(one) for one in cast("Sequence[object]", value))
    return 1


def _keep_own_undo(editor: Editor) -> None:
    """Let a field take back its own typing: no history of the flow knows of it."""
    field = getattr(editor, "field", None)
    if isinstance(editor, LineEditor | NumberEditor | TextEditor | JsonEditor) and isinstance(field, QWidget):
        field.removeEventFilter(editor)
        if isinstance(field, QPlainTextEdit):
            field.setUndoRedoEnabled(True)
