"""Cancelling a step, a round or an item, while the run goes on."""

import asyncio
import time
from typing import Any

import pytest

from studio.flow.records import Flow
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.limits.cancellations import Stops
from studio.runtime.recorder import Recorder
from studio.trace.events import StepFailed
from studio.trace.fold.state import RunStatus
from tests.runtime.bench import Ran, flow_of, run, run_held, until

OUTPUT = "io.flow_output"
FOREVER = ("control.delay", {"seconds": 600}, {"value": "late"})
AT_MOST = 0.2
"""Seconds that a cancellation may take."""


async def stopped(some: Flow, name: str, *, when: str = "", **more: Any) -> Ran:
    """Run, cancel `name` once its step (or the step `when`) is at work, and see that nothing is left."""
    stops = Stops()
    before = asyncio.all_tasks()
    began = 0.0

    async def cancel(ran: Ran) -> None:
        nonlocal began
        await until(lambda: (when or name) in [*ran.steps("step_started"), *ran.steps("step_held")])
        await asyncio.sleep(0)
        began = time.monotonic()
        assert stops.cancel(name)

    ran = await run(some, stops=stops, while_running=cancel, **more)
    assert time.monotonic() - began < AT_MOST
    assert asyncio.all_tasks() == before
    assert not [step for step, one in ran.state.steps.items() if not one.status.is_final]
    return ran


def failure(ran: Ran, step: str) -> StepFailed:
    return next(e.event for e in ran.entries if e.step == step and isinstance(e.event, StepFailed))


async def test_a_step_that_is_cancelled_fails_and_ends_the_run() -> None:
    ran = await stopped(flow_of({"slow": FOREVER, "out": OUTPUT}, ["slow.value -> out.value"]), "slow")
    assert ran.state.status is RunStatus.FAILED
    assert failure(ran, "slow").error == "CancelledStepError"


@pytest.mark.parametrize("settings", [{}, {"retries": 3}])
async def test_a_step_that_is_cancelled_follows_its_error_policy_and_is_not_tried_again(
    settings: dict[str, Any],
) -> None:
    policy = {"on_error": "default", "default": "given up", **settings}
    flow = flow_of({"slow": (*FOREVER, policy), "out": OUTPUT}, ["slow.value -> out.value"])
    ran = await stopped(flow, "slow")
    assert ran.outputs == {"out": "given up"}
    assert ran.steps("step_retried") == []


async def test_a_step_that_is_cancelled_can_be_caught() -> None:
    nodes = {"slow": FOREVER, "caught": "control.catch", "why": OUTPUT}
    ran = await stopped(flow_of(nodes, ["slow.value -> caught.value", "caught.error -> why.value"]), "slow")
    assert ran.outputs["why"]["error"] == "CancelledStepError"


@pytest.mark.parametrize("place", ["word", "word.text"])
async def test_a_step_that_is_held_can_be_cancelled(place: str) -> None:
    def make_gate(recorder: Recorder) -> DebugGate:
        return DebugGate(recorder, (place,))

    policy = {"on_error": "default", "default": "none"}
    nodes = {"word": ("text.text", {"text": "a"}, {}, policy), "out": OUTPUT}
    ran = await stopped(flow_of(nodes, ["word.text -> out.value"]), "word", make_gate=make_gate)
    assert ran.outputs == {"out": "none"}


async def test_other_steps_go_on() -> None:
    nodes = {
        "slow": (*FOREVER, {"on_error": "default", "default": "given up"}),
        "other": ("control.delay", {"seconds": 0.01}, {"value": "b"}),
        "all": "text.join",
        "out": OUTPUT,
    }
    wires = ["slow.value -> all.parts[0]", "other.value -> all.parts[1]", "all.text -> out.value"]
    assert (await stopped(flow_of(nodes, wires), "slow")).outputs == {"out": "given up\nb"}


def looping(**policy: Any) -> Flow:
    nodes = {
        "word": ("text.text", {"text": "a"}),
        "rounds": ("control.loop", {"max_rounds": 3}, {}, policy),
        "slow": ("control.delay", {"seconds": 600}),
        "out": OUTPUT,
    }
    wires = [
        "word.text -> rounds.start",
        "rounds.value -> slow.value",
        "slow.value -> rounds.again",
        "rounds.result -> out.value",
    ]
    return flow_of(nodes, wires)


@pytest.mark.parametrize("name", ["rounds", "rounds.1", "rounds.1/slow"])
async def test_a_loop_a_round_of_it_and_a_step_in_it_can_be_cancelled(name: str) -> None:
    policy = {"on_error": "default", "default": "given up"}
    ran = await stopped(looping(**policy), name, when="rounds.1/slow")
    assert ran.outputs == {"out": "given up"}
    assert ran.events("rounds.1/slow")[-1] == ("step_failed" if name.endswith("slow") else "step_cancelled")


@pytest.mark.parametrize("name", ["rounds", "rounds.1", "rounds.1/slow"])
async def test_a_loop_without_a_policy_fails_with_what_was_cancelled(name: str) -> None:
    ran = await stopped(looping(), name, when="rounds.1/slow")
    assert ran.outcome is not None
    assert ran.outcome.error is not None
    assert ran.outcome.error.error == "CancelledStepError"
    assert ran.outcome.error.step in {"rounds", "rounds.1/slow"}


def mapping(collect: dict[str, Any], **policy: Any) -> Flow:
    nodes = {
        "words": ("value.json", {"value": [600, 0.001, 0.002]}),
        "each": "control.for_each",
        "way": ("control.branch", {"cases": [{"label": "Slow", "when": "value > 1"}, {"label": "Quick"}]}),
        "slow": ("control.delay", {"seconds": 600}),
        "either": "control.merge",
        "all": ("control.collect", collect, {}, policy),
        "out": OUTPUT,
    }
    wires = [
        "words.value -> each.items",
        "each.item -> way.value",
        "way.slow -> slow.value",
        "slow.value -> either.values[0]",
        "way.quick -> either.values[1]",
        "either.value -> all.value",
        "all.values -> out.value",
    ]
    return flow_of(nodes, wires)


@pytest.mark.parametrize("name", ["each.0", "each.0/slow"])
async def test_an_item_that_is_cancelled_is_a_failed_item(name: str) -> None:
    ran = await stopped(mapping({"failed": "drop"}), name, when="each.0/slow")
    assert ran.outputs == {"out": [0.001, 0.002]}


async def test_the_error_of_a_cancelled_item_can_be_kept() -> None:
    ran = await stopped(mapping({"failed": "keep"}), "each.0", when="each.0/slow")
    assert ran.outputs["out"][0]["error"] == "CancelledStepError"


async def test_a_map_that_is_cancelled_gives_what_its_collects_have_as_a_default() -> None:
    flow = mapping({}, on_error="default", default=[])
    ran = await stopped(flow, "each", when="each.0/slow")
    assert ran.outputs == {"out": []}
    assert "each.0/slow" in ran.steps("step_cancelled")


async def test_what_is_over_or_has_not_begun_cannot_be_cancelled() -> None:
    stops = Stops()

    async def look(ran: Ran) -> None:
        await until(lambda: "slow" in ran.steps("step_started"))
        assert not stops.cancel("word")
        assert not stops.cancel("out")
        assert not stops.cancel("")
        assert stops.cancel("slow")
        assert stops.cancel("slow")  # twice is once

    nodes = {"word": ("text.text", {"text": "a"}), "slow": ("control.delay", {"seconds": 600}), "out": OUTPUT}
    ran = await run(
        flow_of(nodes, ["word.text -> slow.value", "slow.value -> out.value"]),
        stops=stops,
        while_running=look,
    )
    assert ran.steps("step_failed") == ["slow"]


async def test_who_cancels_the_run_while_a_step_is_cancelled_cancels_the_run() -> None:
    stops, ran = Stops(), Ran()
    some = flow_of(
        {"slow": (*FOREVER, {"on_error": "default", "default": "x"}), "out": OUTPUT},
        ["slow.value -> out.value"],
    )
    task = asyncio.create_task(run(some, ran=ran, stops=stops))
    await until(lambda: "slow" in ran.steps("step_started"))
    stops.cancel("slow")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ran.state.status is RunStatus.CANCELLED
    assert ran.events("slow")[-1] == "step_cancelled"


async def test_held_time_does_not_count_against_the_time_limit_of_a_loop() -> None:
    async def hold_for_longer(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        await asyncio.sleep(0.3)
        gate.set_breakpoints(())
        gate.resume()

    some = looping(time_limit=0.2)
    mark = flow_of({"mark": ("text.template", {"template": "{{x}}"})}, [])
    nodes = {**some.nodes, **mark.nodes}
    del nodes[next(one for one in nodes if one == "slow")]
    wires = flow_of(
        {},
        [
            "word.text -> rounds.start",
            "rounds.value -> mark.x",
            "mark.text -> rounds.again",
            "rounds.result -> out.value",
        ],
    ).wires
    ran = await run_held(Flow("held", "", nodes, wires), hold_for_longer, "mark")
    assert ran.outputs == {"out": "a"}
