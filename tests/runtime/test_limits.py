"""How much happens at once, and what counts as the time of a step."""

import asyncio

import pytest

from studio.errors import UsageError
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.limits.budget import read_limits
from studio.runtime.limits.cancellations import Stops
from tests.runtime.bench import Ran, flow_of, run, run_held, until

OUTPUT = "io.flow_output"


def most_at_once(ran: Ran, node: str) -> int:
    """How many steps of a node were at work at the same time, at most."""
    working = most = 0
    for entry in ran.entries:
        if str(entry.step).endswith(f"/{node}"):
            working += {"step_started": 1, "step_finished": -1}.get(entry.event.kind, 0)
            most = max(most, working)
    return most


@pytest.mark.parametrize("at_once", [1, 2, 5])
async def test_a_map_works_on_as_many_items_at_once_as_it_is_told(at_once: int) -> None:
    nodes = {
        "words": ("value.json", {"value": [1, 2, 3, 4, 5]}),
        "each": ("control.for_each", {"at_once": at_once}),
        "slow": ("control.delay", {"seconds": 0.005}),
        "all": "control.collect",
        "out": OUTPUT,
    }
    wires = [
        "words.value -> each.items",
        "each.item -> slow.value",
        "slow.value -> all.value",
        "all.values -> out.value",
    ]
    ran = await run(flow_of(nodes, wires))
    assert ran.outputs == {"out": [1, 2, 3, 4, 5]}
    assert most_at_once(ran, "slow") == at_once


async def test_held_time_does_not_count_against_the_time_limit_of_a_step() -> None:
    async def hold_for_longer(_: Ran, gate: DebugGate) -> None:
        await until(lambda: bool(gate.held))
        await asyncio.sleep(0.6)
        gate.resume()

    nodes = {"mark": ("text.template", {"template": "{{x}}"}, {"x": "a"}, {"time_limit": 0.5}), "out": OUTPUT}
    flow = flow_of(nodes, ["mark.text -> out.value"])
    ran = await run_held(flow, hold_for_longer, "mark")
    assert ran.outputs == {"out": "a"}


@pytest.mark.parametrize("at_once", [1, 2, 4])
async def test_a_run_lets_as_many_steps_work_at_once_as_it_is_told(at_once: int) -> None:
    most = 0
    nodes = {f"slow_{n}": ("control.delay", {"seconds": 0.003}, {"value": str(n)}) for n in range(4)}
    wires = [f"slow_{n}.value -> all.parts[{n}]" for n in range(4)]
    flow = flow_of({**nodes, "all": "text.join", "out": OUTPUT}, [*wires, "all.text -> out.value"])
    ran = await run(flow, limits={"at_once": at_once})
    working = 0
    for entry in ran.entries:
        if entry.step.startswith("slow"):
            working += {"step_started": 1, "step_finished": -1}.get(entry.event.kind, 0)
            most = max(most, working)
    assert most == at_once
    assert ran.outputs == {"out": "0\n1\n2\n3"}


async def test_loops_and_maps_take_no_turn_from_the_steps_inside_them() -> None:
    nodes = {
        "words": ("value.json", {"value": [[1, 2], [3]]}),
        "outer": "control.for_each",
        "inner": "control.for_each",
        "rounds": ("control.loop", {"max_rounds": 2}),
        "wait": ("control.delay", {"seconds": 0}),
        "some": "control.collect",
        "all": "control.collect",
        "out": OUTPUT,
    }
    wires = [
        "words.value -> outer.items",
        "outer.item -> inner.items",
        "inner.item -> rounds.start",
        "rounds.value -> wait.value",
        "wait.value -> rounds.again",
        "rounds.result -> some.value",
        "some.values -> all.value",
        "all.values -> out.value",
    ]
    assert (await run(flow_of(nodes, wires), limits={"at_once": 1})).outputs == {"out": [[1, 2], [3]]}


async def test_a_step_that_is_cancelled_while_it_waits_for_a_turn_gives_none_back() -> None:
    stops = Stops()

    async def cancel_the_waiting(ran: Ran) -> None:
        await until(lambda: len(ran.steps("step_started")) == 1 and len(ran.steps("step_ready")) == 3)
        waiting = sorted(set(ran.steps("step_ready")) - set(ran.steps("step_started")))
        assert stops.cancel(waiting[0])

    policy = {"on_error": "default", "default": "-"}
    nodes = {f"slow_{n}": ("control.delay", {"seconds": 0.01}, {"value": "+"}, policy) for n in range(3)}
    wires = [f"slow_{n}.value -> all.parts[{n}]" for n in range(3)]
    flow = flow_of({**nodes, "all": "text.join", "out": OUTPUT}, [*wires, "all.text -> out.value"])
    ran = await run(flow, limits={"at_once": 1}, stops=stops, while_running=cancel_the_waiting)
    assert sorted(ran.outputs["out"].split("\n")) == ["+", "+", "-"]
    working = most = 0
    for entry in ran.entries:
        working += {"step_started": 1, "step_finished": -1}.get(entry.event.kind, 0) * (
            entry.step in ran.steps("step_started")
        )
        most = max(most, working)
    assert most == 1


@pytest.mark.parametrize("limit", [0, -1, 1.5])
def test_a_number_of_steps_at_once_that_makes_no_sense_is_refused(limit: float) -> None:
    with pytest.raises(UsageError, match="at_once"):
        read_limits({"at_once": limit}, "The call")
