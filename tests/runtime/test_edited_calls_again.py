"""Replays of runs, and runs that go on, in which calls were edited or answered by a person."""

from pathlib import Path
from typing import Any

import pytest

from studio.llm.client import Message
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.gates.edited_gate import EditedGate, edits_of
from studio.runtime.limits.cancellations import Stops
from studio.runtime.replay.takeover import replayed, resumed
from studio.trace.differences.compare import first_difference
from tests.runtime.agents import FLOW, NODES, WIRES, debug, editing, laid_out, words
from tests.runtime.bench import REGISTRY, Ran, flow_of, run, until


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return laid_out(tmp_path)


EDITS: list[tuple[str, dict[str, Any], str]] = [
    ("agent#chat", {"messages": words(Message("user", "Sing."))}, "agent#chat.1"),
    ("agent#chat", {"answer": {"role": "assistant", "content": "I."}}, "agent#chat.1"),
    ("agent#chat.answer", {"answer": {"role": "assistant", "content": "No."}}, "agent#chat.1"),
    ("agent#tool", {"arguments": {"query": "dunnock"}}, "agent#tool.1"),
    ("agent#tool", {"answer": "A robin."}, "agent#tool.1"),
    ("agent#tool.answer", {"answer": "A tit."}, "agent#tool.1"),
]


@pytest.mark.parametrize(("place", "values", "step"), EDITS)
async def test_a_replay_makes_the_same_edits_and_asks_nobody(
    root: Path, place: str, values: dict[str, Any], step: str
) -> None:
    first = await debug(root, editing(step, **values), place)
    edits = edits_of(first.entries, FLOW, REGISTRY)
    again = await run(
        FLOW,
        {"question": "What sang?"},
        root=root,
        past=replayed(first.entries, FLOW, REGISTRY),
        make_gate=lambda recorder: EditedGate(recorder, edits, FLOW, REGISTRY),
    )
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None


@pytest.mark.parametrize(("place", "values", "step"), EDITS)
async def test_a_run_that_goes_on_makes_the_edits_again_that_were_made_in_a_step_that_had_not_ended(
    root: Path, place: str, values: dict[str, Any], step: str
) -> None:
    first = await debug(root, editing(step, **values), place)
    end = next(at for at, one in enumerate(first.entries) if one.event.kind == "step_released") + 3
    before = first.entries[:end]
    past, over = resumed(before, FLOW, REGISTRY)
    edits = {at: values for at, values in edits_of(before, FLOW, REGISTRY).items() if at[0] not in over}
    again = await run(
        FLOW,
        {"question": "What sang?"},
        script=root / "answers.yaml",
        root=root,
        past=past,
        make_gate=lambda recorder: EditedGate(recorder, edits, FLOW, REGISTRY),
    )
    assert again.outputs == first.outputs


async def test_what_a_person_answered_is_not_taken_for_the_tools_own_answer(root: Path) -> None:
    first = await debug(root, editing("agent#tool.1", answer="A robin."), "agent#tool")
    end = next(at for at, one in enumerate(first.entries) if one.event.kind == "tool_answered") + 1
    past, _ = resumed(first.entries[:end], FLOW, REGISTRY)
    asked = {"question": "What sang?"}
    again = await run(FLOW, asked, script=root / "answers.yaml", root=root, past=past)
    assert "A wren sang." in again.outputs["out"]


@pytest.mark.parametrize(
    "place", ["agent", "agent#chat", "agent#chat.answer", "agent#tool", "agent#tool.answer", "agent.reply"]
)
async def test_a_replay_stops_what_was_cancelled_while_it_was_held(root: Path, place: str) -> None:
    flow = flow_of({**NODES, "agent": ("llm.agent", {}, {}, {"on_error": "output"})}, WIRES)
    stops = Stops()

    async def cancel(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        assert stops.cancel("agent")

    first = await debug(root, cancel, place, flow=flow, stops=stops)
    past = replayed(first.entries, flow, REGISTRY)
    again = await run(flow, {"question": "What sang?"}, root=root, past=past)
    assert again.outcome == first.outcome
    assert first_difference(first.entries, again.entries) is None
