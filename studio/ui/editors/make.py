"""The editor that a setting's declaration asks for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.flow.ports import DATA_TYPES, PortType
from studio.sdk.node import SettingSpec
from studio.sdk.ports import read_annotation
from studio.ui.editors.editor import Editor
from studio.ui.editors.loose import LooseEditor
from studio.ui.editors.part_editors import CasesEditor, JsonEditor, LinesEditor
from studio.ui.editors.place import PlaceEditor
from studio.ui.editors.prose import CodeEditor, ExpressionEditor, PromptEditor, TextEditor
from studio.ui.editors.schema import SchemaEditor
from studio.ui.editors.simple import ChoiceEditor, FlagEditor, LineEditor, NumberEditor
from studio.ui.look import Look

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What editors need to know of the project they edit in."""

    look: Look
    root: Path
    profiles: Callable[[], Sequence[str]] = tuple
    """Gives the chat profiles of the project."""
    flows: Callable[[], Sequence[str]] = tuple
    """Gives the flows of the project."""


def make_editor(  # noqa: C901, PLR0912  # a `match` with one arm for each editor
    spec: SettingSpec, around: Surroundings, parent: QWidget | None = None
) -> Editor:
    """Make the editor of a setting; one that nobody knows is edited as JSON."""
    look, name = around.look, spec.label
    read = read_annotation(spec.annotation)
    match spec.editor:
        case "line":
            return LineEditor(name, parent)
        case "text":
            return TextEditor(look, name, parent)
        case "prompt":
            return PromptEditor(look, name, parent)
        case "code":
            return CodeEditor(look, name, spec.language or "python", parent)
        case "expression":
            return ExpressionEditor(look, name, parent)
        case "number":
            whole = read.plain is int or float not in (read.plain, *get_args(read.plain))
            return NumberEditor(
                name, parent, whole=whole, least=spec.minimum, most=spec.maximum, optional=read.optional
            )
        case "flag":
            return FlagEditor(name, parent)
        case "choice":
            return ChoiceEditor(name, [(one, one.replace("_", " ")) for one in spec.choices], parent)
        case "list" | "profiles":
            return LinesEditor(look, name, parent)
        case "schema":
            return SchemaEditor(look, name, parent, empty=None if read.optional else {})
        case "cases":
            return CasesEditor(name, parent)
        case "criteria":
            hints = (translate("make", "New criterion"), translate("make", "What it means"))
            return CasesEditor(name, parent, hints=hints)
        case "profile":
            return ChoiceEditor(name, _profiles(around.profiles()), parent)
        case "flow":
            return ChoiceEditor(name, _flows(around.flows()), parent)
        case "folder" | "file":
            return PlaceEditor(name, around.root, parent, is_folder=spec.editor == "folder")
        case "type":
            return ChoiceEditor(name, [(one, one) for one in _types()], parent)
        case _:
            return JsonEditor(look, name, parent, optional=read.optional)


def literal_editor(
    type_: PortType, name: str, look: Look, parent: QWidget | None = None, *, root: Path | None = None
) -> Editor | None:
    """The editor of a value typed at an unwired port; None for types that no one can type.

    With the project's `root`, a file or a picture can be looked for there.
    """
    if type_.is_binding or type_.base in {"order", "message", "messages"}:
        return None
    if type_.depth == 1 and type_.base in {"text", "file", "image"}:
        return LinesEditor(look, name, parent)
    if type_.depth:
        return JsonEditor(look, name, parent, optional=True)
    match type_.base:
        case "text":
            return TextEditor(look, name, parent)
        case "number":
            return NumberEditor(name, parent, optional=True)
        case "flag":
            return FlagEditor(name, parent)
        case "any":
            return LooseEditor(look, name, parent)
        case "file" | "image":
            return (
                LineEditor(name, parent) if root is None else PlaceEditor(name, root, parent, is_folder=False)
            )
        case _:
            return JsonEditor(look, name, parent, optional=True)


def _profiles(names: Sequence[str]) -> list[tuple[str, str]]:
    return [("", translate("make", "The run's profile")), *((name, name) for name in names)]


def _flows(names: Sequence[str]) -> list[tuple[str, str]]:
    return [("", translate("make", "No flow yet")), *((name, name) for name in names)]


def _types() -> list[str]:
    return [*DATA_TYPES, *(f"{one}[]" for one in DATA_TYPES if one not in {"messages", "any"})]
