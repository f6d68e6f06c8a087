"""Random flows with a limit of steps stop there in good order, and go on where there is more."""

from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from studio.runtime.limits.accounts import ledger_of
from studio.runtime.recorder import MemorySink
from studio.runtime.replay.takeover import resumed
from tests.reference.clock import run_virtually
from tests.reference.document import COLLECT, EACH, LOOP, RACE
from tests.reference.generator import Case, cases
from tests.reference.meaning import meant
from tests.reference.probes import World
from tests.reference.profile import random_flows
from tests.reference.running import Setup, differences, run_case
from tests.runtime.bench import Ran


def steps_of(ran: Ran, case: Case) -> int:
    """How many steps began, loops and maps around others left aside."""
    kinds = (case.node(step).kind for step in map(str, ran.steps("step_started")))
    return sum(kind not in {LOOP, EACH, COLLECT} for kind in kinds)


@random_flows
@given(cases(), st.integers(1, 30))
def test_a_run_stops_at_its_limit_and_goes_on_with_more(case: Case, limit: int) -> None:
    expected = meant(case)
    assume(not expected.errors)
    ran, world = Ran(), World()
    run_virtually(run_case(case, ran, Setup(world=world, limits={"steps": limit})))
    assert ran.outcome is not None
    if ran.outcome.error is None:
        assert differences(ran, expected) == []
        return
    assert ran.outcome.error.error == "LimitReachedError"
    assert ran.outcome.error.exit_code == 3
    assert steps_of(ran, case) <= limit
    past, over = resumed(ran.entries, case.flow, case.registry, repeats=True)
    whole = World()
    run_virtually(run_case(case, setup=Setup(world=whole)))
    setup = Setup(
        past=past,
        world=world,
        sink=MemorySink(ran.entries.append),
        after=len(ran.entries),
        quiet=over,
        goes_on=True,
        limits={"steps": 10_000},
        ledger=ledger_of(ran.entries),
    )
    run_virtually(run_case(case, ran, setup))
    if RACE not in case.kinds:
        assert differences(ran, expected) == []
        assert not Counter(whole.bought) - Counter(world.bought)
