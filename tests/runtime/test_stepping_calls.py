"""Stepping over, into and out of what an agent asks and calls."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from studio.flow.records import Flow
from studio.ids import StepId
from studio.runtime.gates.debug_gate import DebugGate, Stepping
from studio.runtime.limits.cancellations import Stops
from tests.runtime.agents import FLOW, NODES, TEAM, WIRES, debug, laid_out
from tests.runtime.bench import Ran, flow_of, until


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return laid_out(tmp_path)


def places(gate: DebugGate) -> list[str]:
    """The steps that are held and not released yet, and on which side of their work."""
    return [f"{one.step} {phase}" for one in gate.held if (phase := gate.phase(one.step)) is not None]


async def walked(root: Path, flow: Flow, first: str, ways: Sequence[Stepping]) -> list[str]:
    """Where a person comes who steps so, from a breakpoint at the node `first`."""
    seen: list[str] = []

    async def act(ran: Ran, gate: DebugGate) -> None:
        def is_new() -> bool:
            return "run_finished" in ran.events("") or bool(places(gate))

        await until(lambda: bool(gate.held))
        gate.set_breakpoints(())
        for how in ways:
            seen.extend(places(gate))
            gate.step(how=how)
            await until(is_new)
        seen.extend(places(gate))
        gate.resume()

    await debug(root, act, first, flow=flow)
    return seen


async def test_step_over_passes_the_calls_of_an_agent_and_step_into_goes_to_them(root: Path) -> None:
    assert await walked(root, FLOW, "agent", [Stepping.OVER]) == ["agent before", "out before"]
    assert await walked(root, FLOW, "agent", [Stepping.INTO, *[Stepping.OVER] * 6]) == [
        "agent before",
        "agent#chat.1 before",
        "agent#chat.1 after",
        "agent#tool.1 before",
        "agent#tool.1 after",
        "agent#chat.2 before",
        "agent#chat.2 after",
        "out before",
    ]


async def test_step_out_leaves_the_calls_and_step_into_enters_those_of_an_agent_that_is_a_tool(
    root: Path,
) -> None:
    ways = [Stepping.OVER, Stepping.OVER, Stepping.INTO, Stepping.OUT, Stepping.OUT]
    assert await walked(root, TEAM, "lead#chat", ways) == [
        "lead#chat.1 before",
        "lead#chat.1 after",
        "lead#tool.1 before",
        "lead#tool.1/helper#chat.1 before",
        "lead#tool.1 after",
        "out before",
    ]


BESIDE = flow_of(
    {
        **NODES,
        "agent": ("llm.agent", {}, {}, {"on_error": "output"}),
        "beside": ("text.template", {"template": "{{x}}"}),
        "second": "io.flow_output",
    },
    [*WIRES, "question.value -> beside.x", "beside.text -> second.value"],
)


async def test_step_into_goes_to_the_agents_own_calls_though_others_wait_beside_it(root: Path) -> None:
    seen = await walked(root, BESIDE, "agent", [Stepping.INTO])
    assert seen == ["agent before", "agent#chat.1 before"]


@pytest.mark.parametrize("ends", ["fails", "is cancelled"])
async def test_others_go_on_when_what_was_stepped_into_ends_without_a_call(root: Path, ends: str) -> None:
    stops = Stops()

    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.set_breakpoints(())
        gate.step(StepId("agent"), Stepping.INTO)
        if ends == "is cancelled":
            stops.cancel("agent")
        await until(lambda: places(gate) not in ([], ["agent before"]))
        assert places(gate) == ["beside before"]
        gate.resume()

    if ends == "fails":
        (root / "data" / "may.txt").unlink()
        (root / "data").rmdir()
    ran = await debug(root, act, "agent", flow=BESIDE, stops=stops)
    assert ran.outputs["second"] == "What sang?"


async def test_step_over_passes_what_an_agent_does_that_is_a_tool(root: Path) -> None:
    ways = [Stepping.OVER, Stepping.OVER, Stepping.OVER]
    assert (await walked(root, TEAM, "lead#chat", ways))[-1] == "lead#tool.1 after"
