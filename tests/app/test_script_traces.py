"""The run of a script, opened from what it told, is what the engine's run is."""

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Request
from openai import APIConnectionError, AsyncOpenAI

from studio.app.script_entries import around, read_traces
from studio.app.script_traces import open_trace
from studio.errors import ChatUnreachableError, UsageError
from studio.export.lifted.models import heard
from studio.export.lifted.trace import Trace
from studio.export.versions import version_of
from studio.flow import codec
from studio.flow.records import Flow, Frame, Layout, Point
from studio.ids import NodeId, StepId
from studio.store.reader import RunStore
from studio.trace import events
from studio.trace.compare import first_difference
from studio.trace.events import Entry
from studio.workspace.project import Project
from tests.export.in_process import ask
from tests.export.scripts import call, export
from tests.runtime.bench import REGISTRY, flow_of
from tests.runtime.bench import run as run_engine

OUTPUT: Any = ("io.flow_output", {}, {})
FAILING: dict[str, Any] = {
    "file": ("io.read_file", {}, {"path": "gone.txt"}),
    "out": OUTPUT,
}
FLOWS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "files in a map": (
        {
            "names": ("value.json", {"value": ["a", "b", "c"]}),
            "each": "control.for_each",
            "save": ("io.write_file", {"path": "out/all.txt", "append": True}, {}),
            "note": ("text.template", {"template": "{{x}} to {{y}}"}),
            "all": "control.collect",
            "out": OUTPUT,
        },
        [
            "names.value -> each.items",
            "each.item -> save.text",
            "each.item -> note.x",
            "save.file -> note.y",
            "note.text -> all.value",
            "all.values -> out.value",
        ],
    ),
    "a file in each round": (
        {
            "word": ("value.json", {"value": "w"}),
            "rounds": ("control.loop", {"max_rounds": 3}),
            "save": ("io.write_file", {"path": "out/word.txt"}, {}),
            "next": ("text.template", {"template": "{{x}}!"}),
            "out": OUTPUT,
        },
        [
            "word.value -> rounds.start",
            "rounds.value -> save.text",
            "save.file -> next.x",
            "next.text -> rounds.again",
            "rounds.result -> out.value",
        ],
    ),
    "a failure that ends the run": (FAILING, ["file.text -> out.value"]),
    "a failure that is caught": (
        {
            **FAILING,
            "safe": "control.catch",
            "sorry": ("text.template", {"template": "{{e.error}}"}),
        },
        ["file.text -> safe.value", "safe.error -> sorry.e", "sorry.text -> out.value"],
    ),
}


def project_of(flow: Flow, folder: Path) -> Project:
    (folder / "project.json").write_text('{"format": "stepwire.project", "version": 1, "name": "bench"}\n')
    (folder / "flow.json").write_text(codec.dumps(flow))
    return Project.open(folder)


def opened(trace: Path, flow: Flow, folder: Path) -> list[Entry]:
    project = project_of(flow, folder)
    found = [open_trace(one, project, REGISTRY) for one in read_traces(trace)]
    assert [one.departs for one in found] == [""]
    assert RunStore(project.private).load(found[0].run).is_script
    return list(RunStore(project.private).entries(found[0].run))


def assert_same(engine: Sequence[Entry], script: Sequence[Entry]) -> None:
    """Compare all but how the run began, which names the project and the profile."""
    assert first_difference(_plain(engine), _plain(script)) is None


def _plain(entries: Sequence[Entry]) -> list[Entry]:
    return [one for one in entries if not isinstance(one.event, events.RunStarted)]


@pytest.mark.parametrize("name", FLOWS)
def test_a_script_s_run_is_the_engine_s(name: str, tmp_path: Path) -> None:
    flow = flow_of(*FLOWS[name])
    ran = asyncio.run(run_engine(flow, root=tmp_path))
    export(flow, tmp_path / "script.py")
    call(tmp_path / "script.py", [f"--trace={tmp_path / 'trace.jsonl'}"])
    assert_same(ran.entries, opened(tmp_path / "trace.jsonl", flow, tmp_path))


ANSWERS = """
rules:
  - when: {after_tool: text_search}
    reply: A wren.
  - when: {has_tool: text_search}
    tool_calls: [{name: text_search, arguments: {query: sang}}]
"""


@pytest.mark.script
def test_chats_and_calls_of_tools_are_the_engine_s(tmp_path: Path) -> None:
    nodes: dict[str, Any] = {
        "notes": ("tools.text_search", {"folder": "notes"}),
        "agent": ("llm.agent", {}, {"prompt": "What sang?"}),
        "out": OUTPUT,
    }
    flow = flow_of(nodes, ["notes.tool -> agent.tools", "agent.reply -> out.value"])
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "may.txt").write_text("A wren sang.")
    answers, told = tmp_path / "answers.yaml", tmp_path / "trace.jsonl"
    answers.write_text(ANSWERS)
    ran = asyncio.run(run_engine(flow, script=answers, root=tmp_path))
    assert ran.outputs == {"out": "A wren."}
    export(flow, tmp_path / "script.py")
    ended = asyncio.run(ask(tmp_path / "script.py", [f"--trace={told}"], answers=answers))
    assert ended.outputs == {"out": "A wren."}
    (trace,) = read_traces(told)
    assert {(one.step, one.event.kind) for one in trace.entries} <= {
        (one.step, one.event.kind) for one in ran.entries
    }
    entries = opened(told, flow, tmp_path)
    calls = [one for one in entries if one.event.kind in {"chat_answered", "tool_answered"}]
    assert [one.step for one in calls] == ["agent#chat.1", "agent#tool.1", "agent#chat.2"]
    assert [one.time for one in entries] == sorted(one.time for one in entries)


def test_what_a_script_tells_is_part_of_what_the_engine_tells(tmp_path: Path) -> None:
    flow = flow_of(*FLOWS["files in a map"])
    ran = asyncio.run(run_engine(flow, root=tmp_path))
    export(flow, tmp_path / "script.py")
    call(tmp_path / "script.py", [f"--trace={tmp_path / 'trace.jsonl'}"])
    (told,) = read_traces(tmp_path / "trace.jsonl")
    left = Counter((one.step, one.parent, one.event.kind) for one in told.entries)
    left.subtract((one.step, one.parent, one.event.kind) for one in ran.entries)
    assert max(left.values()) == 0


def test_lines_that_are_broken_off_are_counted_and_others_read(tmp_path: Path) -> None:
    flow = flow_of(*FLOWS["files in a map"])
    export(flow, tmp_path / "script.py")
    told = tmp_path / "trace.jsonl"
    call(tmp_path / "script.py", [f"--trace={told}"])
    told.write_text(told.read_text() + '{"run": "202')
    (trace,) = read_traces(told)
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


def test_a_script_that_was_changed_by_hand_is_shown_as_it_told(tmp_path: Path) -> None:
    flow = flow_of(*FLOWS["files in a map"])
    export(flow, tmp_path / "script.py")
    script = tmp_path / "script.py"
    script.write_text(script.read_text().replace('"a", "b", "c"', '"a", "b", "c", "d"'))
    call(script, [f"--trace={tmp_path / 'trace.jsonl'}"])
    project = project_of(flow, tmp_path)
    (found,) = [open_trace(one, project, REGISTRY) for one in read_traces(tmp_path / "trace.jsonl")]
    assert "each.3/save" in found.departs
    entries = list(RunStore(project.private).entries(found.run))
    assert "each.3/save" in {one.step for one in entries}
    assert any(
        isinstance(one.event, events.LogWritten) and "as the script reported it" in one.event.text
        for one in entries
    )


def test_keys_stay_out_of_a_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", 'very"secret')
    nodes: dict[str, Any] = {
        "save": ("io.write_file", {"path": "out/x.txt"}, {"text": 'a very"secret key'}),
        "out": OUTPUT,
    }
    export(flow_of(nodes, ["save.file -> out.value"]), tmp_path / "script.py")
    told = tmp_path / "trace.jsonl"
    call(tmp_path / "script.py", [f"--trace={told}"])
    assert "secret" not in told.read_text()
    assert "a [hidden] key" in told.read_text()


def test_a_key_that_begins_as_another_does_is_hidden_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE_KEY", "abcdef")
    monkeypatch.setenv("OTHER_KEY", "abcdef-and-more")
    assert Trace(os.devnull).keys.index("abcdef-and-more") < Trace(os.devnull).keys.index("abcdef")


def test_a_trace_that_cannot_be_written_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    export(flow_of(*FLOWS["files in a map"]), tmp_path / "script.py")
    with pytest.raises(SystemExit, match="2"):
        call(tmp_path / "script.py", [f"--trace={tmp_path / 'away' / 'trace.jsonl'}"])
    assert not (tmp_path / "out").exists()


async def test_a_password_in_an_address_is_told_nobody() -> None:
    async def unreachable(**_: object) -> None:
        raise APIConnectionError(request=Request("POST", "http://x/"))

    async with AsyncOpenAI(api_key="x", base_url="http://me:passw0rd@127.0.0.1:9/v1") as client:
        with pytest.raises(ChatUnreachableError, match=r"127\.0\.0\.1:9/v1/ could not") as told:
            await heard(client, unreachable, {"model": "x"})
    assert "passw0rd" not in str(told.value)


def test_a_flow_that_is_not_there_is_asked_for(tmp_path: Path) -> None:
    flow = flow_of(*FLOWS["files in a map"])
    export(flow, tmp_path / "script.py")
    call(tmp_path / "script.py", [f"--trace={tmp_path / 'trace.jsonl'}"])
    project = project_of(flow_of(*FLOWS["a file in each round"]), tmp_path)
    (trace,) = read_traces(tmp_path / "trace.jsonl")
    with pytest.raises(UsageError, match="No flow of the project"):
        open_trace(trace, project, REGISTRY)


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


def test_a_trace_is_of_its_flow_still_when_boxes_were_moved(tmp_path: Path) -> None:
    flow = flow_of({"text": ("text.text", {"text": "A"}), "out": OUTPUT}, ["text.text -> out.value"])
    export(flow, tmp_path / "script.py")
    call(tmp_path / "script.py", [f"--trace={tmp_path / 'trace.jsonl'}"])
    frame = Frame("What is said", 0, 0, 900, 900)
    moved = replace(flow, layout=Layout({NodeId("text"): Point(7, 7)}, {"f": frame}))
    assert version_of(moved) == version_of(flow)
    assert opened(tmp_path / "trace.jsonl", moved, tmp_path)[-1].event.kind == "run_finished"
    changed = replace(flow, nodes={**flow.nodes, NodeId("more"): flow.nodes[NodeId("text")]})
    assert version_of(changed) != version_of(flow)


@pytest.mark.parametrize("keep", ["run", "project"])
@pytest.mark.parametrize("kind", ["memory.window", "memory.notes"])
def test_what_a_script_read_and_wrote_in_memories_is_told_as_in_a_run(
    kind: str, keep: str, tmp_path: Path
) -> None:
    nodes: dict[str, Any] = {
        "birds": ("value.json", {"value": ["owl", "wren"]}),
        "memory": (kind, {"keep": keep}),
        "each": "control.for_each",
        "put": ("memory.remember", {}, {"fields": {"key": "bird"}}),
        "all": "control.collect",
        "look": ("memory.recall", {}, {"query": "owl"}),
        "out": OUTPUT,
    }
    wires = ["birds.value -> each.items", "each.item -> put.texts", "memory.memory -> put.memory"]
    wires += ["put.items -> all.value", "all.then -> look.after", "memory.memory -> look.memory"]
    flow = flow_of(nodes, [*wires, "look.text -> out.value"])
    (tmp_path / "run").mkdir()
    ran = asyncio.run(run_engine(flow, root=tmp_path / "run"))
    export(flow, tmp_path / "script.py")
    told = tmp_path / "trace.jsonl"
    assert call(tmp_path / "script.py", [f"--trace={told}"]).outputs == ran.outputs
    script = opened(told, flow, tmp_path)
    assert Counter(map(_touched, script)) == Counter(map(_touched, ran.entries))
    assert sum(isinstance(one.event, events.MemoryWritten) for one in script) == 2


def _touched(entry: Entry) -> tuple[str, str, str]:
    """What an entry tells, but for times and chance."""
    event = entry.event
    if isinstance(event, events.MemoryRead):
        return entry.step, event.query, str([one.data["text"] for one in event.found])
    if isinstance(event, events.MemoryWritten):
        return entry.step, event.operation + event.scope, event.item.data["text"]
    return entry.step, event.kind, ""
