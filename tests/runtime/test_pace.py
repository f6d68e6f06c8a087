"""What a run that is busy lets others do meanwhile, and what it still begins once it is stopped."""

import asyncio
import contextlib
from collections import Counter
from itertools import pairwise
from math import inf
from types import SimpleNamespace

import pytest

from studio.flow.records import Flow
from studio.runtime.limits import pace
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
    monkeypatch.setattr(pace, "BREATH", -1)  # as if each turn took too long
    assert max(await begun_by_turn(ITEMS)) <= pace.MOST


async def test_steps_that_take_no_time_begin_without_waiting_in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "BREATH", inf)
    monkeypatch.setattr(pace.Breath, "draw", None)  # who waits in line fails
    begun = await begun_by_turn(ITEMS)
    assert sum(begun) > 400
    assert len(begun) < 60  # items begin a portion at a time


async def test_a_turn_that_one_run_has_let_others_have_counts_for_all_runs_of_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: now))
    first, second, elsewhere = pace.Breath(), pace.Breath(), pace.Breath()
    for one in (first, second):
        one.belong_to_this_task()
    now = 1.0
    assert first.is_needed()
    assert second.is_needed()
    first.was_drawn()
    assert not second.is_needed()
    assert elsewhere.is_needed()


async def test_of_those_in_line_the_longest_waiting_goes_on_and_with_it_the_most_deeply_nested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pace, "BREATH", inf)
    monkeypatch.setattr(pace, "MOST", 3)
    line, went_on = pace.Breath(), list[tuple[int, int]]()

    async def one(place: int, depth: int) -> None:
        await line.draw(depth)
        went_on.append((place, depth))

    async with asyncio.TaskGroup() as group:
        for place, depth in enumerate((0, 1, 0, 2, 1, 3, 2, 1)):
            group.create_task(one(place, depth))
    assert went_on == [(0, 0), (5, 3), (3, 2), (1, 1), (6, 2), (4, 1), (2, 0), (7, 1)]


async def test_a_recursion_that_branches_and_has_no_end_comes_to_its_limit_before_it_has_begun_thousands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pace, "BREATH", -1)  # as if each turn took too long
    flow = branching(3)  # ten calls deep, 88,572 calls would be as near
    ran = await run(flow, flows={"branching.json": flow}, inputs={"left": 20})
    calls = [step for step in ran.steps("step_started") if "call_" in step.rpartition("/")[2]]
    assert ran.outcome is not None
    assert "allows 10" in str(ran.outcome.error)
    assert len(calls) < 1_000


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
