from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.ui.editors.editor import Editor
from studio.ui.editors.parts import (
    FieldsEditor,
    JsonPart,
    ListEditor,
    complaint_of,
    has_parts,
    part_editor,
    schema_like,
)
from studio.ui.editors.prose import TextEditor
from studio.ui.editors.simple import ChoiceEditor, FlagEditor, NumberEditor
from tests.ui.builders import a_look

SEARCH = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to look for"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 20},
        "where": {"enum": ["notes", "letters"]},
        "exact": {"type": "boolean"},
        "words": {"type": "array", "items": {"type": "string"}},
        "from": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["query"],
}


def made(qtbot: QtBot, schema: Any, value: object) -> Editor:
    holder = QWidget()
    editor = part_editor(schema, "arguments", value, a_look(), holder)
    editor.setParent(None)
    qtbot.addWidget(editor)
    editor.show()
    return editor


def fields(qtbot: QtBot, schema: Any, value: object) -> FieldsEditor:
    editor = made(qtbot, schema, value)
    assert isinstance(editor, FieldsEditor)
    return editor


def test_each_field_of_a_tool_has_the_editor_that_its_schema_asks_for(qtbot: QtBot) -> None:
    editor = fields(qtbot, SEARCH, {"query": "wren"})
    kinds = {name: type(part) for name, part in editor.parts.items()}
    assert kinds == {
        "query": TextEditor,
        "limit": NumberEditor,
        "where": ChoiceEditor,
        "exact": FlagEditor,
        "words": ListEditor,
        "from": TextEditor,
    }


def test_what_is_not_touched_stays_as_it_was_absent_or_not(qtbot: QtBot) -> None:
    before = {"query": "wren", "from": None, "unknown": [1]}
    editor = fields(qtbot, SEARCH, before)
    assert editor.value() == before
    flag = editor.parts["exact"]
    assert isinstance(flag, FlagEditor)
    flag.field.setChecked(True)
    assert editor.value() == {**before, "exact": True}


def test_a_field_that_is_emptied_and_need_not_be_there_is_left_out(qtbot: QtBot) -> None:
    editor = fields(qtbot, SEARCH, {"query": "wren", "from": "May"})
    for name in ("from", "query"):
        part = editor.parts[name]
        assert isinstance(part, TextEditor)
        part.field.setPlainText("")
    assert editor.value() == {"query": ""}


def test_a_number_out_of_bounds_is_complained_of_where_it_stands(qtbot: QtBot) -> None:
    editor = fields(qtbot, SEARCH, {"query": "wren", "limit": 5})
    limit = editor.parts["limit"]
    assert isinstance(limit, NumberEditor)
    limit.field.selectAll()
    with qtbot.waitSignal(editor.complained):
        qtbot.keyClicks(limit.field, "99")
    assert complaint_of(editor) == "At most 20."


def test_a_field_that_is_not_what_its_schema_says_is_json(qtbot: QtBot) -> None:
    editor = fields(qtbot, SEARCH, {"query": ["wren", "owl"]})
    part = editor.parts["query"]
    assert isinstance(part, JsonPart)
    part.field.setPlainText('["wren"]')
    assert editor.value() == {"query": ["wren"]}
    part.field.setPlainText("null")
    assert editor.value() == {"query": None}


def a_list(qtbot: QtBot, value: object) -> ListEditor:
    editor = made(qtbot, {"type": "array", "items": {"type": "string"}}, value)
    assert isinstance(editor, ListEditor)
    return editor


def test_elements_are_moved_added_and_left_out_from_the_keyboard(qtbot: QtBot) -> None:
    editor = a_list(qtbot, ["robin", "wren", "owl"])

    def press(at: int, key: Qt.Key) -> None:
        part = editor.parts[at]
        assert isinstance(part, TextEditor)
        qtbot.keyClick(part.field, key, Qt.KeyboardModifier.AltModifier)

    press(2, Qt.Key.Key_Up)
    assert editor.value() == ["robin", "owl", "wren"]
    press(0, Qt.Key.Key_Down)
    assert editor.value() == ["owl", "robin", "wren"]
    press(1, Qt.Key.Key_Delete)
    assert editor.value() == ["owl", "wren"]
    press(0, Qt.Key.Key_Insert)
    assert editor.value() == ["owl", "", "wren"]
    press(0, Qt.Key.Key_Up)
    assert editor.value() == ["owl", "", "wren"], "the first one has nowhere to go"


def test_a_key_in_a_list_within_a_list_is_about_the_inner_row(qtbot: QtBot) -> None:
    value = [["robin", "wren"], ["owl"]]
    editor = made(qtbot, schema_like(value), value)
    assert isinstance(editor, ListEditor)
    inner = editor.parts[0]
    assert isinstance(inner, ListEditor)
    word = inner.parts[0]
    assert isinstance(word, TextEditor)
    qtbot.keyClick(word.field, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert editor.value() == [["wren", "robin"], ["owl"]]


def test_undo_takes_back_what_was_typed_into_a_part(qtbot: QtBot) -> None:
    editor = a_list(qtbot, ["robin"])
    part = editor.parts[0]
    assert isinstance(part, TextEditor)
    qtbot.keyClicks(part.field, "X")
    qtbot.keyClick(part.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert editor.value() == ["robin"]


def test_what_is_too_large_to_be_read_part_by_part_has_none() -> None:
    value = list(range(1_000))
    assert not has_parts(value, schema_like(value))
    assert has_parts([1, 2], schema_like([1, 2]))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text("ab\n", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def holder() -> QWidget:
    return QWidget()


@settings(deadline=None)
@given(value=JSON)
def test_any_value_is_shown_by_its_parts_and_read_as_it_was(holder: QWidget, value: object) -> None:
    whole = {"value": value}
    editor = part_editor(schema_like(whole), "whole", whole, a_look(), holder)
    assert editor.value() == whole
    assert complaint_of(editor) == ""
    editor.deleteLater()


@settings(deadline=None)
@given(
    schema=st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "string", "number", ["string", "null"]]),
            "properties": st.dictionaries(
                st.sampled_from("abc"),
                st.sampled_from([{"type": "string"}, {"type": "integer"}, {}, {"enum": ["x"]}]),
            ),
            "items": st.sampled_from([{"type": "string"}, {}, {"type": "object"}]),
        },
    ),
    value=JSON,
)
def test_a_schema_that_says_otherwise_changes_no_value(holder: QWidget, schema: Any, value: object) -> None:
    whole = {"value": value}
    around = {"type": "object", "properties": {"value": schema}}
    editor = part_editor(around, "whole", whole, a_look(), holder)
    assert editor.value() == whole
    editor.deleteLater()
