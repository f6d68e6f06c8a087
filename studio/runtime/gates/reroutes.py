"""The other ways that what a held step gives can be sent.

What leaves at one output can be sent to another, before the step's work too.
"""

from collections.abc import Collection

from studio.errors import UsageError
from studio.flow.ports import Port, PortType, Structure
from studio.flow.records import CallingLibrary, Flow, Socket
from studio.flow.structure.graph import read_signatures
from studio.flow.subflows.calls import flow_at
from studio.ids import StepId, step_parts
from studio.runtime.gates.step_ref import Phase
from studio.runtime.gates.value_edits import held_type


def other_cases(
    flow: Flow, library: CallingLibrary, step: StepId, phase: Phase, given: Collection[str] = ()
) -> list[Port]:
    """The outputs that a held step's value could leave at instead, in their order.

    Before its work those of a step that chooses one of several cases; after it, those that give nothing and
    take what one of the `given` outputs has.
    """
    scope, node, call, _ = step_parts(step)
    found = flow_at(flow, library, scope)
    signature = read_signatures(found, library).get(node) if found is not None and not call else None
    if found is None or signature is None:
        return []
    if phase == "before":
        is_choosing = signature.structure is Structure.BRANCH and len(signature.outputs) > 1
        return list(signature.outputs) if is_choosing else []
    types: dict[str, PortType | None] = {
        port.name: held_type(found, library, Socket(node, port.name), "after") for port in signature.outputs
    }
    taken = {kind for port, kind in types.items() if port in given and kind is not None}
    return [port for port in signature.outputs if port.name not in given and types[port.name] in taken]


def refuse_case(
    flow: Flow, library: CallingLibrary, step: StepId, port: str, phase: Phase | None, given: Collection[str]
) -> None:
    """Raise `UsageError` where what a held step gives cannot leave at `port`."""
    if phase is None:
        raise UsageError(f"The step `{step}` is no longer paused.")
    if port not in {one.name for one in other_cases(flow, library, step, phase, given)}:
        raise UsageError(f"The output of `{step}` cannot be sent to `{port}`.")
