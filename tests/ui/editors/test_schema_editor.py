from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QScrollArea
from pytestqt.qtbot import QtBot

from studio.ui.editors.schema import SchemaEditor
from tests.ui.builders import a_look

BIRD = {
    "type": "object",
    "properties": {
        "bird": {"type": "string", "description": "What sang"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "nest": {"type": "object", "properties": {"eggs": {"type": "integer"}}, "required": ["eggs"]},
    },
    "required": ["bird"],
}


@pytest.fixture
def editor(qtbot: QtBot) -> SchemaEditor:
    made = SchemaEditor(a_look(), "Answer as")
    qtbot.addWidget(made)
    made.show()
    return made


def told(editor: SchemaEditor) -> list[Any]:
    values: list[Any] = []
    editor.edited.connect(values.append)
    return values


def write(qtbot: QtBot, field: QLineEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    field.editingFinished.emit()


def test_a_field_is_written_in_the_line_that_waits(editor: SchemaEditor, qtbot: QtBot) -> None:
    heard = told(editor)
    write(qtbot, editor.table.lines[0].name, "score")
    assert heard == [
        {"type": "object", "properties": {"score": {"type": "string"}}, "required": ["score"]},
    ]
    editor.table.lines[0].kind.setCurrentText("whole number")
    qtbot.mouseClick(
        editor.table.lines[0].is_list,
        Qt.MouseButton.LeftButton,
        pos=editor.table.lines[0].is_list.rect().center() * 0.2,
    )
    editor.table.lines[0].is_required.setChecked(False)
    qtbot.keyClicks(editor.table.lines[0].description, "1 to 5")
    assert heard[-1]["properties"] == {
        "score": {"type": "array", "description": "1 to 5", "items": {"type": "integer"}}
    }
    assert "required" not in heard[-1]
    assert len(editor.table.lines) == 2


def test_return_after_a_name_goes_on_to_the_next_field(editor: SchemaEditor, qtbot: QtBot) -> None:
    heard = told(editor)
    for name in ("bird", "song"):
        field = editor.focusWidget() if heard else editor.table.lines[0].name
        assert isinstance(field, QLineEdit)
        field.setFocus()
        qtbot.keyClicks(field, name)
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert list(heard[-1]["properties"]) == ["bird", "song"]
    assert len(heard) == 2


def test_the_field_to_write_next_is_scrolled_to(qtbot: QtBot) -> None:
    area = QScrollArea()
    editor = SchemaEditor(a_look(), "Answer as")
    area.setWidget(editor)
    area.setWidgetResizable(True)
    qtbot.addWidget(area)
    area.resize(300, 200)
    area.show()
    for name in ("one", "two", "three"):
        qtbot.keyClicks(editor.table.lines[-1].name, name)
        qtbot.keyClick(editor.table.lines[-1].name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not editor.table.lines[-1].name.visibleRegion().isEmpty())


def test_undo_takes_back_text_that_is_no_json_before_what_the_flow_knows(
    editor: SchemaEditor, qtbot: QtBot
) -> None:
    editor.set_value(BIRD)
    editor.show_view(is_json=True)
    heard, shown = told(editor), editor.text.field.toPlainText()
    qtbot.keyClicks(editor.text.field, "oops")
    assert editor.text.message
    qtbot.keyClick(editor.text.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (editor.text.field.toPlainText(), editor.text.message, heard) == (shown, "", [])


def test_letters_on_the_way_to_a_name_are_no_fields(editor: SchemaEditor, qtbot: QtBot) -> None:
    heard = told(editor)
    qtbot.keyClicks(editor.table.lines[0].name, "sco")
    assert heard == []


def test_a_schema_is_shown_and_nothing_is_told(editor: SchemaEditor) -> None:
    heard = told(editor)
    editor.set_value(BIRD)
    assert heard == []
    assert [line.name.text() for line in editor.table.lines] == ["bird", "tags", "nest", ""]
    assert editor.table.lines[1].is_list.isChecked()
    nest = editor.table.lines[2].table
    assert nest is not None
    assert [line.name.text() for line in nest.lines] == ["eggs", ""]
    assert editor.value() == BIRD


def test_a_field_inside_an_object_is_part_of_it(editor: SchemaEditor, qtbot: QtBot) -> None:
    editor.set_value(BIRD)
    heard = told(editor)
    nest = editor.table.lines[2].table
    assert nest is not None
    write(qtbot, nest.lines[1].name, "height")
    nest.lines[1].kind.setCurrentText("number")
    assert heard[-1]["properties"]["nest"]["properties"] == {
        "eggs": {"type": "integer"},
        "height": {"type": "number"},
    }


def test_a_removed_field_is_gone_and_the_last_one_leaves_nothing(editor: SchemaEditor, qtbot: QtBot) -> None:
    editor.set_value({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}})
    heard = told(editor)
    qtbot.mouseClick(editor.table.lines[0].remove, Qt.MouseButton.LeftButton)
    assert heard[-1]["properties"] == {"b": {"type": "number"}}
    qtbot.mouseClick(editor.table.lines[0].remove, Qt.MouseButton.LeftButton)
    assert heard[-1] is None


def test_choices_are_said_with_commas_and_asked_for(editor: SchemaEditor, qtbot: QtBot) -> None:
    editor.set_value({"type": "object", "properties": {"a": {"type": "string"}}})
    heard = told(editor)
    editor.table.lines[0].kind.setCurrentText("choice")
    assert heard == []
    assert "separated by commas" in editor.message
    qtbot.keyClicks(editor.table.lines[0].choices, "wren, tit")
    assert heard[-1]["properties"]["a"] == {"type": "string", "enum": ["wren", "tit"]}
    assert editor.message == ""


def test_two_fields_of_one_name_are_refused_in_words(editor: SchemaEditor, qtbot: QtBot) -> None:
    editor.set_value({"type": "object", "properties": {"a": {"type": "string"}}})
    heard = told(editor)
    write(qtbot, editor.table.lines[1].name, "a")
    assert heard == []
    assert "Two fields are named `a`" in editor.message


def test_the_text_and_the_table_show_the_same(editor: SchemaEditor, qtbot: QtBot) -> None:
    heard = told(editor)
    qtbot.mouseClick(editor.as_json, Qt.MouseButton.LeftButton)
    assert editor.is_json
    editor.text.field.setPlainText('{"type": "object", "properties": {"x": {"type": "boolean"}}}')
    assert heard[-1]["properties"] == {"x": {"type": "boolean"}}
    qtbot.mouseClick(editor.as_fields, Qt.MouseButton.LeftButton)
    assert editor.table.lines[0].kind.currentText() == "yes or no"
    write(qtbot, editor.table.lines[0].name, "y")
    assert '"y"' in editor.text.field.toPlainText()


def test_what_no_table_can_say_is_edited_as_text_and_kept(editor: SchemaEditor) -> None:
    editor.set_value({"type": "object", "properties": {"a": {"type": ["string", "null"]}}})
    assert editor.table.lines[0].kind.currentText() == "other"
    heard = told(editor)
    editor.table.lines[0].is_required.setChecked(True)
    assert heard[-1]["properties"]["a"] == {"type": ["string", "null"]}
    editor.set_value({"anyOf": [], "type": "array"})
    assert editor.is_json
    assert not editor.as_fields.isEnabled()


def test_tab_goes_through_the_fields_as_they_are_read(editor: SchemaEditor, qtbot: QtBot) -> None:
    editor.set_value(BIRD)
    nest = editor.table.lines[2].table
    assert nest is not None
    qtbot.waitUntil(nest.lines[0].name.isVisible)  # Qt shows what is new when it next has time
    editor.table.lines[2].is_list.setFocus()
    qtbot.keyClick(editor.table.lines[2].is_list, Qt.Key.Key_Tab)
    assert editor.focusWidget() is nest.lines[0].name
    nest.lines[1].name.setFocus()
    qtbot.keyClick(nest.lines[1].name, Qt.Key.Key_Tab)
    assert editor.focusWidget() is editor.table.lines[3].name
