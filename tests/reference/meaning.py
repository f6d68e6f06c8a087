"""What a random flow means, where that is settled."""

from hypothesis import assume, reject

from tests.reference.generator import Case
from tests.reference.interpreter import Edits, Interpreter, NotSettledError, Result


def meant(case: Case, edits: Edits | None = None) -> Result:
    """What the reference makes of a flow; rejects one that breaks the rules, or leaves the result open."""
    assume(not case.is_refused)
    try:
        return Interpreter(case.flow, case.given, edits, case.flows).run()
    except NotSettledError:
        reject()
