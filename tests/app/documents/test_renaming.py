"""A node gets another id: in its flow, at its breakpoints, and in the flows that call it."""

from pathlib import Path

import pytest

from studio.app.documents.node_rename import rename_node
from studio.app.documents.session import Session
from studio.errors import EditRefusedError
from studio.flow.checks.check import check, errors_of
from studio.ids import NodeId
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow, save_flow
from tests.flow.builders import flow, node

PART = flow(
    {"text": "io.flow_input", "loud": node("text.template", template="{{a}}!"), "said": "io.flow_output"},
    "text.value -> loud.a",
    "loud.text -> said.value",
)
CALLING = flow(
    {
        "call": node("control.subflow", flow="part.json", inputs={"text": "hello"}),
        "second": node("control.subflow", flow="part.json"),
        "out": "io.flow_output",
    },
    "call.said -> second.text",
    "second.said -> out.value",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    save_flow(tmp_path / "flow.json", CALLING)
    save_flow(tmp_path / "part.json", PART)
    (tmp_path / "project.json").write_text('{"format": "stepwire.project", "version": 1}', "utf-8")
    return tmp_path


def opened(path: Path) -> Session:
    return Session.open(path, builtin_registry())


def rename(session: Session, old: str, new: str) -> list[str]:
    done = rename_node(session, NodeId(old), NodeId(new), lambda path: (opened(path), False), Session.close)
    assert not done.refused
    return done.callers


def test_a_step_keeps_its_wires_and_its_breakpoint_under_its_new_id(root: Path) -> None:
    session = opened(root / "part.json")
    session.breakpoints.set("loud", state=True)
    assert rename(session, "loud", "shout") == []
    assert [str(wire) for wire in session.flow.wires] == ["shout.text -> said.value", "text.value -> shout.a"]
    assert session.breakpoints.all == {"shout": True}
    session.history.undo()
    assert session.flow == PART
    assert session.breakpoints.all == {"loud": True}


def test_inputs_and_outputs_are_renamed_where_the_flow_is_called(root: Path) -> None:
    session = opened(root / "part.json")
    assert rename(session, "text", "words") == ["flow.json"]
    assert rename(session, "said", "answer") == ["flow.json"]
    session.save()
    calling = load_flow(root / "flow.json").flow
    assert [str(wire) for wire in calling.wires] == [
        "call.answer -> second.words",
        "second.answer -> out.value",
    ]
    assert calling.nodes[NodeId("call")].inputs == {"words": "hello"}
    assert not errors_of(check(calling, opened(root / "flow.json").registry))


def test_a_flow_that_calls_itself_is_renamed_in_one_step(root: Path) -> None:
    again = flow(
        {
            "text": "io.flow_input",
            "deeper": node("control.subflow", flow="part.json"),
            "said": "io.flow_output",
        },
        "deeper.said -> said.value",
        "text.value -> deeper.text",
    )
    save_flow(root / "part.json", again)
    session = opened(root / "part.json")
    rename(session, "said", "answer")
    assert [str(wire) for wire in session.flow.wires] == [
        "deeper.answer -> answer.value",
        "text.value -> deeper.text",
    ]
    session.history.undo()
    assert session.flow == again


def test_an_id_that_is_taken_or_no_id_changes_nothing(root: Path) -> None:
    session = opened(root / "part.json")
    for wrong in ("said", "Loud words", ""):
        with pytest.raises(EditRefusedError):
            rename(session, "text", wrong)
    assert session.flow == PART
    assert load_flow(root / "flow.json").flow == CALLING
