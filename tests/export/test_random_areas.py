"""Random flows whose loops and maps have limits and policies, and whose steps write, end as in the engine."""

from hypothesis import assume, given, settings

from tests.examples import examples
from tests.export.random_flows import follow
from tests.export.widened_flows import left_behind, remembered, with_areas, with_memories, with_variables
from tests.reference.clock import run_virtually
from tests.reference.generator import Case, cases
from tests.reference.profile import random_flows
from tests.reference.running import run_case
from tests.runtime.bench import Ran

UNSETTLED = "control.race"
"""What hangs on time alone, in which a script may differ."""


def ran_in_engine(case: Case) -> Ran:
    """Run the flow; leaves out what breaks the rules, or is not settled."""
    assume(UNSETTLED not in case.kinds and not case.is_refused)
    return run_virtually(run_case(case))


@settings(random_flows, deadline=None, max_examples=examples(30))
@given(with_areas(cases(most_crossings=2)))
def test_limits_and_policies_of_areas_hold_in_scripts_of_random_flows(case: Case) -> None:
    ran = ran_in_engine(case)
    assert ran.outcome is not None
    script = follow(case)
    assert script.ended.code == (0 if ran.outcome.error is None else 1), script.error
    if ran.outcome.error is None:
        assert script.ended.outputs == dict(ran.outcome.outputs)


@settings(random_flows, deadline=None, max_examples=examples(30))
@given(with_variables(cases(most_crossings=2)))
def test_random_flows_leave_the_same_in_variables_as_scripts(case: Case) -> None:
    assume("value.state_set" in case.kinds)
    ran = ran_in_engine(case)
    assert ran.outcome is not None
    assume(ran.outcome.error is None)
    assert left_behind(case) == {name: one.data for name, one in ran.state.variables.known.items()}


@settings(random_flows, deadline=None, max_examples=examples(30))
@given(with_memories(cases(most_crossings=2)))
def test_random_flows_leave_the_same_in_memories_as_scripts(case: Case) -> None:
    assume("test.keeper" in case.kinds)
    ran = ran_in_engine(case)
    assert ran.outcome is not None
    assume(ran.outcome.error is None)
    written = ran.state.memories.written
    assert remembered(case) == {
        name: {str(key): one.item.data["text"] for key, one in items.items()}
        for name, items in written.items()
    }
