"""Agents that are lent have their turns as calls of the step that lets them speak."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pytest

from studio.building_blocks.agents.turns import speak
from studio.ids import StepId
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.replay.takeover import replayed
from studio.runtime.values import USER, Value
from studio.sdk import Agent, Context, Effect, In, Out, Part, StepError, Turn, node
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from studio.trace.differences.compare import first_difference
from studio.trace.timeline.lanes import Grouping
from studio.trace.timeline.spans import Spans
from tests.runtime import bench
from tests.runtime.bench import REGISTRY, Ran, flow_of, until


@node("test.panel", title="Panel", effect=Effect.PAID_READ)
async def panel(
    context: Context,
    task: Annotated[str, In("What all are asked")],
    agents: Annotated[Sequence[Agent], In("Who are asked, all at once")] = (),
) -> Annotated[list[str], Out("replies")]:
    """Ask all at once."""
    for one in agents:
        context.tell(Part(one.name, one.name.title(), "running"))
    calls = [partial(speak, context, one, Turn(task, role="Be short."), part=one.name) for one in agents]
    said = await context.gather(calls)
    for one, reply in zip(agents, said, strict=True):
        context.tell(Part(one.name, one.name.title(), "done", text=reply.reply))
    return [one.reply for one in said]


TRIES: list[str] = []


@node("test.hasty", title="Hasty")
async def hasty(context: Context) -> Annotated[str, Out("reply")]:
    """Make one part, fail, and make another one at the next attempt."""
    TRIES.append(f"try_{len(TRIES) + 1}")
    context.tell(Part(TRIES[-1], "A try", "running"))
    if len(TRIES) == 1:
        raise StepError("not yet")
    return "done"


NODES: dict[str, Any] = {
    "ada": ("team.member", {"name": "ada", "instructions": "You are Ada."}),
    "ben": ("team.member", {"name": "ben", "instructions": "You are Ben."}),
    "panel": ("test.panel", {}, {"task": "What sang?"}),
    "out": "io.flow_output",
}
WIRES = ["ada.agent -> panel.agents[0]", "ben.agent -> panel.agents[1]", "panel.replies -> out.value"]
FLOW = flow_of(NODES, WIRES)
RULES = {
    "rules": [
        {"when": {"instructions": "You are Ada"}, "reply": "A dunnock."},
        {"when": {"instructions": "You are Ben"}, "reply": "A wren."},
    ]
}


@pytest.fixture(autouse=True)
def with_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    types = [*REGISTRY, node_type_of(panel), node_type_of(hasty)]
    monkeypatch.setattr(bench, "REGISTRY", Registry(types))


async def ran(folder: Path) -> Ran:
    path = folder / "answers.yaml"
    path.write_text(json.dumps(RULES), "utf-8")
    return await bench.run(FLOW, script=path)


async def test_what_a_member_asks_stands_in_its_turn(tmp_path: Path) -> None:
    state = (await ran(tmp_path)).state
    assert state.outputs["out"].data == ["A dunnock.", "A wren."]
    assert {"panel#tool.1/ada#chat.1", "panel#tool.2/ben#chat.1"} < set(state.steps)
    assert [state.steps[StepId(f"panel#tool.{n}")].tool for n in (1, 2)] == ["ada", "ben"]
    chat = state.steps[StepId("panel#tool.1/ada#chat.1")]
    assert chat.parent == "panel#tool.1"
    assert chat.request is not None
    assert chat.request["messages"][0]["content"] == "You are Ada.\n\nBe short."


async def test_the_parts_of_a_step_are_those_told_last_and_belong_to_calls(tmp_path: Path) -> None:
    step = (await ran(tmp_path)).state.steps[StepId("panel")]
    assert [(one.part, one.status, one.text) for one in step.parts.values()] == [
        ("ada", "done", "A dunnock."),
        ("ben", "done", "A wren."),
    ]
    assert step.parts.keys() == {"ada", "ben"}


async def test_what_an_attempt_made_is_gone_with_it() -> None:
    TRIES.clear()
    flow = flow_of(
        {"step": ("test.hasty", {}, {}, {"retries": 1}), "out": "io.flow_output"}, ["step.reply -> out.value"]
    )
    state = (await bench.run(flow)).state
    assert [*state.steps[StepId("step")].parts] == ["try_2"]


async def test_each_member_has_a_lane(tmp_path: Path) -> None:
    state = (await ran(tmp_path)).state
    spans = Spans(Grouping.AGENT)
    spans.update(state, state.order)
    assert {("panel", "ada"), ("panel", "ben")} <= {(one.key.scope, one.key.who) for one in spans.lanes}


async def test_a_replay_lets_them_speak_without_a_language_model(tmp_path: Path) -> None:
    first = await ran(tmp_path)
    again = await bench.run(FLOW, past=replayed(first.entries, FLOW, bench.REGISTRY))
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None


@pytest.mark.parametrize("name", ["ada", "ben"])
async def test_a_breakpoint_at_a_member_holds_its_turn_whose_task_can_be_edited(
    tmp_path: Path, name: str
) -> None:
    """Also where two members of one name are called something else for the team."""
    nodes = {**NODES, "ben": ("team.member", {"name": name, "instructions": "You are Ben."})}
    nodes["panel"] = ("team.round_robin", {"rounds": 1}, {"task": "What sang?"})
    wires = [*WIRES[:2], "panel.reply -> out.value"]
    path = tmp_path / "answers.yaml"
    path.write_text(json.dumps(RULES), "utf-8")

    async def edit(_: bench.Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        (held,) = gate.held
        assert (held.step, held.lender, gate.phase(held.step)) == ("panel#tool.2", "ben", "before")
        gate.release(held.step, {"arguments": Value({"task": "What fed?"}, USER)})

    ran = await bench.run_held(flow_of(nodes, wires), edit, "ben", script=path)
    asked = ran.state.steps[StepId("panel#tool.2/ben#chat.1")].request
    assert asked is not None
    assert "What fed?" in asked["messages"][-1]["content"]
