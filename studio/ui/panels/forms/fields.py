"""The editor of a field of a form, by its JSON Schema; objects and lists have editors within."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.bounds.schemas import mismatch
from studio.runtime.resources.typed_answers import choices_of, part_of
from studio.ui.editors.editor import Editor
from studio.ui.editors.part_editors import JsonEditor, LinesEditor
from studio.ui.editors.prose import TextEditor
from studio.ui.editors.simple import ChoiceEditor, FlagEditor, LineEditor, NumberEditor
from studio.ui.look import Look

Schema = Mapping[str, Any]

SHORT = 80
"""Characters up to which a text has one line."""

MISFIT = "misfit"
"""The property of an editor that has what a form said there."""

HINTS = {"date": "2026-05-03", "time": "14:30:00Z", "date-time": "2026-05-03T14:30:00Z", "email": "who@where"}

translate = QCoreApplication.translate


class PickEditor(ChoiceEditor):
    """One of the values of a field, of any type; `none` has the words of a first row for none, if any."""

    def __init__(
        self, name: str, choices: Sequence[tuple[object, str]], parent: QWidget | None, *, none: str
    ) -> None:
        self._values: list[object] = [*([None] if none else []), *(value for value, _ in choices)]
        words = [*([none] if none else []), *(said for _, said in choices)]
        super().__init__(name, [(str(place), said) for place, said in enumerate(words)], parent)

    def value(self) -> object:
        """The chosen value; None for none."""
        return self._values[max(self.field.currentIndex(), 0)]

    def show_value(self, value: object) -> None:
        """Choose a value, which may be said by its text."""
        found = [place for place, one in enumerate(self._values) if one == value or str(one) == value]
        self.field.setCurrentIndex(found[0] if found else 0)


def plain_editor(part: Schema, name: str, look: Look, parent: QWidget | None, *, is_required: bool) -> Editor:
    """Make the editor of a field that has none within."""
    if choices := choices_of(part):
        none = translate("fields", "Choose…") if is_required else "–"
        return PickEditor(name, choices, parent, none="" if "default" in part else none)
    match part.get("type"):
        case "boolean":
            return FlagEditor(name, parent)
        case "integer" | "number" as kind:
            return NumberEditor(name, parent, whole=kind == "integer", optional=True, hint=_bounds(part))
        case "array" if part_of(part.get("items", {}), part).get("type") == "string":
            return LinesEditor(look, name, parent)
        case "string":
            is_short = part.get("maxLength", SHORT + 1) <= SHORT or "format" in part or "pattern" in part
            hint = HINTS.get(str(part.get("format")), "")
            return LineEditor(name, parent, hint=hint) if is_short else TextEditor(look, name, parent)
        case _:
            return JsonEditor(look, name, parent, optional=True)


def complain(editor: Editor, part: Schema, name: str, *, is_required: bool) -> bool:
    """Say at a plain editor why what stands there is no answer; tells whether there was anything to say.

    What an editor says by itself stands: its text is none of its values, and its value not what is seen.
    """
    if editor.message and editor.property(MISFIT) != editor.message:
        return True
    said = _misfit(editor.value(), part, name, is_required=is_required)
    editor.setProperty(MISFIT, said)
    editor.say(said)
    return bool(said)


def _misfit(value: object, part: Schema, name: str, *, is_required: bool) -> str:
    if is_left_out(value):
        return translate("fields", "Enter an answer.") if is_required else ""
    return mismatch(value, part, name)


def is_left_out(value: object) -> bool:
    """Whether a value says nothing, so that its field is left out."""
    return value is None or value == ""


def title_of(part: Schema, name: str) -> str:
    """Name a field as people read it."""
    return str(part.get("title") or name)


def help_of(part: Schema) -> str:
    """Say what is wanted."""
    return str(part.get("description") or "")


def fields_of(part: Schema) -> Mapping[str, Schema]:
    """The fields of an object."""
    found = part.get("properties")
    return cast("Mapping[str, Schema]", found) if isinstance(found, Mapping) else {}


def _bounds(part: Schema) -> str:
    """Say how large a number may be."""
    least, most = part.get("minimum"), part.get("maximum")
    if least is not None and most is not None:
        return translate("fields", "{least} to {most}").format(least=least, most=most)
    if least is not None:
        return translate("fields", "at least {least}").format(least=least)
    return translate("fields", "at most {most}").format(most=most) if most is not None else ""
