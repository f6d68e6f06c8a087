"""Conversations are kept by flow: turns stand beside each other where one was edited, and nothing is lost."""

import json
from pathlib import Path

from studio.app.chats.conversations import FILE, MOST, Conversation, FlowChats, KeptChats, Turn, history_of
from studio.app.projects.file_changes import FileChanges
from studio.app.projects.flow_files import rename_flow
from studio.ids import RunId
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from tests.app.flows import chain
from tests.app.written_projects import write_project

STORED = {
    "flow.json": {
        "conversations": [
            {
                "id": "c6d7",
                "turns": [
                    {"run": "one", "text": "Which birds?"},
                    {"run": "two", "text": "And moths?", "before": "one", "files": ["data/a.png"]},
                    {"run": "three", "text": "And frost?", "before": "one"},
                ],
                "last": "three",
                "begun": 1795454855.78,
            }
        ],
        "open": "c6d7",
        "to": "question",
        "version": 1,
    }
}
"""As the first form was written."""


def turn(run: str, before: str = "") -> Turn:
    return Turn(RunId(run), f"Said in {run}", RunId(before))


def talk(*turns: Turn) -> Conversation:
    conversation = Conversation("talk", begun=1.0)
    for one in turns:
        conversation = conversation.with_turn(one)
    return conversation


def project_in(folder: Path) -> Project:
    return Project.open(write_project(folder / "trial", flow=chain()))


def test_an_edited_turn_stands_beside_the_one_it_was_made_of_and_both_branches_stay() -> None:
    conversation = talk(turn("a"), turn("b", "a"), turn("c", "b"), turn("d", "a"))
    assert [one.run for one in conversation.path] == ["a", "d"]
    versions = conversation.beside(conversation.path[1])
    assert [one.run for one in versions] == ["b", "d"]
    back = conversation.turned_to(versions[0])
    assert [one.run for one in back.path] == ["a", "b", "c"]


def test_a_message_whose_run_did_not_begin_is_answered_by_the_next_one() -> None:
    conversation = talk(turn("a"), turn("b", "a"), turn("c", "b")).begun_again(RunId("b"), RunId("x"))
    assert [(one.run, one.before) for one in conversation.path] == [("a", ""), ("x", "a"), ("c", "x")]


def test_turns_that_lead_round_in_a_circle_end() -> None:
    conversation = talk(turn("a", "b"), turn("b", "a"))
    assert [one.run for one in conversation.path] == ["a", "b"]
    assert conversation.turned_to(conversation.turns[0]).last == "b"


def test_conversations_come_back_and_those_of_other_flows_stay(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    kept = KeptChats(project)
    kept.write("other.json", FlowChats().with_conversation(talk(turn("z"))))
    chats = FlowChats(to="question").with_conversation(talk(turn("a"), turn("b", "a")))
    assert kept.write("flow.json", chats)
    assert KeptChats(project).read("flow.json") == chats
    assert KeptChats(project).read("other.json").now is not None


def test_what_was_stored_in_the_first_form_is_read(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    project.private.mkdir()
    (project.private / FILE).write_text(json.dumps(STORED))
    chats = KeptChats(project).read("flow.json")
    assert chats.now is not None
    assert [one.text for one in chats.now.path] == ["Which birds?", "And frost?"]
    assert chats.now.turns[1].files == ("data/a.png",)
    assert chats.to == "question"


def test_what_a_newer_studio_wrote_or_nobody_can_read_is_left_alone(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    project.private.mkdir()
    for entry in ({**STORED["flow.json"], "version": 2}, {"version": 2, "turns": "otherwise"}):
        text = json.dumps({"flow.json": entry})
        (project.private / FILE).write_text(text)
        kept = KeptChats(project)
        assert kept.read("flow.json") == FlowChats()
        assert not kept.write("flow.json", FlowChats(to="question"))
        assert (project.private / FILE).read_text() == text
    (project.private / FILE).write_text('{"flow.json": {"conversations": 3}}')
    assert KeptChats(project).read("flow.json") == FlowChats()


def test_the_oldest_conversations_go() -> None:
    chats = FlowChats()
    for number in range(MOST + 3):
        chats = chats.with_conversation(Conversation(str(number), begun=float(number)))
    assert len(chats.conversations) == MOST
    assert chats.conversations[0].id == "3"
    assert chats.open == str(MOST + 2)


def test_they_go_along_when_the_flow_is_renamed(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    chats = FlowChats().with_conversation(talk(turn("a")))
    KeptChats(project).write("flow.json", chats)
    FileChanges(project.root).do(rename_flow(project, project.main_flow, "birds.json", builtin_registry()))
    assert KeptChats(project).read("birds.json") == chats


def test_earlier_turns_are_messages_and_those_without_an_answer_are_left_out() -> None:
    picture = {"path": "data/a.png"}
    path = [turn("a"), turn("b", "a"), turn("c", "b")]
    answers = {"a": "A dunnock.", "c": ""}
    said = history_of(path, lambda one: answers.get(one.run), lambda one: [picture] if one.run == "c" else [])
    assert said == [
        {"role": "user", "content": "Said in a"},
        {"role": "assistant", "content": "A dunnock."},
        {"role": "user", "content": "Said in c", "images": [picture]},
        {"role": "assistant", "content": ""},
    ]
