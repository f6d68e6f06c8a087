"""A part of a flow that Python cannot say readably, run by the engine where the script stands.

    outputs = await region(RACE, question=question)

`RACE` is a flow as its file has it: its flow inputs take the arguments, its flow outputs are given back. Its
steps are named as in the flow, and stand in the scope of the call.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from studio.flow.flow_cache import Known
from studio.flow.ports import Structure
from studio.flow.records import Flow
from studio.ids import NodeId, StepId
from studio.runtime.failures import StepFailure, is_told_failure
from studio.runtime.plans.plan import PlannedNode, PlannedRegion
from studio.runtime.regions.scheduler import Scheduler
from studio.runtime.run import given_values
from studio.runtime.state.frame import Frame
from studio.runtime.steps.step import StepRunner
from studio.runtime.values import ABSENT, Resolved
from studio.script.absence import Outputs, as_given, as_resolved
from studio.script.documents import drawn
from studio.script.no_value import Failure, nothing
from studio.script.place import Place, here
from studio.script.running import Running
from studio.sdk.registry import Registry
from studio.sdk.values import to_plain
from studio.workspace.problems import refuse_errors


class RegionCall:
    """Runs parts of flows that are left as they are drawn: `await region(RACE, question=question)`."""

    def __init__(self, *, passes_on: bool = False) -> None:
        self._passes_on = passes_on

    def on(self, *, on_error: Literal["fail", "pass_on"] = "fail") -> "RegionCall":
        """The same; with `"pass_on"` an output whose step failed is a `Failure`, which steps pass on."""
        return RegionCall(passes_on=on_error == "pass_on")

    async def __call__(self, document: str | Mapping[str, Any], /, **inputs: Any) -> Outputs:
        """Run a flow, given as JSON or its text, where the script stands; gives its outputs by name.

        Raises `FlowProblemsError` for a flow that `stepwire check` refuses, `UsageError` for inputs that do
        not fit, `StepError` for a second step of a name, and what its steps raise.
        """
        place = here()
        running, engine = place.running, place.running.engine
        flow = drawn(document)
        _CHECKED.of(flow, engine.registry)
        given = _given(flow, inputs, place)
        place.settle()
        plan = running.whole(flow, passes_on=self._passes_on)
        for name in _steps(plan.root):
            running.begin(StepId(place.frame.prefix + name))
        _meet(plan.root, place.path, running)
        steps = engine.steps.given(given)
        around = place.frame
        frame = Frame(plan.root, around.scope, around, around.step, lane=around.lane)
        try:
            await Scheduler(steps, engine.gate, engine.services.recorder).run(frame)
        except StepFailure as failure:
            place.lane.labels |= failure.labels
            raise running.fail(failure) from None
        outputs = [one.id for one in plan.root.nodes() if one.type.structure is Structure.FLOW_OUTPUT]
        return Outputs({str(node): _taken(node, steps, place) for node in outputs})


region = RegionCall()
"""Runs a part of a flow that is left as it is drawn; `region.on(on_error="pass_on")` gives failures on."""


def _given(flow: Flow, inputs: Mapping[str, Any], place: Place) -> dict[NodeId, Resolved]:
    """What the flow inputs of a part are given."""
    labels, registry = place.lane.labels, place.running.engine.registry
    missing = {
        name: one
        for name, one in inputs.items()
        if one is nothing
        or isinstance(one, Failure)
        or is_told_failure(one)  # which fits no type, and goes on
    }
    # Of a step as a whole no more is of use than that it happened.
    plain = {
        name: True if isinstance(one, Outputs) else to_plain(one)
        for name, one in inputs.items()
        if name not in missing
    }
    return {
        **given_values(flow, registry, plain, labels, without=missing),
        **{NodeId(name): as_resolved(one, labels) for name, one in missing.items()},
    }


def _check(flow: Flow, registry: Registry) -> bool:
    refuse_errors(flow, registry)
    return True


_CHECKED = Known(_check)


def _steps(region: PlannedRegion) -> Iterator[NodeId]:
    """The nodes that stand where the script stands; what is given and taken are no steps of the script's."""
    for vertex in region.vertices:
        if isinstance(vertex, PlannedRegion):
            yield from (one.id for one in (vertex.owner, *vertex.collects) if one is not None)
        elif vertex.type.structure not in {Structure.FLOW_INPUT, Structure.FLOW_OUTPUT}:
            yield vertex.id


def _meet(region: PlannedRegion, path: str, running: Running) -> None:
    """Tell of all nodes of a region, those further in included."""
    for vertex in region.vertices:
        if isinstance(vertex, PlannedNode):
            running.meet(path + vertex.id, vertex.type.kind, vertex.settings)
        elif vertex.owner is not None:
            _meet(vertex, f"{path}{vertex.owner.id}/", running)


def _taken(node: NodeId, steps: StepRunner, place: Place) -> Any:
    """What one output was given: a value, the failure that arrived there, or nothing."""
    arrived = steps.failed.get(node) or steps.results.get(node, ABSENT)
    taken, place.lane.labels = as_given(arrived, place.lane.labels)
    return taken
