"""Random flows whose loops and maps have limits and policies, and whose steps write, end as in the engine."""

from typing import Any

from hypothesis import assume, given, settings

from tests.examples import examples
from tests.export.equality import played
from tests.export.widened_flows import with_areas, with_memories, with_variables
from tests.reference.clock import run_virtually
from tests.reference.generator import Case, cases
from tests.reference.profile import random_flows
from tests.reference.running import run_case
from tests.runtime.bench import Ran

UNSETTLED = "control.race"
"""What hangs on time alone, in which a script may differ."""


def both(case: Case) -> tuple[Ran, Ran]:
    """Run the flow in the engine and as its script; leaves out what breaks the rules, or is not settled."""
    assume(UNSETTLED not in case.kinds and not case.is_refused)
    ran = run_virtually(run_case(case))
    script, _ = played(case, run_virtually)
    assert ran.outcome is not None
    assert script.outcome is not None
    if ran.outcome.error is None:
        assert script.outcome.error is None
        assert dict(script.outcome.outputs) == dict(ran.outcome.outputs)
    return ran, script


@settings(random_flows, deadline=None, max_examples=examples(40))
@given(with_areas(cases(most_crossings=2)))
def test_limits_and_policies_of_areas_hold_in_scripts_of_random_flows(case: Case) -> None:
    ran, script = both(case)
    assert ran.outcome is not None
    assert script.outcome is not None
    assert (script.outcome.error is None) == (ran.outcome.error is None)


@settings(random_flows, deadline=None, max_examples=examples(40))
@given(with_variables(cases(most_crossings=2)))
def test_random_flows_leave_the_same_in_variables_as_scripts(case: Case) -> None:
    assume("value.state_set" in case.kinds)
    ran, script = both(case)
    assume(ran.outcome is not None and ran.outcome.error is None)
    one, other = (
        {name: said.data for name, said in it.state.variables.known.items()} for it in (ran, script)
    )
    assert other == one


@settings(random_flows, deadline=None, max_examples=examples(40))
@given(with_memories(cases(most_crossings=2)))
def test_random_flows_leave_the_same_in_memories_as_scripts(case: Case) -> None:
    assume("test.keeper" in case.kinds)
    ran, script = both(case)
    assume(ran.outcome is not None and ran.outcome.error is None)
    # Where a called flow fails and that is caught, what begins in the same moment in it has written or not.
    failed = [str(one.step) for one in ran.entries if one.event.kind == "step_failed"]
    assume(not any(case.node(step).kind == "control.subflow" for step in failed))
    assert remembered(script) == remembered(ran)


def remembered(ran: Ran) -> list[list[Any]]:
    """What each memory has; those of called flows are named after their functions."""
    written = ran.state.memories.written
    return sorted(sorted(one.item.data["text"] for one in items.values()) for items in written.values())
