"""A chat beside the canvas: each message is a run, and what is shown of it is that run."""

import gc
import json
import weakref
from collections.abc import Mapping
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from studio.app.chats.conversations import Conversation, FlowChats, KeptChats, Turn
from studio.app.memories.project_memories import ProjectMemories
from studio.experiments.cases.case_files import read_cases
from studio.ids import NodeId, RunId
from studio.trace.fold.state import RunStatus
from studio.ui.panels.chat import ChatPanel
from studio.ui.panels.chat.turn import TurnWidget
from studio.ui.viewmodels.chat.chat import SHOWN
from studio.ui.visibility import is_seen
from studio.ui.window.cases.case_sheet import CaseSheet
from studio.ui.window.chats.chat import Chat
from studio.ui.window.main_window import MainWindow
from studio.ui.window.models.who_answers import WhoAnswers
from studio.ui.window.open_flow import OpenFlow
from tests.app.flows import chain
from tests.app.written_projects import write_project
from tests.documents import document
from tests.ui.window.windows import LONG, delete_now

pytestmark = pytest.mark.shared_window

SCRIPT = """
rules:
  - name: search
    when: {last: "(?i)search", has_tool: text_search, turn: 0}
    tool_calls: [{name: text_search, arguments: {query: wren}}]
  - name: never
    when: {last: "(?i)never"}
    reply: never
    delay: 60
  - name: whatever is asked
    reply: "**{{ messages | length }}** said, the last: {{ last }}"
"""
NODES: Mapping[str, object] = {
    "question": {"kind": "io.flow_input", "title": "Question"},
    "guide": {"kind": "llm.agent", "title": "Guide"},
    "notes": {"kind": "tools.text_search", "title": "Notes", "settings": {"folder": "data"}},
    "answer": {"kind": "io.flow_output", "title": "Answer"},
}
WIRES = (
    "question.value -> guide.prompt",
    "notes.tool -> guide.tools[0]",
    "guide.reply -> answer.value",
)


def opened(window: MainWindow, root: Path, nodes: Mapping[str, object] = NODES, *wires: str) -> OpenFlow:
    flow = document("Talk", {**nodes}, *wires)
    write_project(root, flow=flow, script=SCRIPT, chat={"default": "scripted", "profiles": {}})
    (root / "data").mkdir()
    (root / "data" / "may.txt").write_text("A wren sang.")
    window.documents.open(root)
    assert window.front is not None
    return window.front


@pytest.fixture
def talk(window: MainWindow, tmp_path: Path) -> OpenFlow:
    return opened(window, tmp_path / "talk", NODES, *WIRES)


def chat_of(qtbot: QtBot, window: MainWindow, flow: OpenFlow) -> Chat:
    """Open the chat as a person would, and wait until it takes what is written."""
    assert window.app.commands.run("panel.chat")
    qtbot.waitUntil(lambda: flow.chat_place.chat is not None, timeout=LONG)
    assert flow.chat_place.chat is not None
    return flow.chat_place.chat


def say(qtbot: QtBot, panel: ChatPanel, text: str) -> TurnWidget:
    """Write a message and send it by Enter."""
    qtbot.waitUntil(lambda: panel.composer.send.text() == "Send", timeout=LONG)
    before = len(panel.turns)
    text_field = panel.composer.text
    text_field.setPlainText(text)
    qtbot.keyClick(text_field, Qt.Key.Key_Return)
    assert len(panel.turns) == before + 1
    return panel.turns[-1]


def answered(qtbot: QtBot, panel: ChatPanel, text: str) -> TurnWidget:
    turn = say(qtbot, panel, text)
    qtbot.waitUntil(lambda: bool(turn.cards) and turn.state == "Done", timeout=LONG)
    return turn


def test_a_message_is_a_run_its_answer_comes_into_the_chat_and_nothing_covers_it(
    qtbot: QtBot, window: MainWindow, talk: OpenFlow
) -> None:
    assert talk.chat_place.chat is None
    chat = chat_of(qtbot, window, talk)
    panel = chat.panel
    assert window.focusWidget() is panel.composer.text
    turn = answered(qtbot, panel, "Search for birds")
    run = talk.controls.own.last
    assert run is not None
    assert run.run == turn.run
    assert run.state.inputs["question"].data == "Search for birds"
    assert turn.cards[0].text == run.state.outputs[NodeId("answer")].data
    (tool,) = turn.tools
    tool.button.click()
    assert any("A wren sang." in text for text in tool.texts)
    assert is_seen(panel)
    assert not is_seen(talk.work.result)
    assert not panel.composer.message
    assert "question" not in (talk.work.session.project.private / "chats.json").read_text()[:9]
    assert not (talk.work.session.project.private / "inputs.json").exists()


def test_earlier_messages_get_a_place_by_one_edit_and_go_there(
    qtbot: QtBot, window: MainWindow, talk: OpenFlow
) -> None:
    panel = chat_of(qtbot, window, talk).panel
    assert panel.earlier.text().startswith("Each message stands alone")
    first = answered(qtbot, panel, "Which birds?")
    before = talk.work.session.flow
    panel.add_place.click()
    (added,) = set(talk.work.session.flow.nodes) - set(before.nodes)
    qtbot.waitUntil(panel.add_place.isHidden, timeout=LONG)
    second = answered(qtbot, panel, "And moths?")
    assert first.cards[0].text.startswith("**1** said")
    assert second.cards[0].text.startswith("**3** said")
    run = talk.controls.own.last
    assert run is not None
    assert run.state.inputs[added].data == [
        {"role": "user", "content": "Which birds?"},
        {"role": "assistant", "content": first.cards[0].text},
    ]
    assert window.app.commands.run("edit.undo")
    assert talk.work.session.flow == before
    qtbot.waitUntil(lambda: not panel.add_place.isHidden(), timeout=LONG)


def test_an_edited_turn_forks_its_run_and_the_first_version_stays_within_reach(
    qtbot: QtBot, window: MainWindow, talk: OpenFlow
) -> None:
    panel = chat_of(qtbot, window, talk).panel
    first = answered(qtbot, panel, "Which birds?")
    second = answered(qtbot, panel, "And moths?")
    origin = first.run
    first.edit.click()
    first.field.setPlainText("Which bats?")
    qtbot.keyClick(first.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(panel.turns) == 1 and bool(panel.turns[0].cards), timeout=LONG)
    (turn,) = panel.turns
    run = talk.controls.own.last
    assert run is not None
    assert run.state.forked_from is not None
    assert run.state.forked_from.run == origin
    assert "Which bats?" in turn.cards[0].text
    assert turn.place.text() == "2 of 2"
    turn.before.click()
    assert [one.run for one in panel.turns] == [origin, second.run]
    qtbot.waitUntil(lambda: all(one.cards for one in panel.turns), timeout=LONG)


def test_a_run_is_stopped_and_sent_again_and_the_conversation_is_there_when_the_flow_is_opened_again(
    qtbot: QtBot, window: MainWindow, talk: OpenFlow
) -> None:
    panel = chat_of(qtbot, window, talk).panel
    turn = say(qtbot, panel, "Never answer")
    qtbot.waitUntil(lambda: turn.state == "Running", timeout=LONG)
    assert panel.composer.send.text() == "Stop"
    panel.composer.send.click()
    qtbot.waitUntil(lambda: turn.state == "Stopped", timeout=LONG)
    qtbot.waitUntil(lambda: panel.composer.send.text() == "Send", timeout=LONG)
    answered(qtbot, panel, "Which birds?")
    path = talk.work.session.path
    window.drop(talk.work.session)
    window.documents.open(path)
    assert window.front is not None
    again = chat_of(qtbot, window, window.front).panel
    qtbot.waitUntil(lambda: bool(again.turns) and bool(again.turns[-1].cards), timeout=LONG)
    assert [one.row.turn.text for one in again.turns] == ["Never answer", "Which birds?"]
    assert [one.state for one in again.turns] == ["Stopped", "Done"]


def test_a_conversation_is_deleted_by_hand_and_had_again(
    qtbot: QtBot, window: MainWindow, talk: OpenFlow
) -> None:
    panel = chat_of(qtbot, window, talk).panel
    assert not panel.delete.isEnabled(), "none has begun"
    turn = answered(qtbot, panel, "Which birds?")
    panel.delete.click()
    assert (panel.turns, panel.choice.count()) == ([], 1)
    assert [row.key for row in window.runs.list.rows] == [turn.run], "its run stays"
    assert "“Which birds?” is deleted" in window.notices.text
    window.notices.buttons[0].click()
    assert [one.row.turn.text for one in panel.turns] == ["Which birds?"]
    qtbot.waitUntil(lambda: panel.turns[0].state == "Done", timeout=LONG)


def test_nothing_is_sent_after_a_turn_that_is_still_read(
    qtbot: QtBot, window: MainWindow, talk: OpenFlow, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(qtbot, chat_of(qtbot, window, talk).panel, "Which birds?")
    path = talk.work.session.path
    window.drop(talk.work.session)
    window.documents.open(path)
    assert window.front is not None
    with monkeypatch.context() as slow:
        slow.setattr(window.app.runs._old, "pump", lambda *_: None)
        panel = chat_of(qtbot, window, window.front).panel
        panel.composer.text.setPlainText("And moths?")
        qtbot.keyClick(panel.composer.text, Qt.Key.Key_Return)
        assert [one.state for one in panel.turns] == ["Reading…"]
        assert "still being read" in panel.composer.hint.text()
    qtbot.waitUntil(panel.composer.send.isEnabled, timeout=LONG)
    qtbot.keyClick(panel.composer.text, Qt.Key.Key_Return)
    assert len(panel.turns) == 2


def test_what_the_run_asks_is_answered_in_its_turn_and_a_pause_leads_to_its_node(
    qtbot: QtBot, window: MainWindow, talk: OpenFlow
) -> None:
    talk.work.inspector.start.choose_profile("person")
    panel = chat_of(qtbot, window, talk).panel
    talk.work.session.breakpoints.cycle("answer")
    turn = say(qtbot, panel, "Which birds?")
    qtbot.waitUntil(lambda: bool(turn.questions), timeout=LONG)
    assert turn.state == "Waiting for you"
    assert not is_seen(talk.work.questions)
    (card,) = turn.questions.values()
    card.tell({"answer": "A wren."})
    qtbot.waitUntil(lambda: turn.state.startswith("Paused at"), timeout=LONG)
    assert turn.links.count() == 1
    run = talk.controls.own.last
    assert run is not None
    assert run.status is RunStatus.HELD
    talk.work.session.breakpoints.clear()
    talk.controls.resume()
    qtbot.waitUntil(lambda: turn.state == "Done", timeout=LONG)


def test_a_turn_is_kept_as_a_case_of_the_step_that_answered(
    qtbot: QtBot, window: MainWindow, talk: OpenFlow
) -> None:
    panel = chat_of(qtbot, window, talk).panel
    turn = answered(qtbot, panel, "Which birds?")
    turn.keep.click()
    (sheet,) = [one for one in window.findChildren(CaseSheet) if one.isVisible()]
    sheet.accept()
    (case,) = read_cases(talk.work.session.project)
    assert (case.node, case.run, case.inputs["prompt"]) == ("guide", turn.run, "Which birds?")


def test_a_flow_without_a_text_input_says_so_and_is_given_one(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    nodes = {name: node for name, node in NODES.items() if name != "question"}
    flow = opened(window, tmp_path / "silent", nodes, *WIRES[1:])
    panel = chat_of(qtbot, window, flow).panel
    assert not panel.is_possible
    assert window.focusWidget() is panel.add_input
    panel.add_input.click()
    qtbot.waitUntil(lambda: panel.is_possible, timeout=LONG)
    answered(qtbot, panel, "Which birds?")


def test_a_lasting_memory_has_earlier_turns_of_the_branch_that_is_gone_on_from(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    talk = {"kind": "memory.window", "title": "Talk", "settings": {"name": "talk"}}
    wires = (*WIRES, "talk.memory -> guide.memory[0]")
    flow = opened(window, tmp_path / "remembering", {**NODES, "talk": talk}, *wires)
    panel = chat_of(qtbot, window, flow).panel
    assert "kept for one run only" in panel.earlier.text()
    panel.add_place.click()
    qtbot.waitUntil(panel.add_place.isHidden, timeout=LONG)
    memories = ProjectMemories(flow.work.session.project)

    def said() -> list[str]:
        return [one.text for one in memories.items("talk")][::2]

    first = answered(qtbot, panel, "One")
    second = answered(qtbot, panel, "Two")
    assert second.cards[0].text.startswith("**3** said")
    qtbot.waitUntil(lambda: said() == ["One", "Two"], timeout=LONG)
    second.edited.emit("Other")
    qtbot.waitUntil(lambda: len(panel.turns) == 2 and bool(panel.turns[1].cards), timeout=LONG)
    assert panel.turns[1].cards[0].text.startswith("**3** said")
    third = answered(qtbot, panel, "Three")
    assert third.cards[0].text.startswith("**5** said")
    qtbot.waitUntil(lambda: said() == ["One", "Other", "Three"], timeout=LONG)
    panel.begin_anew.click()
    assert not panel.turns
    assert answered(qtbot, panel, "Four").cards[0].text.startswith("**1** said")
    qtbot.waitUntil(lambda: said() == ["Four"], timeout=LONG)
    assert json.loads((flow.work.session.project.private / "chats.json").read_text())
    assert first.run != third.run


def test_pictures_and_what_else_is_needed_go_to_inputs_of_their_own(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    def given(kind: str) -> dict[str, object]:
        return {"kind": "io.flow_input", "title": "Given", "settings": {"type": kind, "default": []}}

    nodes = {
        "question": NODES["question"],
        "tone": {"kind": "io.flow_input", "title": "Tone"},
        "seen": given("image[]"),
        "before": given("messages"),
        "guide": {"kind": "llm.chat", "title": "Guide", "settings": {"instructions": "Be {{tone}}."}},
        "answer": NODES["answer"],
    }
    wires = ("tone.value -> guide.tone", "seen.value -> guide.images", "before.value -> guide.history")
    flow = opened(window, tmp_path / "seeing", nodes, *wires, WIRES[0], WIRES[2])
    panel = chat_of(qtbot, window, flow).panel
    panel.composer.text.setPlainText("What is it?")
    qtbot.keyClick(panel.composer.text, Qt.Key.Key_Return)
    assert not panel.turns
    assert panel.others.form is not None
    assert panel.others.form["tone"].isAncestorOf(window.focusWidget())
    qtbot.keyClicks(window.focusWidget(), "dry")
    picture = tmp_path / "elsewhere.png"
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    assert image.save(str(picture))
    panel.composer.files_added.emit([picture])
    first = answered(qtbot, panel, "What is it?")
    run = flow.controls.own.last
    assert run is not None
    inputs = {name: one.data for name, one in run.state.inputs.items()}
    assert (inputs["tone"], inputs["seen"]) == ("dry", ["data/attached/elsewhere.png"])
    assert flow.work.inspector.start.inputs is not None
    assert flow.work.inspector.start.inputs["tone"].value() == "dry"
    fields = {str(one.node): one.value for one in flow.work.session.input_fields()}
    assert (fields["tone"], fields["question"]) == ("dry", None)
    answered(qtbot, panel, "And now?")
    run = flow.controls.own.last
    assert run is not None
    (asked, replied) = run.state.inputs["before"].data
    assert asked["images"][0]["path"] == "data/attached/elsewhere.png"
    assert replied["content"] == first.cards[0].text
    assert "seen" not in run.state.inputs or run.state.inputs["seen"].data == []


def test_who_answers_is_asked_for_a_message_too_which_is_then_answered_once(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "STEPWIRE_CHAT"):
        monkeypatch.delenv(name, raising=False)
    window.documents.open(write_project(tmp_path / "own", flow=chain()))
    assert window.front is not None
    panel = chat_of(qtbot, window, window.front).panel
    say(qtbot, panel, "Which birds?")
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(WhoAnswers)), timeout=LONG)
    (dialog,) = [one for one in window.findChildren(WhoAnswers) if one.isVisible()]
    dialog.make_up.click()
    qtbot.waitUntil(lambda: bool(panel.turns) and bool(panel.turns[-1].cards), timeout=LONG)
    assert len(panel.turns) == 1
    assert "made up" in panel.turns[0].about.text()


def test_a_long_conversation_comes_from_its_end_and_says_what_is_not_kept(
    qtbot: QtBot, window: MainWindow, talk: OpenFlow
) -> None:
    conversation = Conversation()
    for number in range(SHOWN + 5):
        before = conversation.turns[-1].run if conversation.turns else RunId("")
        conversation = conversation.with_turn(Turn(RunId(f"gone-{number}"), f"Message {number}", before))
    session = talk.work.session
    KeptChats(session.project).write(session.name, FlowChats().with_conversation(conversation))
    panel = chat_of(qtbot, window, talk).panel
    assert panel.turns[-1].row.turn.text == f"Message {SHOWN + 4}"
    qtbot.waitUntil(lambda: len(panel.turns) == SHOWN, timeout=LONG)
    assert panel.turns[0].state == "Not kept"
    assert [one.row.turn.text for one in panel.turns] == [f"Message {one}" for one in range(5, SHOWN + 5)]
    panel.show_earlier.click()
    qtbot.waitUntil(lambda: len(panel.turns) == SHOWN + 5, timeout=LONG)
    assert panel.show_earlier.isHidden()
    assert answered(qtbot, panel, "Which birds?").cards


def talked(qtbot: QtBot, window: MainWindow, root: Path) -> dict[str, weakref.ref[object]]:
    """Talk with a flow and close it; gives what there was of the chat."""
    flow = opened(window, root, NODES, *WIRES)
    chat = chat_of(qtbot, window, flow)
    answered(qtbot, chat.panel, "Which birds?")
    known = {"chat": chat, "panel": chat.panel, "turn": chat.panel.turns[0], "model": chat.model}
    window.drop(flow.work.session)
    return {name: weakref.ref(one) for name, one in known.items()}


def test_a_closed_flow_leaves_nothing_of_its_chat_behind(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    known = talked(qtbot, window, tmp_path / "closed")
    delete_now()
    gc.collect()
    assert [name for name, one in known.items() if one() is not None] == []
