"""Conversations of many long messages: laid out a few at a time, and left as they are where they grow."""

import pytest
from pytestqt.qtbot import QtBot

from studio.app.runs.live_run import LiveRun
from studio.ids import StepId
from studio.trace.events import ChatRequested, Entry, StepStarted
from studio.ui.panels.messages.conversation_page import MOST, ConversationPage
from tests.trace.builders import answer
from tests.ui.builders import RUN, a_look, a_run

CHAT = StepId("writer#chat.1")
LONG = "The heron stood in the reeds. " * 70


MESSAGES = [
    {"role": ("user", "assistant")[number % 2], "content": f"message {number}. {LONG}"}
    for number in range(60)
]
LAST = {"role": "user", "content": "and then?"}


@pytest.fixture
def asked() -> LiveRun:
    """A chat with sixty long messages that is not answered yet."""
    return a_run(
        ("writer", StepStarted()), (CHAT, "writer", ChatRequested("scripted", {"messages": MESSAGES}))
    )


@pytest.fixture
def page(qtbot: QtBot, asked: LiveRun) -> ConversationPage:
    made = ConversationPage(a_look())
    qtbot.addWidget(made)
    made.resize(420, 300)
    made.show()
    made.show_step(asked.state, CHAT)
    return made


def _said(page: ConversationPage) -> list[str]:
    return [bubble.words.body.partition(".")[0] for bubble in page.bubbles]


def _is_whole(page: ConversationPage) -> bool:
    return len(page.bubbles) == MOST


def test_the_last_messages_are_there_at_once_and_those_before_follow(
    qtbot: QtBot, page: ConversationPage, asked: LiveRun
) -> None:
    page.show_step(None, None)
    page.show_step(asked.state, CHAT)
    assert _said(page) == ["message 58", "message 59", ""], "the answer is awaited"
    last = page.bubbles[-1]
    qtbot.waitUntil(lambda: _is_whole(page))
    assert _said(page) == [*(f"message {number}" for number in range(61 - MOST, 60)), ""]
    assert page.bubbles[-1] is last, "it is not made again"
    bar = page._scroll.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    page._earlier.click()
    qtbot.waitUntil(lambda: len(page.bubbles) == 61)
    assert page._earlier.isHidden()


def test_what_one_reads_stays_where_it_is_while_earlier_messages_come(
    qtbot: QtBot, page: ConversationPage
) -> None:
    bar = page._scroll.verticalScrollBar()
    read = page.bubbles[-2]
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    bar.setValue(bar.maximum() - 60)
    place = read.mapTo(page, read.rect().topLeft()).y()
    qtbot.waitUntil(lambda: _is_whole(page) and bar.maximum() > 4_000)
    qtbot.waitUntil(lambda: read.mapTo(page, read.rect().topLeft()).y() == place)


def test_further_messages_leave_the_others_as_they_are(
    qtbot: QtBot, page: ConversationPage, asked: LiveRun
) -> None:
    page.show_step(asked.state, StepId("writer"))
    qtbot.waitUntil(lambda: _is_whole(page))
    before = list(page.bubbles)
    request = {"messages": [*MESSAGES, {"role": "assistant", "content": "a wren"}, LAST]}
    again = StepId("writer#chat.2")
    for number, (step, event) in enumerate(
        ((CHAT, answer("a wren")), (again, ChatRequested("scripted", request))), 90
    ):
        asked.take([Entry(RUN, number, step, StepId("writer"), float(number), event)])
    page.refresh()
    assert _said(page)[-4:] == ["message 59", "a wren", "and then?", ""]
    assert page.bubbles[:-3] == before[2:-1]
