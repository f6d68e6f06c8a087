"""What a run that is busy lets others do meanwhile, and what it still begins once it is stopped."""

import asyncio
import contextlib
from collections import Counter
from itertools import pairwise
from math import inf

import pytest

from studio.flow.records import Flow
from studio.runtime import breath
from tests.runtime.bench import Ran, flow_of, run, until

OUT = "io.flow_output"
WAYS = ("control.branch", {"cases": [{"label": "More", "when": "value > 0"}, {"label": "Done"}]})


def branching(calls: int) -> Flow:
    """A flow that calls itself so many times, with one less, until nothing is left."""
    nodes = {
        "left": ("io.flow_input", {"type": "number", "default": 6}),
        "which": WAYS,
        "less": ("value.formula", {"formula": "x - 1"}),
    }
    wires = ["left.value -> which.value", "which.more -> less.x", "which.done -> end.value"]
    for one in range(calls):
        nodes[f"call_{one}"] = ("control.subflow", {"flow": "branching.json", "max_depth": 10})
        wires.append(f"less.value -> call_{one}.left")
    return flow_of({**nodes, "end": OUT}, wires)


ITEMS = flow_of(
    {
        "list": ("value.json", {"value": list(range(200))}),
        "each": ("control.for_each", {"at_once": 200}),
        "one": ("value.formula", {"formula": "x + 1"}),
        "two": ("value.formula", {"formula": "x + 1"}),
        "all": "control.collect",
        "out": OUT,
    },
    [
        "list.value -> each.items",
        "each.item -> one.x",
        "one.value -> two.x",
        "two.value -> all.value",
        "all.values -> out.value",
    ],
)


async def begun_by_turn(flow: Flow) -> list[int]:
    """How many steps began in each turn of the event loop."""
    begun = [0]

    async def count(ran: Ran) -> None:
        while not {"run_finished", "run_failed"} & {entry.event.kind for entry in ran.entries[-1:]}:
            begun.append(len(ran.steps("step_ready")))
            await asyncio.sleep(0)

    await run(flow, while_running=count)
    return [after - before for before, after in pairwise(begun)]


async def test_however_many_steps_are_ready_few_begin_in_one_turn_of_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(breath, "BREATH", -1)  # as if each turn took too long
    assert max(await begun_by_turn(ITEMS)) <= breath.MOST


async def test_steps_that_take_no_time_begin_without_waiting_in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breath, "BREATH", inf)
    assert max(await begun_by_turn(ITEMS)) >= 200


@pytest.mark.parametrize("limits", [{}, {"seconds": 600.0}])
async def test_nothing_begins_in_a_recursion_once_its_run_is_stopped(limits: dict[str, float]) -> None:
    ran, flow = Ran(), branching(3)
    task = asyncio.create_task(run(flow, flows={"branching.json": flow}, ran=ran, limits=limits))
    await until(lambda: len(ran.entries) > 300)
    begun = len(ran.steps("step_ready"))
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert len(ran.steps("step_ready")) == begun
    told = Counter(ran.steps("step_cancelled"))
    assert max(told.values()) == 1
    assert not [step for step, one in ran.state.steps.items() if not one.status.is_final]
