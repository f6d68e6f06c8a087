"""The pages of the messages: what filled a request, and what differs from another step."""

from pytestqt.qtbot import QtBot

from studio.ids import StepId
from studio.trace.conversations.message_difference import compare_messages
from studio.trace.conversations.messages import Spoken
from studio.trace.events import ChatAnswered, ChatRequested, Event, StepStarted
from studio.trace.fold.state import RunState
from studio.ui.panels.messages.context_page import ContextPage
from studio.ui.panels.messages.difference_page import Against, DifferencePage
from studio.ui.panels.messages.panel import CONTEXT, MessagesPanel
from studio.ui.viewmodels.messages.comparable import comparable_steps, same_step
from studio.ui.viewmodels.messages.context_words import left_out, rows_of, total_line
from tests.trace.test_context_use import MESSAGES, TOOLS, requested, use_of
from tests.ui.builders import a_look, a_run

WINDOW = {"tokens": 2000, "taken": 1830, "dropped": ["user: hello"], "shortened": 0, "summary": True}


def _asked(*texts: str) -> ChatRequested:
    return ChatRequested("", {"messages": [{"role": "user", "content": text} for text in texts]})


def _answered(text: str) -> ChatAnswered:
    return ChatAnswered({"role": "assistant", "content": text}, "stop", 40, 7, 10, 0.002)


def a_loop() -> RunState:
    """Two rounds of a writer and a critic, the second with two chats."""
    happened: list[tuple[str, str, Event]] = []
    for number in (1, 2):
        for node in ("writer", "critic"):
            step = f"rounds.{number}/{node}"
            happened.append((step, "rounds", StepStarted()))
            for chat in range(1, 2 + (number == 2 and node == "writer")):
                call = f"{step}#chat.{chat}"
                happened.append((call, step, _asked("Which bird?", f"It is round {number}, chat {chat}.")))
                happened.append((call, step, _answered("A wren.")))
    return a_run(*happened).state


def test_the_words_on_a_request_say_who_counted_and_what_was_left_out() -> None:
    use = use_of(requested(MESSAGES, tools=TOOLS, window=WINDOW), _answered("Yes."))
    assert total_line(use).startswith(
        "40 tokens sent, as counted by the endpoint · 7 tokens received · 25 % from"
    )
    assert "$0.0020" in total_line(use)
    assert [row.title for row in rows_of(use)] == [
        "instructions",
        "user",
        "assistant",
        "search result",
        "tool search",
    ]
    assert all(row.amount.startswith("~") for row in rows_of(use)), "the endpoint counts no single message"
    assert rows_of(use_of(requested(MESSAGES[:1]), _answered("Yes.")))[0].amount == "40 · 100 %"
    assert left_out(use)[1:] == ["Summarized messages: 1.", "– user: hello"]
    guessed = use_of(requested(MESSAGES))
    assert "as estimated" in total_line(guessed)
    assert all(row.amount.startswith("~") for row in rows_of(guessed))


def test_a_step_shows_its_last_chat_and_the_others_can_be_chosen(qtbot: QtBot) -> None:
    panel = MessagesPanel(a_look())
    qtbot.addWidget(panel)
    panel.show_step(a_loop(), StepId("rounds.2/writer"), "Writer")
    panel.turn_to(CONTEXT)
    page = panel.context
    assert (page.chooser.count(), page.chooser.currentIndex()) == (2, 1)
    assert page.list.count() == 2
    page.list.setCurrentRow(1)
    assert page.text.toPlainText() == "It is round 2, chat 2."
    page.chooser.activated.emit(0)
    page.list.setCurrentRow(1)
    assert page.text.toPlainText() == "It is round 2, chat 1."
    assert panel.step == StepId("rounds.2/writer#chat.1")


def test_without_a_request_the_page_says_what_will_stand_there(qtbot: QtBot) -> None:
    page = ContextPage(a_look())
    qtbot.addWidget(page)
    page.show_step(None, None)
    assert page.empty.title == "No request"


def test_the_round_before_is_what_one_compares_with_first() -> None:
    state = a_loop()
    assert comparable_steps(state, StepId("rounds.2/writer")) == [
        "rounds.1/writer",
        "rounds.2/writer#chat.1",
        "rounds.1/critic",
        "rounds.2/critic",
    ]
    assert same_step(state, StepId("rounds.7/critic")) == "rounds.2/critic"
    assert same_step(state, StepId("nobody")) is None


def test_differences_are_marked_counted_and_gone_through(qtbot: QtBot) -> None:
    page = DifferencePage(a_look())
    qtbot.addWidget(page)
    assert page.empty.title == "Nothing to compare with"
    page.offer([Against("step a", "Writer, round 1")], "step a")
    first = [Spoken("system", "Be brief."), Spoken("user", "A small bird."), Spoken("assistant", "A wren.")]
    second = [first[0], Spoken("user", "A big bird."), Spoken("assistant", "An owl.")]
    page.show_pairs(compare_messages(first, second))
    text = page.text.toPlainText()
    assert text.splitlines()[0] == "1 message is the same"
    assert "A smallbig bird." in text
    assert page.count.text() == "2 differences"
    places: list[int] = []
    for _ in range(3):
        places.append(page.text.textCursor().position())
        page.go(1)
    assert places[0] < places[1]
    assert places[2] == places[0]
    cursor = page.text.textCursor()
    cursor.setPosition(text.index("small") + 1)
    assert cursor.charFormat().fontStrikeOut()
    cursor.setPosition(text.index("big") + 1)
    assert cursor.charFormat().fontUnderline()
