"""Conditions, lines and catches set in a window, and what they do in a real host process."""

from pathlib import Path
from typing import Any

import pytest

from studio.app.compose import Application
from studio.errors import ValueTypeError
from studio.host.protocol import ReleaseStep, ResumeRun
from studio.ids import StepId
from studio.runtime.gates.breakpoints import Breakpoint
from studio.trace.events import Entry, LogWritten
from studio.trace.fold.state import RunStatus
from tests.app.pumping import meant, pump
from tests.app.written_projects import write_project
from tests.documents import document

FLOW = document(
    "Rounds",
    {
        "grow": {"kind": "text.template", "settings": {"template": "{{x}}+"}},
        "out": "io.flow_output",
        "rounds": {"kind": "control.loop", "settings": {"max_rounds": 3}},
        "word": {"kind": "io.flow_input", "settings": {"default": "a"}},
    },
    "grow.text -> rounds.again",
    "rounds.result -> out.value",
    "rounds.value -> grow.x",
    "word.value -> rounds.start",
)
BREAKS: dict[str, Any] = document(
    "Breaks",
    {
        "broken": {
            "kind": "text.template",
            "settings": {"template": "{{x.name}}"},
            "inputs": {"x": {}},
        },
        "out": "io.flow_output",
    },
    "broken.text -> out.value",
)


def test_a_condition_a_count_and_a_line_reach_the_run_and_hits_come_back(
    application: Application, tmp_path: Path
) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=FLOW))
    session.breakpoints.put(Breakpoint("grow", condition="round > 1", hits=2))
    session.breakpoints.put(Breakpoint("grow.text", log="{round}: {text}"))
    debugger = application.debugger(session)
    run = application.runs.start(session, {})
    seen: list[Entry] = []
    run.on_entries(seen.extend)
    debugger.attach(run)
    pump(application, lambda: bool(debugger.held))
    assert [held.id for held in debugger.held] == ["rounds.3/grow"]
    assert debugger.held[0].step.held_detail == "round > 1"
    debugger.ask(ResumeRun(meant(debugger)))
    pump(application, lambda: run.is_over)
    assert run.hits == {"grow": 2, "grow.text": 3}
    lines = [entry.event.text for entry in seen if isinstance(entry.event, LogWritten)]
    assert lines == ["1: a+", "2: a++", "3: a+++"]
    assert [(step, text) for _, step, text in run.state.log][:1] == [("rounds.1/grow", "1: a+")]


def test_an_error_is_held_for_and_outputs_that_fit_stand_in_its_place(
    application: Application, tmp_path: Path
) -> None:
    session = application.open(write_project(tmp_path / "trial", flow=BREAKS))
    session.breakpoints.put(Breakpoint(on="error"))
    debugger = application.debugger(session)
    run = application.runs.start(session, {})
    debugger.attach(run)
    pump(application, lambda: bool(debugger.held))
    (held,) = debugger.held
    assert (held.step.held_reason, held.step.held_by) == ("error", "!error")
    assert "name" in held.step.held_detail
    with pytest.raises(ValueTypeError, match="text"):
        debugger.ask(ReleaseStep(meant(debugger), StepId("broken"), {"text": 3}))
    debugger.ask(ReleaseStep(meant(debugger), StepId("broken"), {"text": "mended"}))
    pump(application, lambda: run.is_over)
    assert run.status is RunStatus.FINISHED
    assert run.state.outputs["out"].data == "mended"
