"""Random flows mean the same to the engine as to the reference."""

from hypothesis import assume, given, reject

from studio.flow.checks.check import check, errors_of
from tests.reference.clock import run_virtually
from tests.reference.faults import faults_of
from tests.reference.generator import Case, cases
from tests.reference.interpreter import Interpreter, NotSettledError
from tests.reference.profile import random_flows
from tests.reference.running import differences, run_case


def assert_equal(case: Case) -> None:
    """Run the flow both ways and compare every step."""
    try:
        result = Interpreter(case.flow, case.given, flows=case.flows).run()
    except NotSettledError:
        reject()
    ran = run_virtually(run_case(case))
    assert differences(ran, result) == []


@random_flows
@given(cases())
def test_well_nested_flows_run_as_the_reference_says(case: Case) -> None:
    assume(not case.is_refused)
    assert_equal(case)


@random_flows
@given(cases(most_crossings=3))
def test_whatever_check_lets_pass_runs_as_the_reference_says(case: Case) -> None:
    if not case.is_refused:
        assert_equal(case)


@random_flows
@given(cases(most_crossings=4, of_ten_broken=4))
def test_check_refuses_what_the_definitions_forbid_and_nothing_else(case: Case) -> None:
    faults = faults_of(case.flow)
    codes = {one.code for one in errors_of(check(case.flow, case.registry))}
    assert bool(faults) == bool(codes), (faults, codes)
