"""How often garbage is looked for while much is built."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

from studio.flow.checks.check import check
from studio.flow.files import codec
from studio.garbage_collection import MANY, seldom_collected
from studio.runtime.plans.planner import make_plan
from tests.bench.growth_bench import chain
from tests.runtime.bench import REGISTRY, Ran, flow_of, run, until

FLOW = flow_of(
    {"slow": ("control.delay", {"seconds": 0}, {"value": "a"}), "out": "io.flow_output"},
    ["slow.value -> out.value"],
)


@contextmanager
def looks_counted() -> Generator[list[object]]:
    """Give a list that grows by one with each look for garbage."""
    looks: list[object] = []

    def note(phase: str, _: object) -> None:
        if phase == "start":
            looks.append(phase)

    gc.callbacks.append(note)
    try:
        yield looks
    finally:
        gc.callbacks.remove(note)


async def test_garbage_is_looked_for_seldom_while_a_run_goes_on_and_as_before_afterwards() -> None:
    before = gc.get_threshold()
    seen: list[int] = []

    async def look(ran: Ran) -> None:
        await until(lambda: "slow" in ran.steps("step_started"))
        seen.append(gc.get_threshold()[0])

    await run(FLOW, while_running=look)
    assert seen == [max(MANY, before[0])]
    assert gc.get_threshold() == before


def test_a_flow_is_read_checked_and_planned_with_hardly_a_look_for_garbage() -> None:
    made = chain(500)
    flow = flow_of(made["nodes"], made["wires"])
    with looks_counted() as looks:
        flow = codec.loads(codec.dumps(flow)).flow
        assert not check(flow, REGISTRY)
        make_plan(flow, REGISTRY)
    assert len(looks) <= 15  # by default it is 100


def test_it_is_looked_for_seldom_until_the_last_of_several_blocks_has_ended() -> None:
    before = gc.get_threshold()
    first, second = seldom_collected(), seldom_collected()
    with first:
        second.__enter__()
    assert gc.get_threshold()[0] == max(MANY, before[0])
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before


def test_blocks_that_are_open_at_once_each_have_what_they_ask_for() -> None:
    before = gc.get_threshold()
    window = seldom_collected(0, looks=3_000)
    with window:
        assert gc.get_threshold() == (*before[:2], 3_000)
        with seldom_collected():
            assert gc.get_threshold() == (max(MANY, before[0]), before[1], 3_000)
        assert gc.get_threshold() == (*before[:2], 3_000)
    assert gc.get_threshold() == before


def test_where_it_is_switched_off_it_stays_so() -> None:
    before = gc.get_threshold()
    gc.set_threshold(0, *before[1:])
    try:
        with seldom_collected():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
