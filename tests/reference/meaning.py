"""What a random flow means, where that is settled."""

from hypothesis import assume, reject

from studio.flow.check import check, errors_of
from tests.reference.generator import Case
from tests.reference.interpreter import Edits, Interpreter, NotSettledError, Result
from tests.reference.probes import PROBES


def meant(case: Case, edits: Edits | None = None) -> Result:
    """What the reference makes of a flow; rejects one that breaks the rules, or leaves the result open."""
    assume(not errors_of(check(case.flow, PROBES)))
    try:
        return Interpreter(case.flow, case.given, edits).run()
    except NotSettledError:
        reject()
