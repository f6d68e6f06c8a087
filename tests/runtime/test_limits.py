"""How much happens at once, and what counts as the time of a step."""

import asyncio

import pytest

from studio.runtime.gate import DebugGate
from studio.runtime.recorder import Recorder
from tests.runtime.bench import Ran, flow_of, run, until

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
    gates: list[DebugGate] = []

    def make(recorder: Recorder) -> DebugGate:
        gates.append(DebugGate(recorder, ["mark"]))
        return gates[0]

    async def hold_for_longer(_: Ran) -> None:
        await until(lambda: bool(gates and gates[0].held))
        await asyncio.sleep(0.6)
        gates[0].resume()

    nodes = {"mark": ("text.template", {"template": "{{x}}"}, {"x": "a"}, {"time_limit": 0.5}), "out": OUTPUT}
    flow = flow_of(nodes, ["mark.text -> out.value"])
    ran = await run(flow, make_gate=make, while_running=hold_for_longer)
    assert ran.outputs == {"out": "a"}
