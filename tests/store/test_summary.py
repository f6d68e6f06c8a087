"""What lists of runs show agrees with the fold, in runs that go on after they ended too early as well."""

import pytest

from studio.store.summary import Tally
from studio.trace.events import (
    Entry,
    RunContinued,
    RunStarted,
    StepCancelled,
    StepFinished,
    StepReady,
    StepStarted,
)
from studio.trace.events.run import Origin
from studio.trace.fold.state import fold
from tests.trace.builders import RUN, numbered

ONCE = [("a", StepReady()), ("a", StepStarted()), ("a", StepFinished())]
BEGUN = [("b", StepReady()), ("b", StepStarted())]


def tallied(entries: list[Entry]) -> Tally:
    tally = Tally(RUN)
    tally.count_all(entries)
    return tally


@pytest.mark.parametrize("end", [[], [("b", StepCancelled())]])
@pytest.mark.parametrize("times", [1, 2])
def test_a_step_that_begins_again_in_a_run_that_goes_on_counts_once(end: list[object], times: int) -> None:
    entries = numbered(
        RunStarted("f", ""), *ONCE, *BEGUN, *end, *[RunContinued(), *BEGUN] * times, ("b", StepFinished())
    )
    state = fold(entries)
    begun = [step for step in state.steps.values() if step.started is not None and not step.call]
    assert tallied(entries).summary.steps == len(begun) == 2
    for cut in range(len(entries)):
        parts = tallied(entries[:cut])
        parts.count_all(entries[cut:])
        assert parts.summary == tallied(entries).summary


def test_lists_of_runs_say_which_faults_were_injected_and_what_a_fork_has_otherwise() -> None:
    faults = ({"fault": "fail", "at": "critic"}, {"fault": "delay", "at": "search", "value": 2})
    told = ["Injected fault: fail critic.", "Injected fault: delay search."]
    plain = tallied(numbered(RunStarted("f", "", faults=faults))).summary
    assert plain.changes.splitlines() == told
    origin = Origin("r", "a", changes=("Set `a.b` to 1.",))
    fork = tallied(numbered(RunStarted("f", "", forked_from=origin, faults=faults))).summary
    assert fork.changes.splitlines() == ["Set `a.b` to 1.", *told]
    assert tallied(numbered(RunStarted("f", ""))).summary.changes == ""
