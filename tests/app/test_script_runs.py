"""What a script's run can go through, its trace tells the studio as the engine would."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from studio.app.script_entries import read_traces
from studio.app.script_traces import open_trace
from studio.store.reader import RunStore
from studio.trace import events
from studio.trace.compare import first_difference
from studio.trace.events import Entry
from tests.app.test_script_traces import FLOWS as OTHERS
from tests.app.test_script_traces import project_of
from tests.export.scripts import call, export
from tests.runtime.bench import REGISTRY, flow_of
from tests.runtime.bench import run as run_engine

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


@pytest.mark.parametrize("name", FLOWS)
def test_the_run_of_a_script_is_the_engine_s(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A wren.")
    flow = flow_of(*FLOWS[name])
    ran = asyncio.run(run_engine(flow, root=tmp_path))
    export(flow, tmp_path / "script.py")
    call(tmp_path / "script.py", [f"--trace={tmp_path / 'trace.jsonl'}"])
    project = project_of(flow, tmp_path)
    (trace,) = read_traces(tmp_path / "trace.jsonl")
    found = open_trace(trace, project, REGISTRY)
    assert found.departs == ""
    entries = list(RunStore(project.private).entries(found.run))
    assert first_difference(plain(ran.entries), plain(entries)) is None


def plain(entries: list[Entry]) -> list[Entry]:
    return [one for one in entries if not isinstance(one.event, events.RunStarted)]
