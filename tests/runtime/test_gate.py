"""Holding steps, looking, editing, going on."""

import asyncio
from collections.abc import Awaitable, Callable

from studio.ids import StepId
from studio.runtime.gate import DebugGate, Stepping
from studio.runtime.recorder import Recorder
from studio.runtime.values import USER, Value
from tests.runtime.bench import Ran, flow_of, run, until
from tests.runtime.test_scheduler import LOOP_WIRES, looping

FLOW = flow_of(looping(), LOOP_WIRES)


async def debug(
    act: Callable[[Ran, DebugGate], Awaitable[None]], *breakpoints: str, hold_first: bool = False
) -> Ran:
    """Run the looping flow from `a` while `act` plays the person at the debugger."""
    gates: list[DebugGate] = []

    def make_gate(recorder: Recorder) -> DebugGate:
        gates.append(DebugGate(recorder, breakpoints, hold_first=hold_first))
        return gates[0]

    async def drive(ran: Ran) -> None:
        await act(ran, gates[0])

    return await run(FLOW, {"word": "a"}, make_gate=make_gate, while_running=drive)


def held(gate: DebugGate) -> list[str]:
    return [str(ref.step) for ref in gate.held]


async def test_a_breakpoint_holds_every_step_of_its_node() -> None:
    seen: list[str] = []

    async def act(_: Ran, gate: DebugGate) -> None:
        for _round in range(3):
            await until(lambda: held(gate) not in ([], seen[-1:]))
            seen.extend(held(gate))
            gate.resume()

    ran = await debug(act, "grow")
    assert seen == ["rounds.1/grow", "rounds.2/grow", "rounds.3/grow"]
    assert ran.outputs["out"] == "a+++"


async def test_an_edit_of_a_held_step_is_what_it_reads() -> None:
    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.set_breakpoints(())
        assert gate.release(StepId("rounds.1/grow"), {"x": Value("edited", USER)})

    ran = await debug(act, "grow")
    assert ran.outputs["out"] == "edited+"
    kinds = ran.events("rounds.1/grow")
    assert kinds == [
        "step_ready",
        "step_held",
        "inputs_edited",
        "step_released",
        "step_started",
        "step_finished",
    ]


async def test_a_breakpoint_on_an_output_holds_the_result() -> None:
    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.set_breakpoints(())
        gate.release(StepId("rounds.1/grow"), {"text": Value("changed", USER)})

    ran = await debug(act, "grow.text")
    assert ran.outputs["out"] == "changed"
    assert "outputs_edited" in ran.events("rounds.1/grow")


async def test_step_over_walks_from_node_to_node_and_on_into_the_next_round() -> None:
    seen: list[str] = []

    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.set_breakpoints(())
        for _step in range(4):
            seen.extend(held(gate))
            gate.step()
            await until(lambda: held(gate) not in ([], seen[-1:]))
        seen.extend(held(gate))
        gate.resume()

    await debug(act, "grow")
    assert seen == ["rounds.1/grow", "rounds.1/enough", "rounds.2/grow", "rounds.2/enough", "rounds.3/grow"]


async def test_step_over_passes_a_loop_and_step_into_enters_it() -> None:
    seen: list[list[str]] = []

    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.step()
        await until(lambda: held(gate) == ["rounds"])
        gate.step(how=Stepping.INTO)
        await until(lambda: held(gate) not in ([], ["rounds"]))
        seen.append(held(gate))
        gate.step(how=Stepping.OUT)
        await until(lambda: held(gate) not in ([], seen[0]))
        seen.append(held(gate))
        gate.resume()
        await until(lambda: not gate.held)

    await debug(act, hold_first=True)
    assert seen[0] == ["rounds.1/grow"]
    assert seen[1][0] in {"out", "all"}


async def test_nothing_starts_while_the_run_is_held_by_hand() -> None:
    async def act(ran: Ran, gate: DebugGate) -> None:
        gate.hold()
        await until(lambda: bool(gate.held))
        before = len(ran.entries)
        for _turn in range(100):
            await asyncio.sleep(0)
        assert len(ran.entries) == before
        gate.resume()

    ran = await debug(act, hold_first=True)
    assert ran.steps("step_held")[0] == "word"
    assert {"run_held", "run_resumed", "run_finished"} <= set(ran.events(""))
