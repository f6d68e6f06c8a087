"""A script's trace opens as the run that it is; those of old scripts open as they told it."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from studio.app.scripts.old_script_lines import around
from studio.app.scripts.script_entries import read_traces
from studio.app.scripts.script_traces import open_trace
from studio.errors import UsageError
from studio.export.versions import version_of
from studio.flow.records import Frame, Layout, Point
from studio.ids import NodeId, StepId
from studio.past.replays import OldRun, Terms, prepare_replay
from studio.store.reader import RunStore
from studio.trace.differences.compare import first_difference
from studio.trace.events import Entry
from studio.trace.fold.state import RunState, StepStatus, fold
from studio.workspace.project import Project
from studio.workspace.runs import run_here
from tests.app.old_traces import FLOW, TRACE, project_of
from tests.runtime.bench import REGISTRY, flow_of
from tests.script.commands import run_script
from tests.trusted import HERE

OTHER = flow_of({"text": ("text.text", {"text": "A"}), "out": "io.flow_output"}, ["text.text -> out.value"])


def opened(trace: Path, project: Project) -> list[Entry]:
    """The entries of the only run of a trace, once it is the project's."""
    (found,) = [open_trace(one, project, REGISTRY) for one in read_traces(trace)]
    assert RunStore(project.private).load(found.run).is_script
    return list(RunStore(project.private).entries(found.run))


SCRIPT = """
from stepwire_kit import Flow, rounds
from stepwire_kit.nodes import chat, write_file

flow = Flow("Ask twice")

@flow
async def ask(word: str = "owl") -> dict:
    for _ in rounds("rounds", 2):
        word = (await chat("writer", word)).reply
    await write_file("save", word, path="out/word.txt")
    return {"word": word}
"""


def traced(folder: Path, script: str = SCRIPT, *arguments: str) -> Path:
    """The trace of a script that runs in a folder of its own."""
    folder.mkdir()
    trace = folder / "trace.jsonl"
    run_script(folder / "script.py", script, "--chat", "made-up", "--trace", str(trace), *arguments)
    return trace


def test_a_script_s_trace_is_its_run(tmp_path: Path) -> None:
    trace = traced(tmp_path / "away")
    away = Project.open(tmp_path / "away" / "script.py")
    (run,) = RunStore(away.private).runs()
    ran = list(RunStore(away.private).entries(run.run))
    (tmp_path / "home").mkdir()
    project = project_of(OTHER, tmp_path / "home")
    found = opened(trace, project)
    assert first_difference(ran, found) is None
    assert [(one.number, one.time, one.parent) for one in found] == [
        (one.number, one.time, one.parent) for one in ran
    ]
    state = fold(found)
    assert state.source is not None
    assert state.steps[StepId("rounds.2/writer")].parent == "rounds"
    assert state.met["save"].type == "io.write_file"


def test_runs_in_one_file_are_told_apart_and_one_that_is_there_stays(tmp_path: Path) -> None:
    trace = traced(tmp_path / "away")
    text = trace.read_text()
    trace = traced(tmp_path / "again")
    trace.write_text(trace.read_text() + text)
    assert len(read_traces(trace)) == 2
    (tmp_path / "home").mkdir()
    project = project_of(OTHER, tmp_path / "home")
    for _ in range(2):
        for one in read_traces(trace):
            open_trace(one, project, REGISTRY)
    assert len(RunStore(project.private).runs()) == 2


def test_keys_stay_out_of_a_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-abcdefghijklmnop1234567890")
    trace = traced(tmp_path / "away", SCRIPT, "--word", "sk-abcdefghijklmnop1234567890")
    assert "abcdefghijklmnop" not in trace.read_text()
    assert "[hidden]" in trace.read_text()


def test_a_trace_that_cannot_be_written_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    arguments = ["--chat", "made-up", "--trace", str(tmp_path / "none" / "trace.jsonl")]
    assert run_script(tmp_path / "script.py", SCRIPT, *arguments) == 2
    assert not (tmp_path / "out").exists()


# ------------------------------------------------------------------------------ old scripts


def test_the_trace_of_an_old_script_is_shown_as_it_told_it_on_its_flow(tmp_path: Path) -> None:
    project = project_of(FLOW, tmp_path)
    state = fold(opened(TRACE, project))
    assert state.flow == (tmp_path / "flow.json").read_text()
    assert {str(one) for one in state.steps} == {
        *("agent", "agent#chat.1", "agent#tool.1", "agent#chat.2", "each", "each.0/save", "each.1/save")
    }
    assert state.steps[StepId("each.1/save")].status is StepStatus.DONE
    assert state.outputs["out"].data == "A wren."
    assert state.inputs["question"].labels == ("flow",)
    assert state.steps[StepId("agent#tool.1")].parent == "agent"


async def test_the_run_of_an_old_script_is_replayed_on_its_flow(tmp_path: Path) -> None:
    project = project_of(FLOW, tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "may.txt").write_text("Another day.")
    await asyncio.to_thread(opened, TRACE, project)
    store = RunStore(project.private)
    old = OldRun.read(store, store.find("latest"))
    state: RunState = await run_here(prepare_replay(old, REGISTRY, Terms(HERE)))
    assert state.error is None
    assert state.outputs["out"].data == "A wren."
    assert StepId("each.1/note") in state.steps
    assert not (tmp_path / "out").exists()


def test_what_failed_and_began_again_is_told_as_retried(tmp_path: Path) -> None:
    lines = [one for one in TRACE.read_text().splitlines() if one]
    begun = json.loads(lines[1])
    failed = {**begun, "event": {"kind": "step_failed", "error": "ChatError", "message": "Busy.", "hint": ""}}
    told = [lines[0], lines[1], json.dumps(failed), *lines[1:]]
    (tmp_path / "trace.jsonl").write_text("\n".join(told))
    (trace,) = read_traces(tmp_path / "trace.jsonl")
    kinds = [one.event.kind for one in trace.entries if one.step == "agent"]
    assert kinds == ["step_started", "step_retried", "step_finished"]


def test_lines_that_are_broken_off_are_counted_and_others_read(tmp_path: Path) -> None:
    (tmp_path / "trace.jsonl").write_text(TRACE.read_text() + '{"run": "202')
    (trace,) = read_traces(tmp_path / "trace.jsonl")
    assert trace.broken == 1
    assert trace.entries[-1].event.kind == "run_finished"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "null",
        '{"run": "../../x", "number": 1, "step": "", "time": 1, "event": {"kind": "run_finished"}}',
        '{"run": "20261121-111546-c0474b2", "number": 1, "step": "a@x", "time": 1, "event": {}}',
        '{"run": 7}',
        "[" * 5000,
        '{"event": {"kind": "chat_requested", "request": 7}}',
    ],
)
def test_a_file_that_is_no_trace_is_refused_in_words(line: str, tmp_path: Path) -> None:
    (tmp_path / "trace.jsonl").write_text(line)
    with pytest.raises(UsageError, match="is not a trace of a script"):
        read_traces(tmp_path / "trace.jsonl")


def test_a_flow_that_is_not_there_is_asked_for(tmp_path: Path) -> None:
    project = project_of(OTHER, tmp_path)
    (trace,) = read_traces(TRACE)
    with pytest.raises(UsageError, match="No flow of the project"):
        open_trace(trace, project, REGISTRY)
    found = open_trace(trace, project, REGISTRY, TRACE.with_name("old_script_flow.json"))
    assert RunStore(project.private).load(found.run).outputs["out"].data == "A wren."


def test_a_trace_is_of_its_flow_still_when_boxes_were_moved(tmp_path: Path) -> None:
    frame = Frame("What is said", 0, 0, 900, 900)
    moved = replace(FLOW, layout=Layout({NodeId("agent"): Point(7, 7)}, {"f": frame}))
    assert version_of(moved) == version_of(FLOW)
    assert opened(TRACE, project_of(moved, tmp_path))[-1].event.kind == "run_finished"
    changed = replace(FLOW, nodes={**FLOW.nodes, NodeId("more"): FLOW.nodes[NodeId("each")]})
    assert version_of(changed) != version_of(FLOW)


@pytest.mark.parametrize(
    ("step", "parent"),
    {
        "writer": "",
        "rounds.2/writer": "rounds",
        "rounds.2/each.17/critic#chat.1@2": "rounds.2/each.17/critic",
        "summary@2/critic": "summary",
        "agent#tool.1/expert#chat.1": "agent#tool.1",
        "agent#tool.3/summary/critic": "agent#tool.3",
        "agent#tool.3/summary/critic#chat.1": "agent#tool.3/summary/critic",
    }.items(),
)
def test_a_step_s_name_tells_inside_which_it_happens(step: str, parent: str) -> None:
    assert around(StepId(step)) == parent
