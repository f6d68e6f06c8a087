"""Typing conditions: words are offered as one types, and what is wrong is said at once."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidgetItem
from pytestqt.qtbot import QtBot

from studio.app.documents.breakpoints import Breakpoint
from studio.ui.editors.condition import ConditionEditor
from studio.ui.viewmodels.words.breakpoint_advice import Advice
from studio.workspace.catalog import builtin_registry
from tests.ui.builders import a_flow, a_look

CONTROL = Qt.KeyboardModifier.ControlModifier
AT_CRITIC = Advice(Breakpoint("critic.reply"), a_flow(), builtin_registry())


@pytest.fixture
def editor(qtbot: QtBot) -> ConditionEditor:
    made = ConditionEditor(a_look(), "Condition", AT_CRITIC.in_condition, AT_CRITIC.condition)
    qtbot.addWidget(made)
    made.show()
    made.field.setFocus()
    qtbot.waitUntil(made.field.hasFocus)
    return made


def offered(editor: ConditionEditor) -> list[str]:
    rows = editor.completing.list
    items = [rows.item(row) for row in range(rows.count())] if editor.completing.is_open else []
    return [one.text() for one in items if isinstance(one, QListWidgetItem)]


def test_what_goes_on_with_a_begun_word_is_offered_and_taken_with_enter(
    qtbot: QtBot, editor: ConditionEditor
) -> None:
    qtbot.keyClicks(editor.field, "rep")
    assert offered(editor) == ["reply"]
    qtbot.keyClick(editor.field, Qt.Key.Key_Return)
    qtbot.keyClicks(editor.field, " and ro")
    assert offered(editor) == ["round", "round("]
    qtbot.keyClick(editor.field, Qt.Key.Key_Down)
    qtbot.keyClick(editor.field, Qt.Key.Key_Tab)
    assert editor.value() == "reply and round("
    assert not editor.completing.is_open


def test_escape_closes_what_is_offered_and_keeps_what_was_typed(
    qtbot: QtBot, editor: ConditionEditor
) -> None:
    qtbot.keyClicks(editor.field, "tok")
    assert offered(editor) == ["tokens"]
    qtbot.keyClick(editor.field, Qt.Key.Key_Escape)
    assert offered(editor) == []
    assert editor.value() == "tok"


def test_control_and_space_offer_every_word_with_what_it_means(qtbot: QtBot, editor: ConditionEditor) -> None:
    qtbot.keyClick(editor.field, Qt.Key.Key_Space, CONTROL)
    words = offered(editor)
    assert {"reply", "outputs", "round", "tokens", "cost", "len(", "and"} <= set(words)
    item = editor.completing.list.item(words.index("round"))
    assert item is not None
    assert "innermost loop" in item.data(Qt.ItemDataRole.AccessibleTextRole)


def test_words_are_completed_beside_letters_that_take_two_places_in_qt(
    qtbot: QtBot, editor: ConditionEditor
) -> None:
    editor.field.insertPlainText('"🦉" in ')
    qtbot.keyClicks(editor.field, "rep")
    assert offered(editor) == ["reply"]
    qtbot.keyClick(editor.field, Qt.Key.Key_Return)
    assert editor.value() == '"🦉" in reply'


@pytest.mark.parametrize(
    ("text", "said", "marked"),
    [
        ("rond > 2", "There is no `rond`", "rond"),
        ('round > "two"', "cannot be compared", '"'),
        ("reply.upper()", "Only the listed functions", "reply"),
        ("round >", "This is not an expression", ""),
    ],
)
def test_what_is_wrong_is_said_at_once_and_underlined(
    editor: ConditionEditor, text: str, said: str, marked: str
) -> None:
    told: list[object] = []
    editor.edited.connect(told.append)
    editor.field.insertPlainText(text)
    assert said in editor.message
    (mark,) = editor.field.extraSelections()
    assert mark.cursor.selectedText().startswith(marked)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    assert told == [], "what cannot stand is not told"


def test_what_is_put_right_is_told_and_no_longer_marked(qtbot: QtBot, editor: ConditionEditor) -> None:
    told: list[object] = []
    editor.edited.connect(told.append)
    qtbot.keyClicks(editor.field, "rounds")
    assert editor.message
    qtbot.keyClick(editor.field, Qt.Key.Key_Backspace)
    assert editor.message == ""
    assert editor.field.extraSelections() == []
    assert told[-1] == "round"


def test_names_are_offered_within_the_braces_of_a_line_alone() -> None:
    text = "so much: {ro} and {tok"
    assert [one.text for one in AT_CRITIC.in_log(text[:3], 4)] == []
    assert [(one.text, one.start) for one in AT_CRITIC.in_log(text[:12], 13)] == [
        ("round", 11),
        ("round(", 11),
    ]
    assert [one.text for one in AT_CRITIC.in_log(text[:13], 14)] == []
    assert [(one.text, one.start) for one in AT_CRITIC.in_log(text, 23)] == [("tokens", 20)]
    assert "reply" in [one.text for one in AT_CRITIC.in_log("{", 2)]
    assert AT_CRITIC.in_log("{{", 3) == []


def test_a_line_is_checked_between_its_braces() -> None:
    assert AT_CRITIC.log("round {round}: {len(reply)}") is None
    found = AT_CRITIC.log("round {rond}")
    assert found is not None
    assert found.column == 8
