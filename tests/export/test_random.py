"""Random flows give as scripts what the engine gives, do what it does, and tell of the same steps."""

from collections.abc import Sequence

from hypothesis import assume, given, settings

from studio.trace.events import Entry
from tests.examples import examples
from tests.export.equality import played, unlike_steps
from tests.reference.clock import run_virtually
from tests.reference.generator import Case, cases
from tests.reference.meaning import meant
from tests.reference.probes import World
from tests.reference.profile import random_flows
from tests.reference.running import Setup, run_case


def heard(world: World) -> tuple[list[str], list[str]]:
    """What the language model and the tools were asked, and what was changed, in no order."""
    return sorted(one.rpartition(": ")[2] for one in world.bought), sorted(world.changes)


def unlike(engine: Sequence[Entry], script: Sequence[Entry]) -> list[str]:
    """Steps that gave something else; where one fails its item, what is beside it may not come to pass."""
    fails = any(one.event.kind == "step_failed" for one in engine)
    found = unlike_steps(engine, script)
    return [one for one in found if not (fails and one.endswith(": only the engine has it"))]


@settings(random_flows, deadline=None, max_examples=examples(60))
@given(cases(most_crossings=2))
def test_a_random_flow_gives_as_a_script_what_the_engine_gives(case: Case) -> None:
    assume(not case.is_refused)
    result, setup = meant(case), Setup()
    ran = run_virtually(run_case(case, setup=setup))
    script, world = played(case, run_virtually)
    assert ran.outcome is not None
    assert script.outcome is not None
    if ran.outcome.error is None:
        assert script.outcome.error is None
        assert dict(script.outcome.outputs) == dict(ran.outcome.outputs)
        assert heard(world) == heard(setup.world)
        assert unlike(ran.entries, script.entries) == []
    else:  # where several steps fail, whichever is first may be blamed
        assert script.outcome.error is not None
        assert any(one.message in script.outcome.error.message for one in result.errors.values())
