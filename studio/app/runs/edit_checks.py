"""Whether what a person puts in the place of a held step's value fits there."""

from studio.app.runs.live_run import LiveRun
from studio.errors import ValueTypeError
from studio.flow.ports import ANY, PortType
from studio.flow.records import Json
from studio.ids import StepId, step_parts
from studio.runtime.gates.call_edits import read_call_edit
from studio.runtime.gates.step_ref import Phase
from studio.runtime.gates.value_edits import settable, type_at
from studio.sdk.registry import Registry
from studio.sdk.values import from_plain
from studio.trace.fold.state import StepState
from studio.workspace.runs import bound


def phase_of(step: StepState) -> Phase:
    """On which side of its work a step is held."""
    return "before" if step.held_phase == "before" else "after"


def type_of_edit(run: LiveRun, registry: Registry, step: StepId, port: str) -> PortType:
    """The type that an edited value must have: an input's before the step ran, an output's after."""
    phase = phase_of(run.state.steps[step])
    return type_at(run.flow, bound(registry, run.flows), step, port, phase) or ANY


def unset_ports(run: LiveRun, registry: Registry, step: StepId) -> list[str]:
    """The ports of a held step that have no value, and could be given one; none of a call."""
    state = run.state.steps[step]
    if step_parts(step)[2]:
        return []
    phase, library = phase_of(state), bound(registry, run.flows)
    known = state.inputs if phase == "before" else state.outputs
    found = (one for one in settable(run.flow, library, step) if one not in known)
    return [one for one in found if type_at(run.flow, library, step, one, phase) is not None]


def check_edit(run: LiveRun, registry: Registry, step: StepId, port: str, plain: Json) -> str:
    """Say why a value does not fit the port of a held step or call; empty where it does."""
    state = run.state.steps[step]
    call = step_parts(step)[2]
    try:
        if call:
            read_call_edit(call, port, phase_of(state), plain, state.held_schema)
        else:
            from_plain(plain, type_of_edit(run, registry, step, port))
    except ValueTypeError as error:
        return error.message
    return ""
