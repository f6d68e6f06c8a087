"""Holding steps, looking, editing, going on."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from studio.flow.records import Flow
from studio.ids import RunId, StepId
from studio.runtime.gates.debug_gate import DebugGate, Stepping
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.regions.subflow import CalledGate
from studio.runtime.values import USER, Value
from studio.trace.events import Entry
from tests.runtime.bench import Ran, flow_of, run_held, until
from tests.runtime.test_scheduler import LOOP_WIRES, looping

FLOW = flow_of(looping(), LOOP_WIRES)


async def debug(
    act: Callable[[Ran, DebugGate], Awaitable[None]], *breakpoints: str, hold_first: bool = False
) -> Ran:
    """Run the looping flow from `a` while `act` plays the person at the debugger."""
    return await run_held(FLOW, act, *breakpoints, inputs={"word": "a"}, hold_first=hold_first)


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


WIDE = flow_of(
    {
        "words": ("value.json", {"value": ["a", "b", "c"]}),
        "each": "control.for_each",
        "mark": ("text.template", {"template": "{{x}}!"}),
        "twice": ("text.template", {"template": "{{x}}{{x}}"}),
        "all": "control.collect",
        "out": "io.flow_output",
    },
    [
        "words.value -> each.items",
        "each.item -> mark.x",
        "mark.text -> twice.x",
        "twice.text -> all.value",
        "all.values -> out.value",
    ],
)


async def debug_wide(
    act: Callable[[Ran, DebugGate], Awaitable[None]], *breakpoints: str, flow: Flow = WIDE
) -> Ran:
    """Run `flow` while `act` plays the person."""
    return await run_held(flow, act, *breakpoints, inputs={"word": "a"})


async def settled() -> None:
    """Let everything happen that can."""
    for _ in range(200):
        await asyncio.sleep(0)


async def test_while_one_step_is_held_those_that_arrive_wait_and_are_held_in_their_turn() -> None:
    seen: list[list[str]] = []

    async def act(ran: Ran, gate: DebugGate) -> None:
        for _ in range(3):
            await until(lambda: bool(gate.held) and held(gate) not in seen)
            started = ran.steps("step_started")
            await settled()
            seen.append(held(gate))
            assert ran.steps("step_started") == started
            gate.resume()
            gate.resume()

    ran = await debug_wide(act, "mark")
    assert seen == [["each.0/mark"], ["each.1/mark"], ["each.2/mark"]]
    assert ran.outputs["out"] == ["a!a!", "b!b!", "c!c!"]


async def test_stepping_over_in_one_item_stays_in_it_and_then_comes_out() -> None:
    seen: list[str] = []

    async def act(ran: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.set_breakpoints(())
        for _step in range(3):
            seen.extend(held(gate))
            gate.step()
            await until(lambda: held(gate) not in ([], seen[-1:]))
        seen.extend(held(gate))
        gate.step()
        await until(lambda: "run_finished" in ran.events(""))

    await debug_wide(act, "mark")
    assert seen == ["each.0/mark", "each.0/twice", "all", "out"]


async def test_what_is_released_twice_goes_on_once() -> None:
    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        (step,) = (ref.step for ref in gate.held)
        gate.set_breakpoints(())
        assert gate.release(step)
        assert not gate.release(step)
        assert gate.phase(step) is None
        await until(lambda: not gate.held)
        assert not gate.step(step)
        assert not gate.release(step)

    ran = await debug(act, "rounds")
    assert ran.outputs["out"] == "a+++"
    assert len(ran.steps("step_held")) == 1


async def test_stepping_over_the_last_step_ends_the_run() -> None:
    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.step()

    ran = await debug_wide(act, "out")
    assert ran.events("")[-1] == "run_finished"


@pytest.mark.parametrize(
    ("place", "edited", "out"),
    [
        ("each", {"items": ["x"]}, ["x!x!"]),
        ("all", {"value": ["y"]}, ["y"]),
        ("all.value", {"value": []}, []),
        ("all.values", {"values": ["z", "z"]}, ["z", "z"]),
    ],
)
async def test_maps_and_their_collects_are_held_and_edited(
    place: str, edited: dict[str, list[str]], out: list[str]
) -> None:
    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        (step,) = (ref.step for ref in gate.held)
        gate.release(step, {name: Value(value, USER) for name, value in edited.items()})

    ran = await debug_wide(act, place)
    assert ran.outputs["out"] == out
    assert ran.state.outputs["out"].labels == ("user",)


async def test_the_result_of_a_loop_is_held_and_edited() -> None:
    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        assert gate.phase(StepId("rounds")) == "after"
        gate.release(StepId("rounds"), {"result": Value("mine", USER)})

    ran = await debug(act, "rounds.result")
    assert ran.outputs == {"out": "mine", "all": ["a+", "a++"]}


async def test_an_input_that_was_absent_can_be_given() -> None:
    flow = flow_of(
        {
            "word": ("io.flow_input", {"type": "text"}),
            "way": ("control.branch", {"cases": [{"label": "Yes", "when": "facts"}, {"label": "No"}]}),
            "out": "io.flow_output",
        },
        ["word.value -> way.value", "way.yes -> out.value"],
    )

    async def act(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.release(StepId("way"), {"facts": Value(data=True, labels=USER)})

    assert (await debug_wide(act, "way", flow=flow)).outputs == {"out": "a"}


async def test_holding_by_hand_lets_several_waiting_steps_go_on_together() -> None:
    async def act(ran: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        gate.hold()
        gate.set_breakpoints(())
        gate.release(StepId("each.0/mark"))
        await until(lambda: held(gate) not in ([], ["each.0/mark"]))
        await settled()
        assert len(gate.held) == 1
        gate.resume()
        await until(lambda: "run_finished" in ran.events(""))

    assert (await debug_wide(act, "mark")).outputs["out"] == ["a!a!", "b!b!", "c!c!"]


def test_a_gate_is_open_only_while_there_is_nothing_to_hold_for() -> None:
    gate = DebugGate(Recorder(RunId("bench"), MemorySink(list[Entry]().append)))
    told = [gate.is_open]
    for change in (
        lambda: gate.set_breakpoints(["a"]),
        lambda: gate.set_breakpoints([]),
        gate.hold,
        gate.resume,
        gate.step,
        gate.resume,
    ):
        change()
        told.append(gate.is_open)
    assert told == [True, False, True, False, True, False, True]


def test_only_steps_that_a_gate_may_hold_ask_it() -> None:
    gate = DebugGate(Recorder(RunId("bench"), MemorySink(list[Entry]().append)))
    own, called, inner = gate.asked(), gate.asked("b.json"), CalledGate(gate, "b.json").asked()
    told: list[str] = []

    def look() -> None:
        told.append(
            "".join(f"{int('a' in one.nodes)}{int('x' in one.nodes)} " for one in (own, called, inner))
        )

    for change in (
        lambda: None,
        lambda: gate.set_breakpoints(["a", "b.json:x.port"]),
        gate.hold,
        gate.resume,
        lambda: gate.attention.insist("slow", on=True),
        lambda: gate.set_breakpoints([]),
        lambda: gate.attention.insist("slow", on=False),
        lambda: gate.run_to("a"),
    ):
        change()
        look()
    none, everybody, placed = "00 00 00 ", "11 11 11 ", "10 01 01 "
    assert told == [none, placed, everybody, placed, everybody, everybody, none, everybody]
