"""The flows that steps call: each is planned when it is first called, and runs in a frame of its own.

What its binding nodes lend is opened at first use and kept for all calls of the run, those that a flow makes
of itself included.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Self

from studio.errors import StepError
from studio.flow.ports import Structure
from studio.ids import NodeId, Scope, is_called, slug, step_id
from studio.runtime.bindings import Bindings
from studio.runtime.calling import Call
from studio.runtime.failures import StepFailure, first_cause
from studio.runtime.frame import Frame
from studio.runtime.gate import Gate, StepRef
from studio.runtime.plan import Plan
from studio.runtime.planning import make_plan
from studio.runtime.scheduler import Scheduler
from studio.runtime.services import Services
from studio.runtime.step import StepRunner
from studio.runtime.turns import Turns
from studio.runtime.values import ABSENT, FLOW, Resolved, Value
from studio.sdk.registry import Registry
from studio.sdk.values import from_plain


class CalledFlows:
    """Runs what the steps of one run call. Use as an async context manager."""

    def __init__(self, services: Services, registry: Registry, turns: Turns) -> None:
        """Make it; `registry` has the flows as they were when the run began."""
        self._services = services
        self._registry = registry
        self._turns = turns
        self._plans: dict[str, Plan] = {}
        self._bindings: dict[str, Bindings] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *reason: object) -> None:
        await self._stack.aclose()

    async def run(self, call: Call) -> dict[str, Resolved]:
        """Run the flow that a step calls, to its end; raises the error of the step that failed in it."""
        node, frame = call.node, call.frame
        name = str(node.settings["flow"])
        _refuse_depth(call)
        plan = self._plan(name)
        bindings = await self._bound(name, plan)
        step = step_id(frame.scope, node.id)
        scope = Scope(step_id(frame.scope, node.id, attempt=call.attempt))
        lane = f"{frame.lane}/{node.id}" if frame.lane else str(node.id)
        gate = CalledGate(call.gate, name)
        services = self._inside(call, name, gate)
        steps = StepRunner(services, gate, bindings, _given(plan, call), self._turns, self.run)
        inside = Frame(plan.root, scope, frame, step, lane)
        error = await _error_of(Scheduler(steps, gate, services.recorder).run(inside))
        if isinstance(error, StepFailure):
            call.ending.labels |= error.labels
            call.ending.origin = error.origin
            error = error.error
        if error is not None:
            raise error
        return {output: steps.results.get(NodeId(output), ABSENT) for output in node.outputs}

    def _inside(self, call: Call, name: str, gate: Gate) -> Services:
        budget = call.services.budget
        if budget is not None:
            budget = budget.inside(call.node.id, name)
        return replace(call.services, budget=budget, gate=gate)

    def _plan(self, name: str) -> Plan:
        plan = self._plans.get(name)
        if plan is None:
            plan = self._plans[name] = make_plan(self._registry.flows.flow(name), self._registry)
        return plan

    async def _bound(self, name: str, plan: Plan) -> Bindings:
        known = self._bindings.get(name)
        if known is None:
            # What binding nodes ask stands under the flow's name, for no call of it is theirs alone.
            services = replace(self._services, gate=CalledGate(self._services.gate, name))
            made = Bindings(dict(plan.bindings), services, Scope(slug(name)))
            known = self._bindings[name] = made
            await self._stack.enter_async_context(made)
        return known


async def _error_of(work: Coroutine[None, None, None]) -> Exception | None:
    """Do the work in a task of its own, which begins with an empty stack: calls within calls may be deep."""
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(work)
    except ExceptionGroup as errors:
        return first_cause(errors)
    return None


class CalledGate:
    """The gate, told to which flow the steps belong that come to it."""

    def __init__(self, gate: Gate, flow: str) -> None:
        self._gate = gate
        self._flow = flow

    @property
    def is_open(self) -> bool:
        """Whether steps pass without being asked for."""
        return self._gate.is_open

    def held_seconds(self) -> float:
        """Seconds for which steps have been held so far."""
        return self._gate.held_seconds()

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Wait until the step may start; gives the inputs to use."""
        return await self._gate.before(self._of_flow(ref), inputs)

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Wait until the step's result may be used; gives the outputs to use."""
        return await self._gate.after(self._of_flow(ref), outputs)

    def _of_flow(self, ref: StepRef) -> StepRef:
        return ref if ref.flow else ref._replace(flow=self._flow)


def _refuse_depth(call: Call) -> None:
    around = sum(map(is_called, call.frame.scope.split("/"))) if call.frame.scope else 0
    most = int(call.node.settings["max_depth"])
    if around >= most:
        message = f"This would be call {around + 1} within calls, and `{call.node.title}` allows {most}."
        raise StepError(message, hint="Let the flow end sooner, or allow more calls within calls.")


def _given(plan: Plan, call: Call) -> dict[NodeId, Value]:
    """What the flow's inputs are given: what arrived at the step, or their defaults."""
    given: dict[NodeId, Value] = {}
    for node in plan.root.nodes():
        if node.type.structure is Structure.FLOW_INPUT:
            value = call.inputs.get(node.id)
            if value is None:
                value = Value(from_plain(node.settings["default"], node.outputs["value"]), FLOW)
            given[node.id] = value
    return given
