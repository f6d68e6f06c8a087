"""Whatever a provider does, every flow that asks it ends in a defined state, in time, and does no harm."""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import replace

import pytest

from studio.flow.records import Flow, RunSettings
from studio.llm.prices import Prices
from studio.llm.scripted_answers.faults import FAULTS
from studio.runtime.replay.past import Past
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from studio.trace.fold.state import RunStatus
from studio.workspace.catalog import builtin_registry
from tests.runtime import bench
from tests.runtime.bench import Ran, flow_of, run, until
from tests.runtime.provider import (
    EXECUTED,
    FLOWS,
    LIMITS,
    MAP_NODES,
    MAP_WIRES,
    OTHERS,
    SCRIPT,
    STRUCTURES,
    WHOLE_ARGUMENTS,
    Api,
    Endpoint,
    Mode,
    lookup,
)
from tests.runtime.virtual_time import VirtualLoop

ENDS: Mapping[str, str] = {
    **dict.fromkeys(
        ("none", "no-done", "bad-utf8", "lone-surrogate", "usage-only-chunk", "empty-choices"), ""
    ),
    **dict.fromkeys(("429", "429-retry-after", "500", "502-html", "error-in-stream"), "ChatRefusedError"),
    "reset-before-head": "ChatUnreachableError",
    "unknown-tool": "",
    "duplicate-call-id": "",
}
"""The error that a fault is, empty for none; all others leave the answer incomplete."""

ANSWERED_AT_LAST = {"unknown-tool", "duplicate-call-id"}
"""What an agent is told in words, or does, and goes on; here until it has no turns left."""

SLOW = {"drip", "keep-alive-only", "slow-first-token", "hang"}
ASKED_AGAIN = {"429", "429-retry-after", "500", "502-html", "reset-before-head"}
WAITS = 3.0
"""Seconds between all attempts at one answer."""

REGISTRY = Registry([*builtin_registry(), node_type_of(lookup)])

every_fault = pytest.mark.parametrize("fault", FAULTS)
every_structure = pytest.mark.parametrize("structure", STRUCTURES)
every_mode = pytest.mark.parametrize(
    "mode",
    [Mode.STREAMED, *(pytest.param(one, marks=pytest.mark.slow) for one in Mode if one != Mode.STREAMED)],
)
every_way = pytest.mark.parametrize(
    ("api", "mode"),
    [
        ("chat", Mode.STREAMED),
        *(pytest.param("chat", mode, marks=pytest.mark.slow) for mode in Mode if mode != Mode.STREAMED),
        *(pytest.param("responses", mode, marks=pytest.mark.slow) for mode in (Mode.STREAMED, Mode.WHOLE)),
    ],
)


@pytest.fixture(autouse=True)
def _tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "REGISTRY", REGISTRY)
    EXECUTED.arguments.clear()


def ran_virtually(
    flow: Flow,
    endpoint: Endpoint,
    api: Api = "chat",
    *,
    prices: Prices | None = None,
    past: Past | None = None,
) -> tuple[Ran, float]:
    """Run to the end; gives what came of it, and how many seconds it would have taken."""

    async def go() -> tuple[Ran, float]:
        client = endpoint.client(api, prices)
        ran = await run(flow, flows=FLOWS, client=client, past=past)
        return ran, asyncio.get_running_loop().time()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(go())


def see_that_it_is_over(ran: Ran) -> None:
    """See that nothing is left open, in the run and in each of its steps and calls."""
    assert ran.entries[-1].event.kind in {"run_finished", "run_failed"}
    assert not [step for step, one in ran.state.steps.items() if not one.status.is_final]
    for asked, answered in (("chat_requested", "chat_answered"), ("tool_called", "tool_answered")):
        for step in ran.steps(asked):
            assert ran.events(step)[-1] in {answered, "step_failed", "step_cancelled"}


def see_that_only_whole_calls_ran(ran: Ran) -> None:
    """See that the tool was run with whole arguments, and just as often as the trace says."""
    assert all(one in WHOLE_ARGUMENTS for one in EXECUTED.arguments)
    told = [one.event for one in ran.entries if one.event.kind == "tool_called"]
    assert len([one for one in told if one.tool == "lookup"]) == len(EXECUTED.arguments)


def end_of(fault: str, structure: str, mode: Mode) -> str:
    """The error that a run ends with; empty when it ends well."""
    if fault == "slow-first-token" and mode is Mode.WHOLE:
        return ""  # nobody waits for a first token then
    if fault in ANSWERED_AT_LAST and structure != "chat":
        return "StepError"
    return ENDS.get(fault, "ChatIncompleteError")


def longest(fault: str, mode: Mode, calls: int) -> float:
    """Seconds that a run may take at most, whose chats ask `calls` times."""
    if fault in SLOW:
        return LIMITS.total * calls if mode is Mode.WHOLE else LIMITS.first_token
    return WAITS if fault in ASKED_AGAIN else 0.0


def test_every_fault_that_is_expected_is_one() -> None:
    assert {*ENDS, *SLOW, *ASKED_AGAIN} <= set(FAULTS)


@every_fault
@every_structure
@every_way
def test_a_run_ends_as_it_should(fault: str, structure: str, api: Api, mode: Mode) -> None:
    endpoint = Endpoint(SCRIPT, [fault], mode)
    ran, seconds = ran_virtually(STRUCTURES[structure], endpoint, api)
    see_that_it_is_over(ran)
    see_that_only_whole_calls_ran(ran)
    assert ran.outcome is not None
    error = ran.outcome.error
    assert ("" if error is None else error.error) == end_of(fault, structure, mode)
    assert bool(ran.outcome.outputs) == (error is None)
    assert seconds <= longest(fault, mode, len(endpoint.bodies)) + 1


@pytest.mark.parametrize("structure", ["subflow", "agent of an agent", *list(OTHERS)[:2]])
def test_without_a_fault_the_innermost_tool_is_run_once(structure: str) -> None:
    ran, _ = ran_virtually({**STRUCTURES, **OTHERS}[structure], Endpoint(SCRIPT))
    assert "a wren" in str(ran.outputs)
    assert EXECUTED.arguments == [WHOLE_ARGUMENTS[0]]


@every_fault
@pytest.mark.parametrize("structure", OTHERS)
def test_whatever_else_asks_ends_as_it_should(fault: str, structure: str) -> None:
    ran, _ = ran_virtually(OTHERS[structure], Endpoint(SCRIPT, [fault]))
    see_that_it_is_over(ran)
    see_that_only_whole_calls_ran(ran)
    assert ran.outcome is not None
    error = ran.outcome.error
    asks_once = "chat" if structure.startswith("samples") else structure
    assert ("" if error is None else error.error) == end_of(fault, asks_once, Mode.STREAMED)


@every_fault
@every_mode
def test_a_map_that_does_without_failed_items_ends_well(fault: str, mode: Mode) -> None:
    nodes = {**MAP_NODES, "all": ("control.collect", {"failed": "drop"})}
    ran, _ = ran_virtually(flow_of(nodes, MAP_WIRES), Endpoint(SCRIPT, [fault], mode))
    see_that_it_is_over(ran)
    see_that_only_whole_calls_ran(ran)
    failed = 3 if end_of(fault, "map", mode) else 0
    assert len(ran.outputs["out"]) == 3 - failed


@every_fault
@every_structure
def test_a_fault_that_passes_is_got_over_by_trying_the_step_again(fault: str, structure: str) -> None:
    flow = STRUCTURES[structure]
    again = {
        name: node.model_copy(update={"run": RunSettings(retries=3)}) for name, node in flow.nodes.items()
    }
    ran, _ = ran_virtually(replace(flow, nodes=again), Endpoint(SCRIPT, [fault, *["none"] * 50]))
    see_that_it_is_over(ran)
    see_that_only_whole_calls_ran(ran)
    assert ran.outputs


@pytest.mark.parametrize("fault", [*sorted(SLOW), "endless-stream", "endless-line"])
@every_structure
def test_a_run_is_cancelled_in_no_time_while_a_provider_keeps_it_waiting(fault: str, structure: str) -> None:
    async def go() -> tuple[Ran, float]:
        ran, loop = Ran(), asyncio.get_running_loop()
        client = Endpoint(SCRIPT, [fault]).client()
        task = asyncio.create_task(run(STRUCTURES[structure], flows=FLOWS, client=client, ran=ran))
        await until(lambda: bool(ran.steps("chat_requested")))
        before = loop.time()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        return ran, loop.time() - before

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        ran, seconds = runner.run(go())
    assert ran.state.status is RunStatus.CANCELLED
    assert not [step for step, one in ran.state.steps.items() if not one.status.is_final]
    assert not EXECUTED.arguments
    assert seconds <= 0.2
