"""A setting that does not fit: what was typed stays, and a run waits for it."""

from pathlib import Path

import pytest

from studio.ids import NodeId
from studio.ui.editors.schema import SchemaEditor
from studio.ui.window.main_window import MainWindow
from tests.app.flows import chain
from tests.app.written_projects import write_project

pytestmark = pytest.mark.shared_window


def test_text_that_does_not_fit_stays_with_its_node_and_no_run_begins_without_it(
    window: MainWindow, tmp_path: Path
) -> None:
    plain = chain(default="Why?", kind="llm.agent")
    window.documents.open(write_project(tmp_path / "own", flow=plain))
    own = window.front
    assert own is not None
    selection, inspector = own.work.session.selection, own.work.inspector
    selection.select([NodeId("writer")])
    assert inspector.form is not None
    field = inspector.form.settings["answer_schema"]
    assert isinstance(field, SchemaEditor)
    field.text.field.setPlainText('{"a": ')
    selection.select([NodeId("question")])
    window.app.commands.run("run.run")
    assert "“Writer” does not fit yet" in window.notices.text
    assert own.controls.own.last is None
    window.notices.buttons[0].click()
    again = inspector.form.settings["answer_schema"]
    assert isinstance(again, SchemaEditor)
    assert again.text.field.toPlainText() == '{"a": '
    assert again.text.message.startswith("Line 1")
    again.text.field.setPlainText('{"type": "object"}')
    assert inspector.rejected() is None
    assert own.work.session.flow.nodes[NodeId("writer")].settings["answer_schema"] == {"type": "object"}
