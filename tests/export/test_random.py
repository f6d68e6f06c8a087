"""Random flows give as scripts what the engine gives, and do to the world what it does."""

from hypothesis import assume, given, reject, settings

from studio.errors import ExportError
from tests.examples import examples
from tests.export.random_flows import Followed, follow
from tests.reference.clock import run_virtually
from tests.reference.generator import Case, cases
from tests.reference.meaning import meant
from tests.reference.probes import World
from tests.reference.profile import random_flows
from tests.reference.running import Setup, run_case


def followed(case: Case) -> Followed:
    """Run the flow's script; rejects a flow that has none."""
    try:
        return follow(case)
    except ExportError:
        assert "control.race" in case.kinds
        reject()  # only races between calls that begin together have a script form


def heard(world: World) -> tuple[list[str], list[str]]:
    """What the language model and the tools were asked, and what was changed, in no order."""
    return sorted(one.rpartition(": ")[2] for one in world.bought), sorted(world.changes)


@settings(random_flows, deadline=None, max_examples=examples(40))
@given(cases(most_crossings=2))
def test_a_random_flow_gives_as_a_script_what_the_engine_gives(case: Case) -> None:
    assume(not case.is_refused)
    result, setup = meant(case), Setup()
    ran = run_virtually(run_case(case, setup=setup))
    assert ran.outcome is not None
    script = followed(case)
    if ran.outcome.error is None:
        assert (script.ended.code, script.error) == (0, "")
        assert script.ended.outputs == dict(ran.outcome.outputs)
        assert heard(script.world) == heard(setup.world)
    else:  # where several steps fail, whichever is first may be blamed
        assert script.ended.code == 1
        blamed = tuple(f"{type(one).__name__}: {one.message}" for one in result.errors.values())
        assert script.error.startswith(blamed)
