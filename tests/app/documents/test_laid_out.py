"""A flow that says nothing of where its nodes stand is put in order when it is opened."""

from dataclasses import replace
from pathlib import Path

from studio.app.documents.session import Session
from studio.flow.files.codec import dumps
from studio.flow.records import Layout, Point
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from tests.flow.builders import flow

WIRES = ("question.value -> writer.prompt", "writer.reply -> answer.value")
KINDS = {"answer": "io.flow_output", "question": "io.flow_input", "writer": "llm.chat"}


def test_it_stands_from_left_to_right_and_has_nothing_to_save(tmp_path: Path) -> None:
    session = opened(tmp_path, Layout())
    places = session.flow.layout.nodes
    assert places[NodeId("question")].x < places[NodeId("writer")].x < places[NodeId("answer")].x
    assert not session.history.is_modified
    assert session.history.undo_labels == []


def test_a_flow_with_a_layout_is_left_alone(tmp_path: Path) -> None:
    session = opened(tmp_path, Layout({NodeId("writer"): Point(7, 9)}))
    assert dict(session.flow.layout.nodes) == {NodeId("writer"): Point(7, 9)}


def opened(folder: Path, layout: Layout) -> Session:
    (folder / "project.json").write_text('{"format": "stepwire.project", "version": 1}')
    (folder / "flow.json").write_text(dumps(replace(flow(KINDS, *WIRES), layout=layout)))
    return Session.open(folder, builtin_registry())
