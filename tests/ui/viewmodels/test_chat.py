"""A chat: which turns are shown, in which branch, and what is said of its flow."""

from pathlib import Path

import pytest

from studio.app.chats.chat_places import ChatPlaces, Remembering
from studio.app.chats.conversations import KeptChats
from studio.flow.ports import parse_type
from studio.ids import NodeId, RunId
from studio.ui.viewmodels.chat.chat import (
    SHOWN,
    ChatModel,
    attach_words,
    earlier_words,
    missing,
    others_words,
)
from studio.workspace.inputs import InputField
from studio.workspace.project import Project
from tests.app.written_projects import write_project


@pytest.fixture
def kept(tmp_path: Path) -> KeptChats:
    return KeptChats(Project.open(write_project(tmp_path / "trial")))


def field(name: str, kind: str = "text", default: object = None) -> InputField:
    return InputField(NodeId(name), name.title(), parse_type(kind), default=default)


def shown(model: ChatModel) -> list[str]:
    return [row.turn.run for row in model.rows]


def test_messages_follow_one_another_and_come_back_with_the_window(kept: KeptChats) -> None:
    model = ChatModel(kept, "flow.json")
    assert not model.rows
    model.add(RunId("a"), "Which birds?", [])
    model.add(RunId("b"), "And moths?", ["data/a.png"])
    later = ChatModel(kept, "flow.json")
    assert shown(later) == ["a", "b"]
    assert [one.title for one in later.conversations] == ["Which birds?"]
    assert not ChatModel(kept, "other.json").rows


def test_a_deleted_conversation_is_gone_until_it_is_put_back_in_its_place(kept: KeptChats) -> None:
    model = ChatModel(kept, "flow.json")
    assert model.delete() is None
    model.add(RunId("a"), "Which birds?", [])
    model.begin_anew()
    model.add(RunId("b"), "And moths?", [])
    first = model.conversations[-1].id
    model.turn_to(first)
    gone = model.delete()
    assert gone is not None
    assert model.conversation is None
    assert [one.title for one in ChatModel(kept, "flow.json").conversations] == ["And moths?"]
    model.put_back(gone)
    assert shown(model) == ["a"]
    assert [one.title for one in ChatModel(kept, "flow.json").conversations] == ["And moths?", "Which birds?"]


def test_an_edited_turn_is_another_version_and_the_first_can_be_reached(kept: KeptChats) -> None:
    model = ChatModel(kept, "flow.json")
    for run in "abc":
        model.add(RunId(run), f"Said in {run}", [])
    model.add(RunId("d"), "Said otherwise", [], before=RunId("a"))
    assert shown(model) == ["a", "d"]
    assert [row.place for row in model.rows] == ["1 of 1", "2 of 2"]
    model.go_beside(RunId("d"), -1)
    assert shown(model) == ["a", "b", "c"]
    model.go_beside(RunId("b"), -1)
    assert shown(model) == ["a", "b", "c"]
    model.go_beside(RunId("b"), 1)
    model.add(RunId("e"), "And then", [])
    assert shown(model) == ["a", "d", "e"]


def test_a_first_message_that_is_edited_stays_in_its_conversation(kept: KeptChats) -> None:
    model = ChatModel(kept, "flow.json")
    model.add(RunId("a"), "Which birds?", [])
    model.add(RunId("b"), "Which moths?", [], before=RunId(""))
    assert len(model.conversations) == 1
    assert [row.place for row in model.rows] == ["2 of 2"]


def test_a_new_conversation_begins_with_its_first_message(kept: KeptChats) -> None:
    model = ChatModel(kept, "flow.json")
    model.add(RunId("a"), "Which birds?", [])
    model.begin_anew()
    assert not model.rows
    assert len(model.conversations) == 1
    model.add(RunId("b"), "Which moths?", [])
    assert shown(model) == ["b"]
    first = model.conversations[-1]
    model.turn_to(first.id)
    assert shown(model) == ["a"]


def test_a_message_whose_run_did_not_begin_is_not_sent_twice(kept: KeptChats) -> None:
    model = ChatModel(kept, "flow.json")
    model.add(RunId("a"), "Which birds?", [])
    model.begun_again(RunId("a"), RunId("b"))
    assert shown(model) == ["b"]


def test_of_a_long_conversation_the_last_turns_are_shown_and_more_when_asked(kept: KeptChats) -> None:
    model = ChatModel(kept, "flow.json")
    for number in range(SHOWN * 2 + 3):
        model.add(RunId(str(number)), "Again", [])
    assert (len(model.rows), model.hidden) == (SHOWN, SHOWN + 3)
    model.show_earlier()
    assert (len(model.rows), model.hidden) == (SHOWN * 2, 3)
    model.show_earlier()
    assert (len(model.rows), model.hidden) == (SHOWN * 2 + 3, 0)


def test_it_is_said_what_becomes_of_earlier_turns() -> None:
    run = Remembering(NodeId("talk"), "Talk", "birds", lasts=False)
    project = Remembering(NodeId("talk"), "Talk", "birds", lasts=True)
    for places, sentence, offer in (
        (ChatPlaces(), "Each message stands alone: this flow has no place", "Add an input for them"),
        (ChatPlaces(memories=(run,)), "is kept for one run only.", "Keep it for the project"),
        (ChatPlaces(memories=(project,)), "The memory “Talk” has earlier messages.", ""),
        (ChatPlaces(history=field("before", "messages")), "Earlier messages go to “Before”.", ""),
    ):
        words = earlier_words(places)
        assert sentence in words.sentence
        assert words.offer == offer


def test_what_else_the_flow_is_given_is_told_and_what_is_missing() -> None:
    places = ChatPlaces(others=(field("tone"), field("count", "number", 3), field("list", "text[]", [])))
    values = {"tone": "", "count": 3, "list": ["wren"]}
    assert [one.label for one in missing(places, values)] == ["Tone"]
    assert others_words(places, {**values, "tone": "dry"}).startswith("Tone: dry · Count: 3")
    assert not missing(places, {**values, "tone": "dry"})


def test_it_is_said_what_can_be_sent_along() -> None:
    assert attach_words(ChatPlaces())[0] is False
    assert "no input of type file or image" in attach_words(ChatPlaces())[1]
    assert attach_words(ChatPlaces(pictures=field("seen", "image[]")))[1].startswith("Attach pictures")
    assert attach_words(ChatPlaces(files=field("data", "file")))[1].startswith("Attach files:")
