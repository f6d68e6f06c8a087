"""Called flows in a real host process: as they are edited in the window, held by its breakpoints, forked."""

from pathlib import Path

import pytest

from studio.app.compose import Application
from studio.errors import UsageError
from studio.flow import edits
from studio.host.protocol import ReleaseStep
from studio.ids import NodeId, StepId
from tests.app.pumping import meant, pump
from tests.app.runs.test_called_flows import MAIN, loud
from tests.app.written_projects import write_flow, write_project

JOIN = StepId("call/join")


def test_a_run_calls_flows_as_they_are_edited_and_is_held_and_forked_inside_them(
    application: Application, tmp_path: Path
) -> None:
    root = write_project(tmp_path / "trial", flow=MAIN)
    write_flow(root / "parts" / "loud.json", loud("!"))
    outer, inner = application.open(root), application.open(root / "parts" / "loud.json")
    inner.history.do(edits.set_setting(inner.flow, NodeId("join"), "template", "{{text}}?"))
    inner.breakpoints.cycle("join")
    first = application.runs.start(outer, {})
    debugger = application.debugger(outer)
    debugger.attach(first)
    pump(application, lambda: bool(debugger.held))
    assert [one.id for one in debugger.held] == [JOIN]
    assert str(debugger.type_of(JOIN, "text")) == "any"
    with pytest.raises(UsageError):
        debugger.ask(
            ReleaseStep(
                meant(debugger), StepId("join"), {"text": "the node of that name in the flow that ran"}
            )
        )
    debugger.ask(ReleaseStep(meant(debugger), JOIN, {"text": "wren"}))
    pump(application, lambda: first.is_over)
    assert first.state.outputs["out"].data == "wren?"
    assert list(first.flows) == ["parts/loud.json"]
    inner.breakpoints.clear()
    inner.history.undo()
    fork = application.runs.go_back(outer, first.run, "fork")
    pump(application, lambda: fork.is_over)
    assert fork.state.outputs["out"].data == "owl!"
