"""What becomes of everything else when a run is stopped, or when one of its steps fails."""

import asyncio
import contextlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import pytest

from studio.errors import StoreError
from studio.flow.records import Flow
from studio.ids import StepId
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.recorder import Recorder
from studio.sdk import In, Out, Tool, Yields, binding, node
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from studio.trace.fold.state import RunStatus, StepStatus
from studio.workspace.catalog import builtin_registry
from tests.runtime import bench
from tests.runtime.bench import Ran, flow_of, run, until
from tests.runtime.test_scheduler import INPUT, MAP_WIRES, MAPPING, OUTPUT

SLOW = """
rules:
  - reply: one two three four five six seven eight nine ten
    tokens_per_second: 5
"""
TOOL = """
rules:
  - when: {turn: 0}
    tool_calls: [{name: wait}]
  - reply: never
"""
AT_MOST = 0.2
"""Seconds that stopping a run may take."""


@node("test.wait", title="Wait")
async def wait(x: Annotated[str, In("Given back")] = "") -> Annotated[str, Out("text", "x")]:
    """Wait for ever."""
    await asyncio.Event().wait()
    return x


@node("test.fail", title="Fail")
async def fail(x: Annotated[str, In("What fails")] = "") -> Annotated[str, Out("text", "None")]:
    """Let the others begin, then fail."""
    await asyncio.sleep(0)
    raise StoreError(x) if x == "store" else ValueError("too bad")


@node("test.inner", title="Cancelled from inside")
async def inner() -> Annotated[str, Out("text", "None")]:
    """Wait for something that somebody else cancels."""
    raise asyncio.CancelledError


@node("test.odd", title="Odd")
def odd() -> Annotated[object, Out("thing", "None")]:
    """Give what JSON cannot say."""
    return object()


@binding("test.tool", title="A tool that waits")
async def waiting_tool() -> Yields[Tool]:
    """Lend it."""

    async def go(arguments: Mapping[str, object]) -> str:
        await asyncio.Event().wait()
        return str(arguments)

    yield Tool("wait", "Waits.", {"type": "object", "properties": {}}, go)


@pytest.fixture(autouse=True)
def _more_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    types = [node_type_of(one) for one in (wait, fail, inner, odd, waiting_tool)]
    monkeypatch.setattr(bench, "REGISTRY", Registry([*builtin_registry(), *types]))


async def stopped(flow: Flow, when: str, *, script: Path | None = None, **more: object) -> Ran:
    """Run, stop once an entry of the kind `when` came, and see that it took no time and left nothing."""
    ran = Ran()
    before = asyncio.all_tasks()
    task = asyncio.create_task(run(flow, script=script, ran=ran, **more))  # pyright: ignore[reportArgumentType]
    await until(lambda: when in {entry.event.kind for entry in ran.entries})
    start = time.monotonic()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert time.monotonic() - start < AT_MOST
    assert asyncio.all_tasks() <= before
    assert ran.state.status is RunStatus.CANCELLED
    assert ran.events("")[-1] == "run_cancelled"
    assert not [step for step, one in ran.state.steps.items() if not one.status.is_final]
    return ran


AGENT = {"ask": ("text.text", {"text": "?"}), "agent": "llm.agent", "out": OUTPUT}
AGENT_WIRES = ["ask.text -> agent.prompt", "agent.reply -> out.value"]


async def test_a_run_stops_while_a_chat_streams(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text(SLOW, "utf-8")
    ran = await stopped(flow_of(AGENT, AGENT_WIRES), "text_streamed", script=script, pace=1)
    assert ran.events("agent#chat.1")[-1] == "step_cancelled"
    assert ran.events("agent")[-1] == "step_cancelled"


async def test_a_run_stops_while_a_tool_runs(tmp_path: Path) -> None:
    script = tmp_path / "answers.yaml"
    script.write_text(TOOL, "utf-8")
    flow = flow_of({**AGENT, "tool": "test.tool"}, [*AGENT_WIRES, "tool.tool -> agent.tools"])
    ran = await stopped(flow, "tool_called", script=script)
    assert ran.events("agent#tool.1") == ["tool_called", "step_cancelled"]
    assert "binding_closed" in [entry.event.kind for entry in ran.entries]


async def test_a_run_stops_while_a_step_waits_to_try_again() -> None:
    flow = flow_of({"a": ("test.fail", {}, {}, {"retries": 3}), "out": OUTPUT}, ["a.text -> out.value"])
    ran = await stopped(flow, "step_retried")
    assert ran.events("a")[-1] == "step_cancelled"


@pytest.mark.parametrize("held", ["words", "each", "mark", "all", "all.value", "out"])
async def test_a_run_stops_while_a_step_is_held(held: str) -> None:
    def make_gate(recorder: Recorder) -> DebugGate:
        return DebugGate(recorder, (held,))

    ran = await stopped(flow_of(MAPPING, MAP_WIRES), "step_held", make_gate=make_gate)
    done = [one for one in ran.steps("step_finished") if one in ran.steps("step_cancelled")]
    assert done == []


async def test_a_run_stops_within_a_moment_though_its_steps_wait_for_nothing() -> None:
    nodes = {
        "word": INPUT,
        "rounds": ("control.loop", {"max_rounds": 10_000}),
        "same": ("text.template", {"template": "{{x}}"}),
        "out": OUTPUT,
    }
    wires = [
        "word.value -> rounds.start",
        "rounds.value -> same.x",
        "same.text -> rounds.again",
        "rounds.result -> out.value",
    ]
    ran = await stopped(flow_of(nodes, wires), "step_progressed", inputs={"word": "a"})
    assert len(ran.entries) < 10_000


async def test_the_other_branches_of_a_failed_step_are_cancelled_and_say_so() -> None:
    before = asyncio.all_tasks()
    flow = flow_of(
        {"a": "test.fail", "b": "test.wait", "c": "test.wait", "join": "text.join", "out": OUTPUT},
        [
            "a.text -> join.parts[0]",
            "b.text -> join.parts[1]",
            "c.text -> join.parts[2]",
            "join.text -> out.value",
        ],
    )
    ran = await run(flow)
    assert ran.state.status is RunStatus.FAILED
    assert ran.steps("step_failed") == ["a"]
    assert sorted(ran.steps("step_cancelled")) == ["b", "c"]
    assert asyncio.all_tasks() == before


async def test_the_other_items_of_a_failed_one_are_cancelled_and_say_so() -> None:
    nodes = {
        "words": ("value.json", {"value": [1, 2]}),
        "each": "control.for_each",
        "way": ("control.branch", {"cases": [{"label": "Bad", "when": "value == 2"}, {"label": "Good"}]}),
        "bad": "test.fail",
        "good": "test.wait",
        "either": "control.merge",
        "all": "control.collect",
        "out": OUTPUT,
    }
    wires = [
        "words.value -> each.items",
        "each.item -> way.value",
        "way.bad -> bad.after",
        "way.good -> good.after",
        "bad.text -> either.values[0]",
        "good.text -> either.values[1]",
        "either.value -> all.value",
        "all.values -> out.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.state.steps[StepId("each.1/bad")].status is StepStatus.FAILED
    assert ran.state.steps[StepId("each.0/good")].status is StepStatus.CANCELLED
    assert ran.state.steps[StepId("each")].status is StepStatus.FAILED
    assert not [one for one in ran.state.steps.values() if not one.status.is_final]


async def test_a_step_that_is_cancelled_from_inside_fails_instead_of_vanishing() -> None:
    flow = flow_of(
        {"a": "test.inner", "b": ("text.text", {"text": "b"}), "join": "text.join", "out": OUTPUT},
        ["a.text -> join.parts[0]", "b.text -> join.parts[1]", "join.text -> out.value"],
    )
    ran = await run(flow)
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "a"


async def test_a_value_that_json_cannot_say_fails_the_step_that_gave_it() -> None:
    ran = await run(flow_of({"a": "test.odd", "out": OUTPUT}, ["a.thing -> out.value"]))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.step == "a"
    assert ran.events("a")[-1] == "step_failed"


async def test_no_policy_goes_on_when_nothing_can_be_stored() -> None:
    nodes = {
        "a": ("test.fail", {}, {"x": "store"}, {"retries": 2, "on_error": "default", "default": ""}),
        "out": OUTPUT,
    }
    ran = await run(flow_of(nodes, ["a.text -> out.value"]))
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.error == "StoreError"
    assert ran.steps("step_retried") == []
