"""Random flows give as scripts what the engine gives."""

from hypothesis import assume, given, reject, settings

from studio.errors import ExportError
from studio.flow.check import check, errors_of
from tests.export.random_flows import FOREIGN, follow, without_world
from tests.reference.clock import run_virtually
from tests.reference.generator import Case, cases
from tests.reference.interpreter import Interpreter, NotSettledError
from tests.reference.probes import PROBES
from tests.reference.profile import EXAMPLES, random_flows
from tests.reference.running import run_case


def assert_equal(case: Case) -> None:
    """Run the flow both ways; where several steps fail, whichever is first may be blamed."""
    try:
        result = Interpreter(case.flow, case.given).run()
    except NotSettledError:
        reject()
    ran = run_virtually(run_case(case))
    assert ran.outcome is not None
    try:
        outputs, blamed = run_virtually(follow(case))
    except ExportError:
        assert any(node.kind == "control.race" for node in case.flow.nodes.values())
        reject()  # only races between calls that begin together have a script form
    if ran.outcome.error is None:
        assert (outputs, blamed) == (dict(ran.outcome.outputs), "")
    else:
        assert blamed in {error.message for error in result.errors.values()}


@settings(random_flows, deadline=None, max_examples=min(EXAMPLES, 40))
@given(cases(most_crossings=2))
def test_a_random_flow_gives_as_a_script_what_the_engine_gives(case: Case) -> None:
    case = without_world(case)
    assume(not FOREIGN & {node.kind for node in case.flow.nodes.values()})
    assume(not errors_of(check(case.flow, PROBES)))
    assert_equal(case)
