"""What a step hands over that calls a flow, or a tool that runs one."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from studio.ids import NodeId, Scope, StepId, step_id
from studio.runtime.calls.call_place import Place
from studio.runtime.failures import Ending
from studio.runtime.plans.plan import PlannedNode
from studio.runtime.services import Services
from studio.runtime.state.frame import Frame, inner_lane
from studio.runtime.values import Resolved, Value


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a flow: its steps stand in `scope`, inside `step`.

    `frame` is the frame of the step that calls, `services` are those of the flow's own steps, and `ending` is
    told where the call fails. `title` and `max_depth` are of the node that names the flow.
    """

    flow: str
    title: str
    max_depth: int
    scope: Scope
    step: StepId
    lane: str
    frame: Frame
    inputs: Mapping[str, Value]
    ending: Ending
    services: Services
    is_caught: bool = False
    """Whether the step that calls takes in what fails there."""


CallFlow: TypeAlias = Callable[[Call], Awaitable[dict[str, Resolved]]]
"""Runs the flow; gives its outputs by name."""


def call_by_step(
    node: PlannedNode,
    frame: Frame,
    inputs: Mapping[str, Value],
    attempt: int,
    ending: Ending,
    services: Services,
) -> Call:
    """The call that one attempt of a step makes; `services` are those of the flow that calls."""
    name = str(node.settings["flow"])
    return Call(
        name,
        node.title,
        int(node.settings["max_depth"]),
        Scope(step_id(frame.scope, node.id, attempt=attempt)),
        step_id(frame.scope, node.id),
        inner_lane(frame, node.id),
        frame,
        inputs,
        ending,
        _paid_by(services, node.id, name),
        takes_in(node, attempt),
    )


def takes_in(node: PlannedNode, attempt: int) -> bool:
    """Whether a failure of an attempt is mended: tried again, or taken in by a policy or further on."""
    return attempt <= node.run.retries or node.run.on_error != "fail" or node.is_sheltered


def call_by_tool(
    lender: PlannedNode, name: str, max_depth: int, place: Place, inputs: Mapping[str, Value]
) -> Call:
    """The call that a tool makes which `lender` lends; its steps stand in the scope of both."""
    home = place.home
    return Call(
        name,
        lender.title,
        max_depth,
        Scope(step_id(place.scope, lender.id)),
        place.step,
        f"{place.lane}/{lender.id}",
        home.frame,
        inputs,
        Ending(place.services.recorder, place.step, lender.id, home.step),
        _paid_by(place.services, lender.id, name),
    )


def _paid_by(services: Services, caller: NodeId, name: str) -> Services:
    budget = services.budget
    return services if budget is None else replace(services, budget=budget.inside(caller, name))
