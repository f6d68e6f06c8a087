"""The inspector of a node that calls a flow."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from studio.flow.files.codec import dumps
from studio.flow.records import Flow, Node, RunSettings
from studio.ids import NodeId, Scope, StepId
from studio.trace.fold.steps import StepState
from studio.ui.panels.inspector import Inspector
from studio.ui.panels.inspector.held_box import HeldBox
from studio.ui.viewmodels.run.shown_run import ShownRun
from tests.ui.builders import a_look, a_session, around

CALL = NodeId("call")
OUTER = Flow("Outer", nodes={CALL: Node(kind="control.subflow", settings={"flow": "inner.json"})})


def inner(*inputs: str) -> str:
    return dumps(Flow("Inner", nodes={NodeId(name): Node(kind="io.flow_input") for name in inputs}))


def test_the_inputs_of_a_called_flow_have_fields_and_follow_its_file(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "inner.json").write_text(inner("text"), "utf-8")
    session = a_session(tmp_path, OUTER)
    inspector = Inspector(
        session, ShownRun(), around(session, a_look()), None, check=lambda _step, _port, _plain: ""
    )
    qtbot.addWidget(inspector)
    session.selection.select([CALL])
    assert inspector.form is not None
    assert inspector.form.run_settings is not None, "a call can be tried again, limited and mended"
    assert inspector.form.inputs is not None
    assert [field.name for field in inspector.form.inputs] == ["text"]
    (tmp_path / "inner.json").write_text(inner("text", "title"), "utf-8")
    session.look_at_called_flows()
    assert [field.name for field in inspector.form.inputs] == ["text", "title"]
    inspector.close_session()
    session.close()


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("control.loop", ["on_error", "default", "time_limit"]),
        ("control.for_each", ["time_limit"]),
        ("control.collect", ["on_error", "default"]),
    ],
)
def test_loops_and_maps_have_the_run_settings_that_they_can_follow(
    qtbot: QtBot, tmp_path: Path, kind: str, fields: list[str]
) -> None:
    session = a_session(tmp_path, Flow("Areas", nodes={CALL: Node(kind=kind)}))
    inspector = Inspector(
        session, ShownRun(), around(session, a_look()), None, check=lambda _step, _port, _plain: ""
    )
    qtbot.addWidget(inspector)
    session.selection.select([CALL])
    assert inspector.form is not None
    assert inspector.form.run_settings is not None
    assert [field.name for field in inspector.form.run_settings] == fields
    inspector.form.run_settings.edited.emit(RunSettings(time_limit=2))
    assert session.flow.nodes[CALL].run.time_limit == 2
    inspector.close_session()
    session.close()


def test_a_step_held_inside_a_called_flow_is_named_above_its_values(qtbot: QtBot) -> None:
    box = HeldBox(a_look(), lambda _step, _port, _plain: "")
    qtbot.addWidget(box)
    inside = StepState(StepId("call/critic"), NodeId("critic"), Scope("call"), "", 1)
    box.show_step(OUTER, inside)
    title = next(one.text() for one in box.findChildren(QLabel) if one.property("tone") == "held")
    assert title.startswith("Paused before critic, ")
