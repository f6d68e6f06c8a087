"""The chat's panel: written and read with the keyboard alone, and only what is new is made anew."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from studio.app.chats.conversations import Turn
from studio.ids import NodeId, RunId, StepId
from studio.trace.events.calls import MADE_UP_LABEL
from studio.trace.events.values import Shown
from studio.ui.panels.chat import ChatPanel
from studio.ui.panels.result.rendered_text import RenderedText
from studio.ui.panels.widgets.picture import NoImages
from studio.ui.viewmodels.chat.chat import EarlierWords, TurnRow
from studio.ui.viewmodels.chat.chat_turns import Place, ToolLine, TurnView
from studio.ui.viewmodels.run.results import Given
from tests.ui.builders import a_look


def row(run: str, text: str = "Which birds?", number: int = 1, count: int = 1) -> TurnRow:
    return TurnRow(Turn(RunId(run), text), number, count)


def given(text: str, *labels: str) -> tuple[Given, ...]:
    return (Given(NodeId("answer"), "Answer", Shown(text, labels), None),)


def tool(number: int, answer: str = "") -> ToolLine:
    step = StepId(f"guide#tool.{number}")
    return ToolLine(step, "search", "wren", '{"query": "wren"}', answer, "", "done")


@pytest.fixture
def panel(qtbot: QtBot, tmp_path: Path) -> ChatPanel:
    made = ChatPanel(a_look(), tmp_path, NoImages(), lambda _: None)
    qtbot.addWidget(made)
    made.resize(360, 800)
    made.show_flow(has_input=True, can_add=True)
    made.show()
    return made


def test_enter_sends_and_with_shift_begins_a_line(qtbot: QtBot, panel: ChatPanel) -> None:
    sent: list[str] = []
    panel.sent.connect(sent.append)
    text = panel.composer.text
    assert not panel.composer.send.isEnabled()
    qtbot.keyClick(text, Qt.Key.Key_Return)
    qtbot.keyClicks(text, "One")
    qtbot.keyClick(text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(text, "two")
    qtbot.keyClick(text, Qt.Key.Key_Return)
    assert sent == ["One\ntwo"]
    panel.composer.show_running(is_running=True)
    qtbot.keyClick(text, Qt.Key.Key_Return)
    assert sent == ["One\ntwo"]


def test_the_last_message_is_edited_from_the_empty_field_and_left_by_escape(
    qtbot: QtBot, panel: ChatPanel
) -> None:
    panel.show_turns([row("a"), row("b", "And moths?")], 0)
    panel.show_turn(RunId("b"), TurnView("Done", "done", is_over=True), can_keep=True)
    edited: list[tuple[str, str]] = []
    panel.edited.connect(lambda run, text: edited.append((run, text)))
    last = panel.turns[-1]
    qtbot.keyClick(panel.composer.text, Qt.Key.Key_Up)
    assert last.field.toPlainText() == "And moths?"
    qtbot.keyClick(last.field, Qt.Key.Key_Escape)
    assert not edited
    qtbot.keyClick(panel.composer.text, Qt.Key.Key_Up)
    last.field.setPlainText("And bats?")
    last.resend.click()
    assert edited == [("b", "And bats?")]


def test_a_turn_that_goes_on_is_not_edited(qtbot: QtBot, panel: ChatPanel) -> None:
    panel.show_turns([row("a")], 0)
    panel.show_turn(RunId("a"), TurnView("Running", "running"), can_keep=False)
    (turn,) = panel.turns
    assert not turn.edit.isEnabled()
    qtbot.keyClick(panel.composer.text, Qt.Key.Key_Up)
    assert turn.again.isHidden()


def test_what_comes_grows_and_is_rendered_once_it_is_whole(panel: ChatPanel) -> None:
    panel.show_turns([row("a"), row("b")], 0)
    first, last = panel.turns
    panel.show_turn(RunId("a"), TurnView("Done", "done", given=given("A wren."), is_over=True), can_keep=True)
    cards = list(first.cards)
    for text in ("It is", "It is **not**"):
        panel.show_turn(RunId("b"), TurnView("Running", "running", streamed=text), can_keep=False)
        assert last.streamed == text
    assert first.cards == cards
    over = TurnView("Done", "done", given=given("It is **not** a wren."), is_over=True)
    panel.show_turn(RunId("b"), over, can_keep=True)
    assert not last.streamed
    rendered = last.cards[0].findChild(RenderedText)
    assert rendered is not None
    assert rendered.toPlainText() == "It is not a wren."
    made = list(last.cards)
    panel.show_turns([row("a"), row("b", number=1, count=2)], 0)
    panel.show_turn(RunId("b"), over, can_keep=True)
    assert last.cards == made
    assert not last.place.isHidden()


def test_calls_of_tools_stay_open_while_more_come_and_many_are_folded(panel: ChatPanel) -> None:
    panel.show_turns([row("a")], 0)
    (turn,) = panel.turns
    panel.show_turn(RunId("a"), TurnView("Running", "running", tools=(tool(1),)), can_keep=False)
    (line,) = turn.tools
    line.button.click()
    lines = (tool(1, "two wrens"), *(tool(number) for number in range(2, 16)))
    panel.show_turn(RunId("a"), TurnView("Running", "running", tools=lines[:3]), can_keep=False)
    assert turn.tools[0] is line
    assert line.texts[-1] == "two wrens"
    panel.show_turn(RunId("a"), TurnView("Running", "running", tools=lines), can_keep=False)
    assert len(turn.tools) == 12
    assert turn.earlier_tools.text() == "3 earlier calls of tools"
    turn.earlier_tools.click()
    assert [one.step for one in turn.tools] == [one.step for one in lines]


def test_it_says_by_words_where_a_run_stands_and_leads_there(qtbot: QtBot, panel: ChatPanel) -> None:
    panel.show_turns([row("a")], 0)
    (turn,) = panel.turns
    asked: list[tuple[str, str]] = []
    panel.step_asked.connect(lambda run, step: asked.append((run, step)))
    held = TurnView("Paused at Guide", "held", held=(Place(StepId("guide"), "Guide"),))
    panel.show_turn(RunId("a"), held, can_keep=False)
    assert turn.state == "Paused at Guide"
    item = turn.links.itemAt(0)
    assert item is not None
    button = item.widget()
    assert button is not None
    button.click()  # type: ignore[attr-defined]
    assert asked == [("a", "guide")]
    failed = TurnView(
        "Failed", "failed", error="No key.", failed=Place(StepId("guide"), "Guide"), is_over=True
    )
    panel.show_turn(RunId("a"), failed, can_keep=False)
    assert turn.error.text() == "No key."
    assert turn.links.count() == 1
    left = TurnView("Waiting for you", "held", is_over=True, is_left=True)
    panel.show_turn(RunId("a"), left, can_keep=False)
    with qtbot.waitSignal(panel.questions_asked):
        turn.links.itemAt(0).widget().click()  # type: ignore[union-attr]
    made_up = TurnView("Done", "done", given=given("A wren.", MADE_UP_LABEL), is_made_up=True, is_over=True)
    panel.show_turn(RunId("a"), made_up, can_keep=True)
    assert "made up" in turn.about.text()
    assert turn.error.isHidden()
    assert not turn.links.count()


def test_files_and_pictures_that_are_pasted_or_dropped_are_passed_on(
    panel: ChatPanel, tmp_path: Path
) -> None:
    added: list[list[Path]] = []
    pasted: list[bytes] = []
    panel.composer.files_added.connect(added.append)
    panel.composer.picture_pasted.connect(pasted.append)
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.png"))])
    panel.composer.text.insertFromMimeData(files)
    assert added == [[tmp_path / "a.png"]]
    picture = QMimeData()
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    picture.setImageData(image)
    panel.composer.text.insertFromMimeData(picture)
    assert pasted[0].startswith(b"\x89PNG")
    words = QMimeData()
    words.setText("A wren.")
    panel.composer.text.insertFromMimeData(words)
    assert panel.composer.message == "A wren."


def test_what_is_sent_along_is_listed_and_can_be_left_out(panel: ChatPanel) -> None:
    removed: list[str] = []
    panel.composer.file_removed.connect(removed.append)
    panel.composer.show_files(["data/a.png", "data/b.png"])
    assert [one.text() for one in panel.composer.findChildren(QLabel) if one.text().endswith(".png")]
    panel.composer.removers[1].click()
    assert removed == ["data/b.png"]


def test_what_the_flow_lacks_is_said_with_what_gives_it(panel: ChatPanel) -> None:
    panel.show_earlier_words(EarlierWords("Each message stands alone.", "Add an input"), can_add=True)
    assert not panel.add_place.isHidden()
    panel.show_earlier_words(EarlierWords("Each message stands alone.", "Add an input"), can_add=False)
    assert panel.add_place.isHidden()
    panel.composer.show_attachable("This flow takes no files", is_possible=False)
    assert not panel.composer.attach.isEnabled()
    assert panel.composer.attach.toolTip() == "This flow takes no files"
    panel.show_flow(has_input=False, can_add=True)
    assert not panel.is_possible
    assert not panel.add_input.isHidden()


def test_what_is_read_stays_in_its_place_while_earlier_turns_come_above_it(
    qtbot: QtBot, panel: ChatPanel
) -> None:
    long = "A wren. " * 200
    late = [row(str(number), long) for number in range(10, 20)]
    panel.show_turns(late, 10)
    bar = panel.area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.setValue(40)
    rest = bar.maximum() - 40
    panel.hold_place()
    panel.show_turns([*(row(str(number), long) for number in range(10)), *late], 0)
    qtbot.waitUntil(lambda: bar.value() > 400)
    assert bar.maximum() - bar.value() == rest
    bar.setValue(bar.maximum())
    panel.show_turn(RunId("19"), TurnView("Running", "running", streamed=long * 3), can_keep=False)
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())


def test_each_control_has_a_name(panel: ChatPanel) -> None:
    panel.show_turns([row("a", count=2)], 3)
    (turn,) = panel.turns
    controls = (panel.choice, panel.begin_anew, panel.to, panel.composer.text, panel.composer.attach)
    for one in (*controls, turn.edit, turn.before, turn.after, turn.again, turn.keep, turn.open_run):
        assert one.accessibleName()
    assert "3" in panel.show_earlier.text()
