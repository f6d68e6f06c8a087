"""What the engine does at the same time a script does at the same time, each step at the same moment."""

import pytest
from hypothesis import assume, given, settings

from tests.examples import examples
from tests.export.moments import watched
from tests.export.tables import overlap, races
from tests.reference.generator import Case, cases
from tests.reference.meaning import meant
from tests.reference.profile import random_flows

TIMED = {
    **{f"overlap: {name}": one for name, one in overlap.TIMED.items()},
    **{f"races: {name}": one for name, one in races.TIMED.items()},
}


@pytest.mark.parametrize("name", TIMED)
def test_a_script_overlaps_what_the_engine_overlaps(name: str) -> None:
    flow, seconds = TIMED[name]
    for word in ("a", ""):
        both = watched(Case(flow, {"word": word}))
        assert both.differences() == []
        assert both.in_script.over == seconds or not word


@settings(random_flows, deadline=None, max_examples=examples(40))
@given(cases(most_crossings=2))
def test_each_step_of_a_random_flow_comes_when_it_does_in_the_engine(case: Case) -> None:
    assume(not case.is_refused and "control.race" not in case.kinds)  # those are in the table
    meant(case)
    both = watched(case)
    assert both.in_script.over == both.in_engine.over
    if not any(
        entry.event.kind == "step_failed" for entry in both.engine.entries
    ):  # who fails at once stops others or not
        assert sorted(both.in_script.spoke) == sorted(both.in_engine.spoke)
