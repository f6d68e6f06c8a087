"""What a script's run can go through, its trace tells the studio as the engine would."""

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.app.exporting import save_script
from studio.app.script_entries import read_traces
from studio.app.script_traces import Opened, open_trace
from studio.flow import codec
from studio.ids import StepId
from studio.sdk.code import CodeCall
from studio.sdk.context import Form
from studio.store.reader import RunStore
from studio.trace import events
from studio.trace.compare import ASIDE, first_difference
from studio.trace.events import Entry
from studio.trace.state import fold
from studio.workspace.catalog import builtin_registry
from studio.workspace.files import load_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare, run_here
from tests.app.test_script_traces import FLOWS as OTHERS
from tests.app.test_script_traces import project_of
from tests.export.in_process import ask
from tests.export.packages import call_package, export_into
from tests.export.scripts import call, export
from tests.export.test_projects import INPUTS, PROJECTS, exported
from tests.runtime.bench import REGISTRY, flow_of
from tests.runtime.bench import run as run_engine
from tests.runtime.test_subflow import COUNTDOWN

pytestmark = pytest.mark.script

OUTPUT: Any = ("io.flow_output", {}, {})
GONE = "gone.txt"
READING = {"field_notes"}
"""Examples with tools that read files."""


def failing(**run: Any) -> Any:
    return ("io.read_file", {}, {"path": GONE}, run)


FLOWS: dict[str, tuple[dict[str, Any], list[str]]] = {
    **OTHERS,
    "a default for what failed": (
        {"file": failing(on_error="default", default="nothing"), "out": OUTPUT},
        ["file.text -> out.value"],
    ),
    "an error as a value": (
        {
            "file": failing(on_error="output"),
            "said": ("text.template", {"template": "{{e.message}}"}),
            "out": OUTPUT,
        },
        ["file.error -> said.e", "said.text -> out.value"],
    ),
    "a default after a retry": (
        {"file": failing(retries=1, on_error="default", default=""), "out": OUTPUT},
        ["file.text -> out.value"],
    ),
    "items left out": (
        {
            "names": ("value.json", {"value": ["gone.txt", "a.txt", ""]}),
            "each": "control.for_each",
            "read": "io.read_file",
            "all": ("control.collect", {"failed": "drop"}),
            "out": OUTPUT,
        },
        [
            "names.value -> each.items",
            "each.item -> read.path",
            "read.text -> all.value",
            "all.values -> out.value",
        ],
    ),
    "a run variable": (
        {
            "names": ("value.json", {"value": ["a", "b"]}),
            "each": "control.for_each",
            "note": ("value.state_set", {"name": "seen", "how": "append"}),
            "all": "control.collect",
            "out": OUTPUT,
        },
        [
            "names.value -> each.items",
            "each.item -> note.value",
            "note.value -> all.value",
            "all.values -> out.value",
        ],
    ),
}


def opened(folder: Path, project: Project) -> tuple[Opened, list[Entry]]:
    """Take the run in that a script told of in a folder."""
    (trace,) = read_traces(folder / "trace.jsonl")
    found = open_trace(trace, project, REGISTRY)
    return found, list(RunStore(project.private).entries(found.run))


@pytest.mark.parametrize("name", FLOWS)
def test_the_run_of_a_script_is_the_engine_s(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A wren.")
    flow = flow_of(*FLOWS[name])
    ran = asyncio.run(run_engine(flow, root=tmp_path))
    export(flow, tmp_path / "script.py")
    call(tmp_path / "script.py", [f"--trace={tmp_path / 'trace.jsonl'}"])
    found, entries = opened(tmp_path, project_of(flow, tmp_path))
    assert found.departs == ""
    assert first_difference(plain(ran.entries), plain(entries)) is None


def plain(entries: list[Entry]) -> list[Entry]:
    """Leave out how the run began, and what chats cost: scripts have no prices but for limits."""
    return [_free(one) for one in entries if not isinstance(one.event, events.RunStarted)]


def _free(entry: Entry) -> Entry:
    event = entry.event
    return (
        replace(entry, event=replace(event, cost=None)) if isinstance(event, events.ChatAnswered) else entry
    )


def unlabelled(entries: list[Entry]) -> list[Entry]:
    """Leave out where values come from: that a tool has read files, a script doesn't tell."""
    said = [json.loads(events.event_to_json(one.event), object_hook=_unlabelled) for one in plain(entries)]
    return [
        replace(entry, event=events.event_from_plain(one))
        for entry, one in zip(plain(entries), said, strict=True)
    ]


def _unlabelled(found: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in found.items() if name != "labels"}


@pytest.mark.parametrize("depth", [0, 3, 9])
def test_a_flow_that_calls_itself_tells_of_itself_and_not_of_a_flow_around_it(
    depth: int, tmp_path: Path
) -> None:
    nodes = {str(name): (one.kind, dict(one.settings)) for name, one in COUNTDOWN.nodes.items()}
    save: Any = ("io.write_file", {"path": "out/log.txt", "append": True}, {"text": "x"})
    wires = [*(str(one) for one in COUNTDOWN.wires), "number.value -> save.after"]
    flow = flow_of({**nodes, "save": save}, wires)
    flows = {"countdown.json": flow}
    ran = asyncio.run(run_engine(flow, {"number": depth}, root=tmp_path, flows=flows))
    export(flow, tmp_path / "script.py", flows)
    call(tmp_path / "script.py", [f"--trace={tmp_path / 'trace.jsonl'}", f"--number={depth}"])
    (tmp_path / "countdown.json").write_text(codec.dumps(flow))
    found, entries = opened(tmp_path, project_of(flow, tmp_path))
    assert found.departs == ""
    assert first_difference(plain(ran.entries), plain(entries)) is None


@pytest.mark.parametrize("folder", PROJECTS, ids=[folder.name for folder in PROJECTS])
async def test_the_run_of_an_example_s_script_is_the_engine_s(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(folder, home, ignore=shutil.ignore_patterns(".stepwire", "out"))
    project = Project.open(home)
    flow, answers, store = load_flow(project.main_flow).flow, project.scripts, RunStore(project.private)
    assert answers is not None
    given = INPUTS[folder.name][0]
    registry = project_registry(project, builtin_registry())
    await run_here(prepare(project, flow, registry, environ={}, inputs=given, pace=0))
    ran = list(store.entries(store.runs()[0].run))
    shutil.rmtree(home / "out")
    save_script(tmp_path / "script.py", exported(folder))
    arguments = [*(f"--{name}={value}" for name, value in given.items()), f"--folder={home}"]
    told = tmp_path / "trace.jsonl"
    assert (await ask(tmp_path / "script.py", [*arguments, f"--trace={told}"], answers=answers)).code == 0
    (trace,) = read_traces(told)
    found = await asyncio.to_thread(open_trace, trace, project, registry)
    assert (found.departs, found.flow) == ("", project.main_flow)
    entries = list(store.entries(found.run))
    if folder.name == "front_desk":  # the ids of what is remembered are drawn in each run
        assert fold(entries).outputs.keys() == fold(ran).outputs.keys()
        assert told_by_step(entries) == told_by_step(ran)
        return
    compared = unlabelled if folder.name in READING else plain
    assert first_difference(compared(ran), compared(entries)) is None


def told_by_step(entries: list[Entry]) -> dict[str, list[str]]:
    """The kinds of events of each step, in order."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        if not isinstance(entry.event, ASIDE):
            found.setdefault(entry.step, []).append(entry.event.kind)
    return found


@pytest.mark.parametrize("name", OTHERS)
def test_the_run_of_a_package_is_the_engine_s(name: str, tmp_path: Path) -> None:
    flow = flow_of(*FLOWS[name])
    ran = asyncio.run(run_engine(flow, root=tmp_path))
    package = export_into(tmp_path / "whole", flow)
    call_package(package, [f"--trace={tmp_path / 'trace.jsonl'}", f"--folder={tmp_path}"])
    found, entries = opened(tmp_path, project_of(flow, tmp_path))
    assert found.departs == ""
    assert first_difference(plain(ran.entries), plain(entries)) is None


class Somebody:
    """Always answers the same."""

    async def ask(self, step: StepId, form: Form) -> dict[str, object]:
        """Answer."""
        del step, form
        return {"answer": "the pond"}


def test_what_a_person_answered_is_theirs_as_in_the_engine(tmp_path: Path) -> None:
    flow = flow_of(
        {"ask": ("human.ask", {}, {"question": "Where?"}), "out": OUTPUT}, ["ask.answer -> out.value"]
    )
    ran = asyncio.run(run_engine(flow, people=Somebody()))
    export(flow, tmp_path / "script.py")
    call(tmp_path / "script.py", [f"--trace={tmp_path / 'trace.jsonl'}"], typed="the pond\n")
    found, entries = opened(tmp_path, project_of(flow, tmp_path))
    assert found.departs == ""
    assert first_difference(plain(ran.entries), plain(entries)) is None


class Box:
    """Gives what the code of the test gives."""

    async def run(self, call: CodeCall, **more: Any) -> Any:
        """Give it."""
        del more
        return f"{call.arguments['text']}!"


def test_what_code_gave_is_written_as_in_the_engine(tmp_path: Path) -> None:
    code = 'def main(text: str) -> str:\n    return text + "!"\n'
    nodes: dict[str, Any] = {
        "text": ("text.text", {"text": "\u00e9"}),
        "code": ("control.python", {"code": code}),
        "out": OUTPUT,
    }
    flow = flow_of(nodes, ["text.text -> code.text", "code.result -> out.value"])
    ran = asyncio.run(run_engine(flow, box=Box()))
    export(flow, tmp_path / "script.py")
    call(tmp_path / "script.py", [f"--trace={tmp_path / 'trace.jsonl'}"])
    found, entries = opened(tmp_path, project_of(flow, tmp_path))
    assert found.departs == ""
    assert first_difference(plain(ran.entries), plain(entries)) is None
