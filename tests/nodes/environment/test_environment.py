"""A world has a state that its tools change, one call after the other, in a run and in its replay."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from nodes.environment.environment import environment
from studio.building_blocks.agents.caller_identity import acting_as
from studio.flow.checks.check import check
from studio.ids import StepId
from studio.llm.client import ToolCall
from studio.runtime.replay.takeover import replayed
from studio.sandbox.wasm import WasmBox
from studio.sdk.class_signature import classed_code
from studio.sdk.testing import ScriptedContext, call_tools, open_binding
from studio.trace.differences.compare import first_difference
from tests.runtime.bench import REGISTRY, Ran, flow_of, run

GARDEN = '''
import random


class Garden:
    """Beds with plants."""

    def __init__(self, beds: int = 2) -> None:
        self.beds = [[] for _ in range(beds)]
        self.reward = 0
        self.done = False

    def look(self) -> list:
        """See the beds."""
        return self.beds

    def plant(self, actor: str, what: str, bed: int = 0) -> str:
        """Plant something."""
        if bed >= len(self.beds):
            raise ValueError("there is no such bed")
        self.beds[bed].append(f"{what} by {actor}")
        self.reward += 1
        self.done = self.reward == 3
        return f"{what} stands in bed {bed}."

    def dig(self) -> int:
        """Find worms."""
        self.worms = random.randrange(1_000_000)
        return self.worms

    def spoil(self) -> None:
        """Keep what cannot be kept."""
        self.beds = {1: "none"}

    @property
    def is_empty(self) -> bool:
        return not any(self.beds)
'''


@pytest.fixture
async def box() -> AsyncIterator[WasmBox]:
    async with WasmBox() as made:
        yield made


def call(tool: str, **arguments: Any) -> ToolCall:
    return ToolCall("1", tool, json.dumps(arguments))


async def test_each_call_finds_what_those_before_left(box: WasmBox) -> None:
    context = ScriptedContext(box=box)
    calls = [call("plant", actor="ada", what="kale"), call("plant", actor="ben", what="leek", bed=1)]
    said = await call_tools(environment, {"code": GARDEN}, [*calls, call("look")], context)
    assert json.loads(said[0]) == {"result": "kale stands in bed 0.", "reward": 1, "done": False}
    assert json.loads(said[2])["result"] == [["kale by ada"], ["leek by ben"]]


async def test_what_it_does_not_permit_is_told_and_changes_nothing(box: WasmBox) -> None:
    context = ScriptedContext(box=box)
    calls = [call("plant", actor="ada", what="kale", bed=7), call("spoil"), call("look")]
    said = await call_tools(environment, {"code": GARDEN}, calls, context)
    assert "there is no such bed" in said[0]
    assert "`self.beds` cannot be kept: use lists, and objects whose keys are texts" in said[1]
    assert json.loads(said[2])["result"] == [[], []]


async def test_it_begins_anew_with_what_it_is_made_with(box: WasmBox) -> None:
    context = ScriptedContext(box=box)
    calls = [call("plant", actor="ada", what="kale"), call("reset"), call("look")]
    settings: dict[str, Any] = {
        "code": GARDEN, "setup": {"beds": 1}, "actions": ["plant", "look", "reset"], "name": "garden",
    }  # fmt: skip
    said = await call_tools(environment, settings, calls, context)
    assert json.loads(said[2])["result"] == [[]]


async def test_it_goes_back_to_what_was_kept_under_a_name(box: WasmBox) -> None:
    context = ScriptedContext(box=box)
    plant = call("plant", actor="ada", what="kale")
    calls = [call("snapshot", name="empty"), plant, call("snapshot", name="one"), plant]
    calls += [call("restore", name="one"), call("look"), call("restore", name="empty"), call("look")]
    actions = ["plant", "look", "snapshot", "restore"]
    said = await call_tools(
        environment, {"code": GARDEN, "actions": actions}, [*calls, call("restore", name="none")], context
    )
    assert [json.loads(said[at])["result"] for at in (5, 7)] == [[["kale by ada"], []], [[], []]]
    assert "There is no snapshot `none`" in said[-1]


async def test_it_is_tried_in_copies_without_a_change(box: WasmBox) -> None:
    context = ScriptedContext(box=box)
    lent = await anext(open_binding(environment, {"code": GARDEN, "actions": ["plant", "look"]}, context))
    plant, look = acting_as("ada", lent)
    await plant.run({"what": "kale"})
    assert plant.copies is not None
    state = plant.copies.snapshot(context.memory)
    said, after = await plant.copies.run({"what": "leek", "bed": 1}, state)
    assert json.loads(said)["reward"] == 2
    assert after["beds"] == [["kale by ada"], ["leek by ada"]]  # type: ignore[call-overload,index]
    assert json.loads(await look.run({}))["result"] == [["kale by ada"], []]
    assert plant.copies.snapshot(context.memory) == state


async def test_who_calls_is_told_by_whoever_lets_the_agent_have_its_turn(box: WasmBox) -> None:
    context = ScriptedContext(box=box)
    lent = await anext(open_binding(environment, {"code": GARDEN, "actions": ["plant", "look"]}, context))
    plant, look = acting_as("ada", lent)
    assert "actor" not in json.dumps(plant.parameters)
    assert plant.parameters["required"] == ["what"]
    await plant.run({"what": "kale"})
    assert json.loads(await look.run({}))["result"] == [["kale by ada"], []]


async def test_an_action_that_it_has_not_is_refused_by_name() -> None:
    with pytest.raises(Exception, match="`Garden` has no method `mow`; it has look, plant, dig, spoil"):
        await anext(open_binding(environment, {"code": GARDEN, "actions": ["mow"]}, ScriptedContext()))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1", "it defines no class"),
        ("class A:\n  def a(self): 1\nclass B:\n  def b(self): 1", "line 3: it has several classes"),
        ("class A:\n  def _a(self): 1", "nothing can be done with `A`"),
        ("class A:\n  async def a(self): 1", "line 2: `a` is `async`"),
        ("class A:\n  def a(): 1", "line 2: `a` takes no `self`"),
        ("class A:\n  def a(self, *b): 1", "line 2: `a` may take plain parameters only"),
        ("class A(", "'(' was never closed"),
    ],
)
def test_code_that_is_no_world_is_refused_with_its_line(code: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        classed_code(code)


WORLD = ("environment.environment", {"code": GARDEN, "name": "garden"})
TWO: dict[str, Any] = {
    "garden": WORLD,
    "first": ("control.call_tool", {"tool_name": "plant"}, {"arguments": {"actor": "ada", "what": "kale"}}),
    "second": ("control.call_tool", {"tool_name": "dig"}),
    "out": "io.flow_output",
}
LENT = ["garden.tool -> first.tool[0]", "garden.tool -> second.tool[0]", "second.text -> out.value"]


async def dug(box: WasmBox) -> Ran:
    return await run(flow_of(TWO, [*LENT, "first.then -> second.after"]), box=box)


async def test_a_replay_needs_no_box_and_has_the_same_chances(box: WasmBox) -> None:
    first = await dug(box)
    again = await run(
        flow_of(TWO, [*LENT, "first.then -> second.after"]),
        past=replayed(first.entries, flow_of(TWO, LENT), REGISTRY),
    )
    assert again.outputs == first.outputs
    assert first_difference(first.entries, again.entries) is None
    assert first.outputs != (await dug(box)).outputs, "chance is that of the run"


async def test_the_state_is_a_memory_of_the_run_that_can_be_looked_at(box: WasmBox) -> None:
    state = (await dug(box)).state
    [written] = state.steps[StepId("first")].remembered
    assert written.memory == "garden"
    assert json.loads(written.item.data["text"])["beds"] == [["kale by ada"], []]  # type: ignore[index,call-overload]


def test_steps_that_use_it_without_an_order_are_told_of() -> None:
    said = [one.message for one in check(flow_of(TWO, LENT), REGISTRY)]
    assert any("both write the memory `garden`" in one for one in said), said
    ordered = check(flow_of(TWO, [*LENT, "first.then -> second.after"]), REGISTRY)
    assert not [one for one in ordered if "garden" in one.message]


RULES = """
rules:
  - when: {turn: 0}
    tool_calls:
      - {name: plant, arguments: {what: kale, actor: ada}}
      - {name: plant, arguments: {what: leek, actor: ada}}
      - {name: plant, arguments: {what: moss, actor: ada}}
  - reply: "{{ tool_results[-1].json.reward }}"
"""


async def test_calls_at_once_lose_nothing(box: WasmBox, tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text(RULES, "utf-8")
    nodes: dict[str, Any] = {
        "garden": WORLD, "agent": ("llm.agent", {}, {"prompt": "Plant."}), "out": "io.flow_output",
    }  # fmt: skip
    wires = ["garden.tool -> agent.tools[0]", "agent.reply -> out.value"]
    ran = await run(flow_of(nodes, wires), script=tmp_path / "answers.yaml", box=box)
    assert ran.outputs["out"] == "3"


async def test_calls_at_once_to_nodes_that_share_a_world_lose_nothing(box: WasmBox, tmp_path: Path) -> None:
    rules = RULES.replace("{name: plant, arguments: {what: leek", "{name: shed_plant, arguments: {what: leek")
    (tmp_path / "answers.yaml").write_text(rules.replace("json.reward", "text"), "utf-8")
    nodes: dict[str, Any] = {
        "garden": ("environment.environment", {"code": GARDEN, "name": "beds"}),
        "shed": ("environment.environment", {"code": GARDEN, "name": "beds", "prefix": "shed_"}),
        "agent": ("llm.agent", {}, {"prompt": "Plant."}),
        "seen": ("control.call_tool", {"tool_name": "look"}),
        "out": "io.flow_output",
    }
    wires = [
        "garden.tool -> agent.tools[0]", "shed.tool -> agent.tools[1]", "garden.tool -> seen.tool[0]",
        "agent.reply -> seen.after", "seen.json -> out.value",
    ]  # fmt: skip
    ran = await run(flow_of(nodes, wires), script=tmp_path / "answers.yaml", box=box)
    assert ran.outputs["out"]["reward"] == 3
