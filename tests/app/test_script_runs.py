"""What a script's run can go through, its trace tells the studio as the engine would."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from studio.app.project import Project
from studio.app.script_entries import read_traces
from studio.app.script_traces import Opened, open_trace
from studio.flow import codec
from studio.store.reader import RunStore
from studio.trace import events
from studio.trace.compare import first_difference
from studio.trace.events import Entry
from tests.app.test_script_traces import FLOWS as OTHERS
from tests.app.test_script_traces import project_of
from tests.export.scripts import call, export
from tests.runtime.bench import REGISTRY, flow_of
from tests.runtime.bench import run as run_engine
from tests.runtime.test_subflow import COUNTDOWN

OUTPUT: Any = ("io.flow_output", {}, {})
GONE = "gone.txt"


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
    return [one for one in entries if not isinstance(one.event, events.RunStarted)]


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
