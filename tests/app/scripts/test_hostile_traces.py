"""A trace is a file that anybody may have written: whatever it says, the project's runs stay readable."""

import json
from pathlib import Path
from typing import Any

import pytest

from studio.app.scripts.script_entries import read_traces
from studio.app.scripts.script_traces import Opened, open_trace
from studio.cli.main import main
from studio.export.versions import version_of
from studio.ids import RunId
from studio.store.reader import RunStore
from studio.store.summary import RunStatus
from studio.trace import events
from studio.trace.events import Entry
from studio.workspace.project import Project
from tests.app.old_traces import FLOW as STORED
from tests.app.old_traces import TRACE, project_of
from tests.app.scripts.test_script_traces import traced
from tests.runtime.bench import REGISTRY, flow_of

RUN = "20261121-111546-c0474b2"
GHOST = '{"kind": "step_started", "inputs": {"x": {"data": %s}}}'
FLOW = flow_of({"text": ("text.text", {"text": "A"}), "out": "io.flow_output"}, ["text.text -> out.value"])
STARTED: dict[str, Any] = {"kind": "run_started", "flow_name": "x", "flow": version_of(FLOW), "inputs": {}}
FINISHED = {"kind": "run_finished", "outputs": {"out": {"data": "A"}}}
KEY = "sk-abcdefghijklmnop1234567890"


def line(event: object, *, step: str = "", time: str = "1.0") -> str:
    told = event if isinstance(event, str) else json.dumps(event)
    return f'{{"run": "{RUN}", "number": 1, "step": "{step}", "time": {time}, "event": {told}}}\n'


def taken_in(project: Project, lines: str) -> Opened:
    path = project.root / "trace.jsonl"
    path.write_text(lines)
    (found,) = [open_trace(one, project, REGISTRY) for one in read_traces(path)]
    return found


def entries_of(project: Project) -> list[Entry]:
    return list(RunStore(project.private).entries(RunStore(project.private).runs()[0].run))


HOSTILE = {
    "a time of no calendar": line(GHOST % 1, step="ghost", time="1e300"),
    "no number as time": line(GHOST % 1, step="ghost", time="NaN"),
    "an endless time": line(GHOST % 1, step="ghost", time="Infinity"),
    "a time of 400 digits": line(GHOST % 1, step="ghost", time="1" + "0" * 400),
    "deep lists": line(GHOST % ("[" * 400 + "]" * 400), step="ghost"),
    "the deepest lists": line(GHOST % ("[" * 900 + "]" * 900), step="ghost"),
    "half a surrogate pair as a name": line(GHOST % 1, step="gh\\ud800st"),
    "a second beginning": line({**STARTED, "script": False}),
    "what only the studio tells": line({"kind": "run_continued"}),
}


@pytest.mark.parametrize("told", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_line_is_a_broken_one(
    told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = project_of(FLOW, tmp_path)
    found = taken_in(project, line(STARTED) + told + line(FINISHED))
    assert found.broken == 1
    assert main(["runs", "list", "--project", str(tmp_path)]) == 0
    assert main(["runs", "show", RUN, "--project", str(tmp_path)]) == 0
    assert "from a Python script" in capsys.readouterr().out


HOSTILE_STARTS = {
    "a time of no calendar": line(STARTED, time="1e300"),
    "half a surrogate pair as a name": line({**STARTED, "flow_name": "\ud800"}),
    "digits of another script": line(STARTED).replace("2026", "\u0662\u0660\u0662\u0666"),
}


@pytest.mark.parametrize("told", HOSTILE_STARTS.values(), ids=HOSTILE_STARTS)
def test_a_run_with_a_hostile_beginning_is_not_taken_in(told: str, tmp_path: Path) -> None:
    project = project_of(FLOW, tmp_path)
    (tmp_path / "trace.jsonl").write_text(told + line(FINISHED))
    assert main(["runs", "import", str(tmp_path / "trace.jsonl"), "--project", str(tmp_path)]) == 2
    assert not RunStore(project.private).runs()


def test_a_trace_says_neither_where_its_run_comes_from_nor_in_which_project(tmp_path: Path) -> None:
    project = project_of(FLOW, tmp_path)
    said = {**STARTED, "forked_from": {"run": "x", "step": "y"}, "project": "/", "limits": {"tokens": 1}}
    taken_in(project, line(said) + line(FINISHED))
    started = entries_of(project)[0].event
    assert isinstance(started, events.RunStarted)
    assert started.forked_from is None
    assert started.project == str(project.root)
    assert not started.limits


def test_a_script_that_was_killed_is_shown_as_far_as_it_told(tmp_path: Path) -> None:
    lines = [one for one in TRACE.read_text().splitlines() if one]
    project = project_of(STORED, tmp_path)
    taken_in(project, "\n".join(lines[:4]) + "\n" + lines[4][:30])
    assert RunStore(project.private).runs()[0].status is RunStatus.INTERRUPTED
    assert "step_failed" not in {one.event.kind for one in entries_of(project)}


def test_what_looks_like_a_key_is_hidden_when_a_trace_is_opened(tmp_path: Path) -> None:
    project = project_of(FLOW, tmp_path)
    taken_in(project, line(STARTED) + line(GHOST % f'"{KEY}"', step="ghost") + line(FINISHED))
    assert KEY not in str(entries_of(project))
    assert "[hidden]" in str(entries_of(project))


def test_a_damaged_run_does_not_keep_the_flow_of_another_from_being_found(tmp_path: Path) -> None:
    project = project_of(FLOW, tmp_path)
    taken_in(project, line(STARTED) + line(FINISHED))
    (tmp_path / "flow.json").write_text("{}")
    path = RunStore(project.private).new_run_path(RunId("20991121-111546-0000000"), project.keeping)
    path.write_bytes(b"no database")
    found = taken_in(project, (line(STARTED) + line(FINISHED)).replace(RUN, RUN.replace("c", "d")))
    assert RunStore(project.private).load(found.run).outputs["out"].data == "A"


HOSTILE_LINES = {
    "a time of no calendar": ('"time":', '"time":1e300,"was":'),
    "half a surrogate pair as a name": ('"step":"save"', '"step":"s\\ud800"'),
    "a place of no step": ('"parent":"rounds"', '"parent":"a@x"'),
    "digits of another script": ('"run":"2', '"run":"\u0662'),
    "no number": ('"number":', '"number":"x","was":'),
}


@pytest.mark.parametrize("old_and_new", HOSTILE_LINES.values(), ids=HOSTILE_LINES)
def test_hostile_lines_of_the_engine_s_traces_are_broken_ones(
    old_and_new: tuple[str, str], tmp_path: Path
) -> None:
    first, *lines = [one for one in traced(tmp_path / "away").read_text().splitlines() if one]
    changed = [one.replace(*old_and_new, 1) for one in lines]
    (tmp_path / "home").mkdir()
    project = project_of(FLOW, tmp_path / "home")
    found = taken_in(project, "\n".join([first, *changed]))
    assert found.broken == sum(one != other for one, other in zip(lines, changed, strict=True)) > 0
    assert main(["runs", "show", found.run, "--project", str(tmp_path / "home")]) == 0


def test_flows_that_nobody_can_read_are_refused(tmp_path: Path) -> None:
    text = traced(tmp_path / "away").read_text().replace("stepwire.flow", "other.flow")
    (tmp_path / "trace.jsonl").write_text(text)
    project = project_of(FLOW, tmp_path)
    assert main(["runs", "import", str(tmp_path / "trace.jsonl"), "--project", str(tmp_path)]) == 2
    assert not RunStore(project.private).runs()
