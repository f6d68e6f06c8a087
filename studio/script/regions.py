"""A part of a flow that Python cannot say readably, run by the engine where the script stands.

    outputs = await region(RACE, question=question)

`RACE` is a flow as its file has it: its flow inputs take the arguments, its flow outputs are given back. Its
steps are named as in the flow, and stand in the scope of the call.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from studio.flow import codec
from studio.flow.ports import Structure
from studio.flow.records import Flow
from studio.runtime.failures import StepFailure
from studio.runtime.frame import Frame
from studio.runtime.plan import PlannedNode, PlannedRegion
from studio.runtime.run import given_values
from studio.runtime.scheduler import Scheduler
from studio.runtime.values import Value, apart
from studio.script.place import Place, here
from studio.script.running import Running
from studio.script.steps import Outputs
from studio.sdk.registry import Registry
from studio.sdk.values import to_plain
from studio.workspace.problems import refuse_errors


async def region(document: str | Mapping[str, Any], /, **inputs: Any) -> Outputs:
    """Run a flow, given as JSON or its text, where the script stands; gives its outputs by name.

    Raises `FlowProblemsError` for a flow that `stepwire check` refuses, `UsageError` for inputs that do not
    fit, and what its steps raise.
    """
    place = here()
    running, engine = place.running, place.running.engine
    text = document if isinstance(document, str) else json.dumps(document, sort_keys=True)
    flow = _read(text, engine.registry)
    plain = {name: to_plain(value) for name, value in inputs.items() if value is not None}
    given = given_values(flow, engine.registry, plain, place.lane.labels)
    place.settle()
    plan = running.whole(flow)
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
    return Outputs({str(node): _taken(steps.results.get(node), place) for node in outputs})


@lru_cache(maxsize=16)
def _read(text: str, registry: Registry) -> Flow:
    flow = codec.loads(text).flow
    refuse_errors(flow, registry)
    return flow


def _meet(region: PlannedRegion, path: str, running: Running) -> None:
    """Tell of all nodes of a region, those further in included."""
    for vertex in region.vertices:
        if isinstance(vertex, PlannedNode):
            running.meet(path + vertex.id, vertex.type.kind, vertex.settings)
        elif vertex.owner is not None:
            _meet(vertex, f"{path}{vertex.owner.id}/", running)


def _taken(value: Value | None, place: Place) -> Any:
    if value is None:
        return None
    place.lane.labels |= value.labels
    return apart(value.data)
