"""What a replay takes from the recording, and where it stops."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from studio.ids import StepId
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.gates.edited_gate import EditedGate, edits_of
from studio.runtime.replay.past import Past
from studio.runtime.replay.takeover import replayed
from studio.runtime.values import Value
from studio.sdk import Form
from studio.trace.differences.compare import first_difference
from studio.trace.events import ChatAnswered, ChatRequested, Entry, ToolCalled
from studio.trace.recording import Recording, request_digest
from tests.runtime.bench import REGISTRY, Ran, flow_of, run, run_held, until

INPUT = ("io.flow_input", {"default": "owl"})
SCRIPT = """
rules:
  - name: whatever
    reply: "{{ last }} {{ last }}"
"""
SLOW_LOOP = {
    "word": INPUT,
    "rounds": ("control.loop", {"max_rounds": 2}),
    "writer": "llm.chat",
    "save": ("io.write_file", {"path": "out.txt", "append": True}),
    "out": "io.flow_output",
}
LOOP_WIRES = [
    "word.value -> rounds.start",
    "rounds.value -> writer.prompt",
    "writer.reply -> rounds.again",
    "rounds.result -> save.text",
    "rounds.result -> out.value",
]
MAP = {
    "words": ("value.json", {"value": ["owl", "tit", "owl"]}),
    "each": "control.for_each",
    "writer": "llm.chat",
    "all": "control.collect",
    "out": "io.flow_output",
}
MAP_WIRES = [
    "words.value -> each.items",
    "each.item -> writer.prompt",
    "writer.reply -> all.value",
    "all.values -> out.value",
]


async def replay(flow: Flow, ran: Ran, root: Path, inputs: Mapping[str, Any] | None = None) -> Ran:
    """Replay without a chat client: whoever asks for one fails."""
    edits = edits_of(ran.entries, flow)
    return await run(
        flow,
        inputs,
        root=root,
        past=replayed(ran.entries, flow, REGISTRY),
        make_gate=lambda recorder: EditedGate(recorder, edits, flow, REGISTRY),
    )


@pytest.mark.parametrize(("nodes", "wires"), [(SLOW_LOOP, LOOP_WIRES), (MAP, MAP_WIRES)])
async def test_a_replay_asks_nobody_changes_nothing_and_does_the_same(
    nodes: Mapping[str, Any], wires: list[str], script: Path, tmp_path: Path
) -> None:
    flow = flow_of(nodes, wires)
    first = await run(flow, script=script, root=tmp_path)
    written = _files(tmp_path)
    again = await replay(flow, first, tmp_path)
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None
    assert _files(tmp_path) == written
    reused = [step for step in again.steps("answer_reused") if "#chat" in step]
    assert sorted(reused) == sorted(first.steps("chat_requested"))
    assert first.state.tokens > 0
    assert again.state.tokens == 0


async def test_the_first_request_without_an_answer_stops_with_a_choice(script: Path, tmp_path: Path) -> None:
    flow = flow_of(SLOW_LOOP, LOOP_WIRES)
    first = await run(flow, script=script, root=tmp_path)
    again = await replay(flow, first, tmp_path, {"word": "wren"})
    assert again.outcome is not None
    assert again.outcome.error is not None
    assert again.outcome.error.exit_code == 4
    assert again.outcome.error.step == "rounds.1/writer"
    assert "--live" in again.outcome.error.hint


async def test_a_side_effect_without_a_result_is_not_done_by_a_replay(script: Path, tmp_path: Path) -> None:
    flow = flow_of(SLOW_LOOP, LOOP_WIRES)
    first = await run(flow, script=script, root=tmp_path)
    cut = Ran([entry for entry in first.entries if entry.step != "save"])
    (tmp_path / "out.txt").unlink()
    again = await replay(flow, cut, tmp_path)
    assert again.outcome is not None
    assert again.outcome.error is not None
    assert (again.outcome.error.exit_code, again.outcome.error.step) == (4, "save")
    assert not (tmp_path / "out.txt").exists()


async def test_what_a_file_said_is_part_of_the_recording(tmp_path: Path) -> None:
    flow = flow_of(
        {"read": ("io.read_file", {}, {"path": "a.txt"}), "out": "io.flow_output"}, ["read.text -> out.value"]
    )
    (tmp_path / "a.txt").write_text("before", "utf-8")
    first = await run(flow, root=tmp_path)
    (tmp_path / "a.txt").write_text("after", "utf-8")
    assert (await replay(flow, first, tmp_path)).outputs == first.outputs


async def test_what_a_person_edited_is_edited_again(script: Path, tmp_path: Path) -> None:
    flow = flow_of(MAP, MAP_WIRES)

    async def edit(_ran: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.release(StepId("all"), {"value": Value(["edited"], frozenset({"user"}))})

    first = await run_held(flow, edit, "all", script=script)
    assert first.outputs == {"out": ["edited"]}
    again = await replay(flow, first, tmp_path)
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None


async def test_what_a_person_answered_is_answered_again(tmp_path: Path) -> None:
    class Somebody:
        async def ask(self, step: StepId, form: Form) -> Mapping[str, object]:
            return {"answer": f"{step}: {form.question}"}

    flow = flow_of(
        {"ask": ("human.ask", {}, {"question": "Really?"}), "out": "io.flow_output"},
        ["ask.answer -> out.value"],
    )
    first = await run(flow, people=Somebody())
    again = await replay(flow, first, tmp_path)
    assert again.outputs == first.outputs
    assert again.steps("answer_reused") == ["ask#ask.1"]


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.glob("*.txt")}


def _asked(step: str, text: str, reply: str, number: int) -> list[Entry]:
    request = ChatRequested("", {"messages": [{"role": "user", "content": text}]})
    answer = ChatAnswered({"role": "assistant", "content": reply}, "stop")
    ran = Ran()
    return [
        Entry(ran.state.run, number, StepId(step), StepId(""), 0.0, request),
        Entry(ran.state.run, number + 1, StepId(step), StepId(""), 0.0, answer),
    ]


def test_a_renamed_node_finds_its_answer_in_the_same_scope_once() -> None:
    recording = Recording.of(
        [*_asked("each.0/old#chat.1", "q", "zero", 1), *_asked("each.1/old#chat.1", "q", "one", 3)]
    )
    request = ChatRequested("other profile", {"messages": [{"content": "q", "role": "user"}]})
    found = recording.take(StepId("each.1/new#chat.1"), request)
    assert found is not None
    assert found.step == "each.1/old#chat.1"
    assert recording.take(StepId("each.1/new#chat.1"), request) is None
    assert recording.take(StepId("new#chat.1"), request) is None


def test_made_up_ids_of_tool_calls_are_no_part_of_a_request() -> None:
    def request(name: str) -> ChatRequested:
        calls = {"role": "assistant", "tool_calls": [{"id": name, "name": "t", "arguments": "{}"}]}
        return ChatRequested("", {"messages": [calls, {"role": "tool", "tool_call_id": name, "content": ""}]})

    assert request_digest(request("a1")) == request_digest(request("b2"))
    assert request_digest(ToolCalled("t", {"x": 1}, "a")) != request_digest(ToolCalled("t", {"x": 2}, "a"))


def test_a_past_without_answers_lets_only_pure_tools_run() -> None:
    past = Past(Ran().state.run, Recording.of([]))
    assert past.answer(StepId("a#tool.1"), ToolCalled("t", {})) is None
