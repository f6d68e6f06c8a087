"""A message as a reader wants it: long texts folded, code apart, JSON as a tree; copied, and asked about."""

import json

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from studio.ids import StepId
from studio.trace.events import ChatRequested, StepStarted, ToolAnswered, ToolCalled
from studio.ui.panels.messages.bubble import Bubble
from studio.ui.panels.messages.conversation_page import ConversationPage
from studio.ui.panels.widgets.json_tree import MOST, JsonTree
from studio.ui.viewmodels.messages.conversation import Words
from tests.trace.builders import answer
from tests.ui.builders import a_look, a_run

LINES = "\n".join(f"line {number}" for number in range(600))


def bubble_of(qtbot: QtBot, body: str, *, is_json: bool = False, is_streaming: bool = False) -> Bubble:
    made = Bubble(a_look(), words(body, is_json=is_json, is_streaming=is_streaming))
    qtbot.addWidget(made)
    made.show()
    return made


def words(body: str, *, is_json: bool = False, is_streaming: bool = False) -> Words:
    step = StepId("writer#chat.1")
    return Words("assistant", body, "port.text", is_json, is_streaming=is_streaming, step=step)


def test_a_long_text_is_folded_until_one_wants_all_of_it(qtbot: QtBot) -> None:
    bubble = bubble_of(qtbot, LINES)
    assert bubble.texts[0].startswith("line 0\n")
    assert len(bubble.texts[0]) < len(LINES) / 2
    assert bubble.more.text() == f"Show all {len(LINES):,} characters"
    bubble.more.click()
    assert bubble.texts == [LINES]
    bubble.more.click()
    assert len(bubble.texts[0]) < len(LINES) / 2
    bubble.mark("line 555")
    assert bubble.selected_text == "line 555"


def test_what_still_comes_is_not_folded_nor_taken_apart(qtbot: QtBot) -> None:
    text = f"{LINES}\n```python\nprint(1)\n"
    bubble = bubble_of(qtbot, text, is_streaming=True)
    assert bubble.texts == [text]
    assert bubble.more.isHidden()
    bubble.show_words(words("See:\n```python\nprint(1)\n```\nThat is all."))
    assert bubble.texts == ["See:", "print(1)", "That is all."]


def test_long_json_is_a_tree_that_can_be_text(qtbot: QtBot) -> None:
    data = {"verdict": {"ok": True, "why": "cited"}, "facts": list(range(12))}
    bubble = bubble_of(qtbot, json.dumps(data, indent=2), is_json=True)
    assert bubble.is_tree
    tree = bubble.findChildren(JsonTree)[0]
    assert [tree.topLevelItem(at).text(0) for at in range(2)] == ["verdict", "facts"]
    tree.topLevelItem(0).setExpanded(True)
    assert [tree.topLevelItem(0).child(at).text(1) for at in range(2)] == ["true", "cited"]
    bubble.mark("cited")
    assert not bubble.is_tree
    assert bubble.selected_text == "cited"


def test_a_list_without_an_end_shows_its_beginning_and_says_how_much_more_there_is(qtbot: QtBot) -> None:
    tree = JsonTree(a_look(), "list", json.dumps(list(range(MOST + 7))))
    qtbot.addWidget(tree)
    assert tree.topLevelItemCount() == MOST + 1
    assert tree.topLevelItem(MOST).text(1) == "7 more"


def test_a_message_is_copied_whole_and_says_where_it_was_said(qtbot: QtBot) -> None:
    bubble = bubble_of(qtbot, LINES)
    bubble.copy.click()
    assert QGuiApplication.clipboard().text() == LINES
    with qtbot.waitSignal(bubble.origin_asked) as told:
        assert bubble.origin is not None
        bubble.origin.click()
    assert told.args == ["writer#chat.1"]
    with qtbot.waitSignal(bubble.chosen) as told:
        qtbot.mouseClick(bubble, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert told.args == ["writer#chat.1"]
    asked = Bubble(a_look(), Words("user", "Why?", "port.message"))
    qtbot.addWidget(asked)
    assert asked.origin is None


def test_the_message_of_the_selected_call_is_marked_in_its_conversation(qtbot: QtBot) -> None:
    run = a_run(
        ("writer", StepStarted()),
        ("writer#chat.1", "writer", ChatRequested("", {"messages": [{"role": "user", "content": "Which?"}]})),
        ("writer#chat.1", "writer", answer("", calls=["c1"])),
        ("writer#tool.1", "writer", ToolCalled("search", {"query": "birds"}, "c1")),
        ("writer#tool.1", "writer", ToolAnswered("search", "a dunnock")),
    )
    page = ConversationPage(a_look())
    qtbot.addWidget(page)
    page.show_step(run.state, StepId("writer"))
    assert [bubble.is_chosen for bubble in page.bubbles] == [False, False, False]
    page.show_step(run.state, StepId("writer#tool.1"))
    assert [bubble.is_chosen for bubble in page.bubbles] == [False, False, True]


def test_a_message_of_whoever_has_a_long_name_fits_a_narrow_dock(qtbot: QtBot) -> None:
    made = Bubble(a_look(), Words("assistant · the one who looks after the pond", "A heron.", "port.text"))
    qtbot.addWidget(made)
    made.show()
    assert made.minimumSizeHint().width() < 180
    assert "after the pond" in made._heading.toolTip()
