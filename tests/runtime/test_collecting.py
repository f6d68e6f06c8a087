"""How often garbage is looked for while runs go on."""

import gc

from studio.runtime.collecting import OFTEN, seldom_collected
from tests.runtime.bench import Ran, flow_of, run, until

FLOW = flow_of(
    {"slow": ("control.delay", {"seconds": 0}, {"value": "a"}), "out": "io.flow_output"},
    ["slow.value -> out.value"],
)


async def test_garbage_is_looked_for_seldom_while_a_run_goes_on_and_as_before_afterwards() -> None:
    before = gc.get_threshold()
    seen: list[int] = []

    async def look(ran: Ran) -> None:
        await until(lambda: "slow" in ran.steps("step_started"))
        seen.append(gc.get_threshold()[0])

    await run(FLOW, while_running=look)
    assert seen == [max(OFTEN, before[0])]
    assert gc.get_threshold() == before


def test_it_is_looked_for_seldom_until_the_last_of_several_runs_has_ended() -> None:
    before = gc.get_threshold()
    first, second = seldom_collected(), seldom_collected()
    with first:
        second.__enter__()
    assert gc.get_threshold()[0] == max(OFTEN, before[0])
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before


def test_where_it_is_switched_off_it_stays_so() -> None:
    before = gc.get_threshold()
    gc.set_threshold(0, *before[1:])
    try:
        with seldom_collected():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
