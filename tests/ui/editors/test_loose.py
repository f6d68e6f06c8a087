import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from studio.flow.ports import ANY
from studio.ui.editors.loose import read_loosely, written_loosely
from studio.ui.editors.make import literal_editor
from tests.ui.builders import a_look

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(PLAIN)
def test_what_is_shown_is_read_as_what_it_was(value: object) -> None:
    found = read_loosely(written_loosely(value))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("Be short.", "Be short."),
        ("3", 3),
        ("[1", "[1"),
        ('"3"', "3"),
        ("NaN", "NaN"),
        ("{}", {}),
        (" ", None),
    ],
)
def test_a_port_of_any_type_takes_text_without_quotes(qtbot: QtBot, typed: str, value: object) -> None:
    editor = literal_editor(ANY, "Rule", a_look())
    assert editor is not None
    qtbot.addWidget(editor)
    editor.field.setPlainText(typed)  # pyright: ignore[reportAttributeAccessIssue]
    assert editor.value() == value
    editor.set_value(value)
    assert editor.value() == value
