"""A question to a person as a child step."""

from collections.abc import Mapping

from studio.runtime.calls.child_steps import ChildSteps
from studio.runtime.values import USER
from studio.sdk.context import Form
from studio.trace.events import ApprovalAsked, ApprovalGiven


async def ask_person(children: ChildSteps, form: Form, *, anew: bool) -> Mapping[str, object]:
    """Have a form filled; `anew`, what was answered in an earlier run does not count."""
    step = children.begin("ask")
    asked = ApprovalAsked(str(form.question), dict(form.schema))
    children.record(asked, step)
    with children.failures(step):
        answered = None if anew else await children.earlier(step, asked)
        if isinstance(answered, ApprovalGiven):
            answer = answered.answer
        else:
            answer = await children.services.people.ask(step, form)
    children.record(ApprovalGiven(dict(answer)), step)
    await children.recorder.committed()
    children.take_in(USER)
    return answer
