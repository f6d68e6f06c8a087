from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.sdk.node import REQUIRED
from studio.ui.editors.editor import Editor
from studio.ui.editors.highlight import spans
from studio.ui.editors.make import Surroundings, make_editor
from studio.ui.editors.part_editors import CasesEditor, JsonEditor, LinesEditor
from studio.ui.editors.place import PlaceEditor
from studio.ui.editors.prose import PromptEditor, TextEditor
from studio.ui.editors.simple import ChoiceEditor, NumberEditor
from studio.ui.panels.inspector.settings_form import plain_default
from studio.workspace.catalog import builtin_registry
from tests.ui.builders import a_look


def told(editor: Editor) -> list[Any]:
    values: list[Any] = []
    editor.edited.connect(values.append)
    return values


@pytest.mark.parametrize("kind", [one.kind for one in builtin_registry()])
def test_every_setting_of_every_kind_has_an_editor_that_shows_its_default(
    qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    around = Surroundings(a_look(), tmp_path, lambda: ["scripted"])
    for spec in builtin_registry().require(kind).settings:
        editor = make_editor(spec, around)
        qtbot.addWidget(editor)
        heard = told(editor)
        if spec.default is not REQUIRED:
            editor.set_value(plain_default(spec))
            shown = editor.value()
            assert (
                spec.adapter.validate_python(shown if shown is not None else None, strict=False)
                == spec.default
            )
        assert heard == []


def test_what_is_set_is_not_told_and_keeps_the_cursor(qtbot: QtBot) -> None:
    editor = TextEditor(a_look(), "Text")
    qtbot.addWidget(editor)
    editor.set_value("one two")
    cursor = editor.field.textCursor()
    cursor.setPosition(3)
    editor.field.setTextCursor(cursor)
    heard = told(editor)
    editor.set_value("one two three")
    assert heard == []
    assert editor.field.textCursor().position() == 3


def test_typing_is_told(qtbot: QtBot) -> None:
    editor = PromptEditor(a_look(), "Prompt")
    qtbot.addWidget(editor)
    heard = told(editor)
    qtbot.keyClicks(editor.field, "hi")
    assert heard == ["h", "hi"]


def test_undo_is_left_to_the_flow(qtbot: QtBot) -> None:
    editor = TextEditor(a_look(), "Text")
    qtbot.addWidget(editor)
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    event.ignore()
    QApplication.sendEvent(editor.field, event)
    assert not event.isAccepted()


@pytest.mark.parametrize(("typed", "value"), [("7", 7), ("0", 1), ("", 1), ("2.5", 1)])
def test_a_number_that_does_not_fit_is_said_and_not_told(qtbot: QtBot, typed: str, value: int) -> None:
    editor = NumberEditor("Rounds", whole=True, least=1, most=10)
    qtbot.addWidget(editor)
    editor.set_value(1)
    editor.field.setText("")
    editor.field.textEdited.emit("")
    editor.field.setText(typed)
    editor.field.textEdited.emit(typed)
    assert editor.value() == value
    assert bool(editor.message) == (value == 1)


def test_json_that_is_not_json_is_said_with_its_place(qtbot: QtBot) -> None:
    editor = JsonEditor(a_look(), "Schema")
    qtbot.addWidget(editor)
    heard = told(editor)
    editor.field.setPlainText('{"a": }')
    assert editor.message.startswith("Line 1, column 7")
    editor.field.setPlainText('{"a": 1}')
    assert (editor.message, heard) == ("", [{"a": 1}])


def test_an_empty_json_field_is_not_refused_when_its_colours_change(qtbot: QtBot) -> None:
    editor = JsonEditor(a_look(), "Schema")
    qtbot.addWidget(editor)
    editor.set_value(None)
    heard = told(editor)
    editor.field.textChanged.emit()
    assert (editor.message, heard) == ("", [])


def test_lines_are_a_list(qtbot: QtBot) -> None:
    editor = LinesEditor(a_look(), "Words")
    qtbot.addWidget(editor)
    editor.set_value(["a", "b"])
    assert editor.value() == ["a", "b"]


def test_a_case_keeps_its_port_when_its_label_changes(qtbot: QtBot) -> None:
    editor = CasesEditor("Cases")
    qtbot.addWidget(editor)
    editor.set_value([{"label": "Yes", "when": "value"}, {"label": "No"}])
    heard = told(editor)
    first = editor._cases[0].label
    first.setText("Accepted")
    first.textEdited.emit("Accepted")
    assert heard == [[{"label": "Accepted", "when": "value", "port": "yes"}, {"label": "No"}]]


def test_a_new_case_is_written_into_the_row_that_waits(qtbot: QtBot) -> None:
    editor = CasesEditor("Cases")
    qtbot.addWidget(editor)
    editor.set_value([{"label": "Yes"}])
    row = editor._cases[-1].label
    row.setText("No")
    row.textEdited.emit("No")
    assert editor.value() == [{"label": "Yes"}, {"label": "No"}]
    assert len(editor._cases) == 3


def test_a_choice_that_is_not_on_the_list_is_kept(qtbot: QtBot) -> None:
    editor = ChoiceEditor("Profile", [("", "The run's"), ("a", "a")])
    qtbot.addWidget(editor)
    editor.set_value("gone")
    assert editor.value() == "gone"


def test_a_place_outside_the_project_is_refused(qtbot: QtBot, tmp_path: Path) -> None:
    editor = PlaceEditor("Folder", tmp_path, is_folder=True)
    qtbot.addWidget(editor)
    heard = told(editor)
    qtbot.keyClicks(editor.field, "../x")
    assert "outside" in editor.message
    assert heard == ["."]
    assert (editor.value(), editor.rejected()) == (".", "../x")
    editor.set_value("notes")
    assert editor.rejected() is None


def test_code_is_coloured_by_kind_of_token() -> None:
    found = {
        text: name
        for (start, length, name) in spans('{"a": 1}', "json")
        for text in ['{"a": 1}'[start : start + length]]
    }
    assert (found['"a"'], found["1"]) == ("port.text", "port.number")


def test_a_flow_is_chosen_of_those_that_the_project_has(qtbot: QtBot, tmp_path: Path) -> None:
    around = Surroundings(a_look(), tmp_path, flows=lambda: ["parts/summary.json"])
    spec = builtin_registry().require("control.subflow").settings[0]
    editor = make_editor(spec, around)
    qtbot.addWidget(editor)
    assert isinstance(editor, ChoiceEditor)
    heard = told(editor)
    editor.field.setCurrentIndex(1)
    assert heard == ["parts/summary.json"]
    editor.set_value("lost.json")
    assert editor.value() == "lost.json", "a flow that is not there is kept and shown"
