"""A step of a run becomes a case: what it read is what it is given, and what it gave is expected of it."""

from studio.errors import UsageError
from studio.experiments.cases.case_files import Case, Expected
from studio.flow.records import CallingLibrary, Flow
from studio.flow.subflows.alone import why_not_alone
from studio.ids import RunId
from studio.trace.events.calls import MADE_UP_LABEL
from studio.trace.fold.steps import StepState, StepStatus


def case_of(step: StepState, run: RunId, flow: Flow, name: str, library: CallingLibrary) -> Case:
    """Make a case of a step that is done; `flow` is the one that its node stands in, called `name`.

    Raises `UsageError` for a call, a step that gave nothing, and a node that means nothing alone.
    """
    if step.call:
        raise UsageError("A call is part of a step; turn that step into a case.")
    if step.status is not StepStatus.DONE:
        raise UsageError("Only a finished step can be turned into a case with expectations.")
    reason = why_not_alone(flow, step.node, library)
    if reason:
        raise UsageError(reason)
    signature = library.signature(flow.nodes[step.node])
    ports = [one.name for one in signature.outputs if not one.type.is_binding] if signature else []
    return Case(
        step.node,
        name,
        step.node,
        {port: one.data for port, one in step.inputs.items()},
        {port: Expected(one.data) for port, one in step.outputs.items()},
        tuple(one for one in ports if one not in step.outputs),
        run,
        step.id,
        any(MADE_UP_LABEL in one.labels for one in (*step.inputs.values(), *step.outputs.values())),
    )
