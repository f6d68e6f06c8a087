"""Held calls of an agent, from the window's side, in a real host process."""

from pathlib import Path

import pytest

from studio.app.compose import Application
from studio.app.runs.debugger import Debugger
from studio.app.runs.live_run import LiveRun
from studio.errors import ValueTypeError
from studio.host.protocol import ReleaseStep, ResumeRun, StepOn
from studio.ids import StepId
from tests.app.pumping import meant, pump
from tests.app.written_projects import write_project
from tests.documents import document

CALL = StepId("agent#tool.1")
SCRIPT = """
rules:
  - when: {turn: 0}
    tool_calls: [{name: text_search, arguments: {query: wren}}]
  - reply: "I read: {{ last }}"
"""
FLOW = document(
    "Trial",
    {
        "agent": "llm.agent",
        "out": "io.flow_output",
        "question": {"kind": "io.flow_input", "settings": {"default": "What sang?"}},
        "search": {"kind": "tools.text_search", "settings": {"folder": "data"}},
    },
    "agent.reply -> out.value",
    "question.value -> agent.prompt",
    "search.tool -> agent.tools",
)


@pytest.fixture
def held(application: Application, tmp_path: Path) -> tuple[LiveRun, Debugger]:
    """A run that is held before a call of the tool of the node that has the breakpoint."""
    root = write_project(tmp_path / "trial", flow=FLOW, script=SCRIPT)
    (root / "data").mkdir()
    (root / "data" / "may.txt").write_text("A wren sang.\n\nA dunnock fed.\n", "utf-8")
    session = application.open(root)
    session.breakpoints.cycle("search")
    debugger = application.debugger(session)
    run = application.runs.start(session, {})
    debugger.attach(run)
    pump(application, lambda: bool(debugger.held))
    assert [(one.id, one.step.tool) for one in debugger.held] == [(CALL, "text_search")]
    return run, debugger


def test_a_tool_is_asked_what_was_edited_and_says_what_was_edited(
    application: Application, held: tuple[LiveRun, Debugger]
) -> None:
    run, debugger = held
    debugger.ask(StepOn(meant(debugger), CALL, "over", {"arguments": {"query": "dunnock"}}))
    pump(application, lambda: [one.step.held_phase for one in debugger.held] == ["after"])
    assert "A dunnock fed." in str(run.state.steps[CALL].outputs["answer"].data)
    debugger.ask(ResumeRun(meant(debugger), CALL, {"answer": "A tit."}))
    pump(application, lambda: run.is_over)
    assert run.state.outputs["out"].data == "I read: A tit."


def test_arguments_that_the_tool_does_not_take_stay_where_they_were_typed(
    application: Application, held: tuple[LiveRun, Debugger]
) -> None:
    run, debugger = held
    assert "query" in debugger.check_edit(CALL, "arguments", {"limit": 3})
    with pytest.raises(ValueTypeError):
        debugger.ask(ReleaseStep(meant(debugger), CALL, {"arguments": {"limit": 3}}))
    run.ask(ReleaseStep(run.run, CALL, {"arguments": {"limit": 3}}))  # as if nobody had looked at it
    pump(application, lambda: run.refusal is not None)
    assert run.refusal is not None
    assert "query" in run.refusal.message
    assert [one.id for one in debugger.held] == [CALL]
    debugger.ask(ResumeRun(meant(debugger)))
    pump(application, lambda: run.is_over)
    assert "A wren sang." in str(run.state.outputs["out"].data)
