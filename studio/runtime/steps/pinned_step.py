"""The step of a node that a run does not execute: it gives what is pinned to it, or is left out."""

from studio.flow.ports import THEN
from studio.ids import step_id
from studio.runtime.failures import DROPPED, DroppedStep
from studio.runtime.gates.debug_gate import Gate, ref_of
from studio.runtime.limits.cancellations import Stops
from studio.runtime.plans.plan import NotExecuted, PlannedNode
from studio.runtime.recorder import Recorder
from studio.runtime.state.frame import Frame
from studio.runtime.steps.outputs import DONE, restored, skip
from studio.runtime.values import FLOW, shown_all
from studio.trace.events import OutputsPinned, StepFinished, StepReady

NOT_NEEDED = "all of its outputs are pinned"
"""Why a step did not happen that lies before pinned ones."""


async def give_pinned(
    reason: NotExecuted, node: PlannedNode, frame: Frame, recorder: Recorder, gate: Gate, stops: Stops
) -> None:
    """Leave what is pinned to `node` in `frame`, or nothing where nothing needs it."""
    pin = reason.pin
    if pin is None:
        skip(recorder, node, frame, NOT_NEEDED)
        return
    step = step_id(frame.scope, node.id)
    recorder.record(StepReady(), step, frame.step)
    if not gate.is_open:
        try:
            await stops.watch(step, gate.before(ref_of(node, frame), {}))
        except DroppedStep:
            skip(recorder, node, frame, DROPPED)
            return
    recorder.record(OutputsPinned(pin.run, pin.step, pin.edited), step, frame.step)
    outputs = restored(node, pin.values, FLOW)
    past = frame.layer().past
    if past is not None and past.course is not None:
        await past.course.turn(step, "step_finished")
    if not gate.is_open:
        outputs = await stops.watch(step, gate.after(ref_of(node, frame), outputs))
    recorder.record(StepFinished(shown_all(outputs)), step, frame.step)
    outputs[THEN] = DONE
    frame.values[node.id] = outputs
