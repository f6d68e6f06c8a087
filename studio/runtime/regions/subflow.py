"""The flows that steps call: each is planned when it is first called, and runs in a frame of its own.

What its binding nodes lend is opened at first use and kept for all calls of the run, those that a flow makes
of itself included.

A call is a `Frame` of the called flow's own plan inside the step, on the same gate, past, variables, budget
and slots. Its scope is the step's name, attempt included: `each.2/summary/critic`, `summary@2/critic`.
Breakpoints and budgets of nodes in called flows go by the flow's name: `summary.json:critic`. A run keeps the
texts of all flows within its reach in `run_started`, and its registry is bound to those, so that going back
to it needs no files.
"""

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import AsyncExitStack, nullcontext
from dataclasses import replace
from functools import partial
from typing import Self

from studio.errors import CalledFlowError, StepError, ToolError, ValueTypeError
from studio.flow.ports import Structure
from studio.flow.records import Flow, Json
from studio.ids import NodeId, Scope, is_called, slug
from studio.runtime.calls.call_place import UNDER_WAY
from studio.runtime.failures import ENDS_THE_RUN, StepFailure, describe, first_cause
from studio.runtime.gates.attention import Asked
from studio.runtime.gates.debug_gate import Gate, StepRef
from studio.runtime.limits.slots import Turns
from studio.runtime.plans.generated_flows import MadeFlows
from studio.runtime.plans.pinned_plan import Pins, pins_in, with_pins
from studio.runtime.plans.plan import Plan, PlannedNode
from studio.runtime.plans.planner import make_plan
from studio.runtime.regions.scheduler import Scheduler
from studio.runtime.services import Services
from studio.runtime.state.frame import Frame
from studio.runtime.steps.bindings import Bindings
from studio.runtime.steps.flow_calls import Call, call_by_tool
from studio.runtime.steps.step import StepRunner
from studio.runtime.values import ABSENT, FLOW, Resolved, Value, joined
from studio.sdk.flow_tool import flow_effect, flow_parameters, tool_description, tool_name
from studio.sdk.registry import Registry
from studio.sdk.tool import LentFlow
from studio.sdk.values import from_plain, to_plain
from studio.trace.events import PolicyDecided


class CalledFlows:
    """Runs what the steps of one run call. Use as an async context manager."""

    def __init__(self, services: Services, registry: Registry, turns: Turns, pins: Pins) -> None:
        """Make it; `registry` has the flows as they were when the run began."""
        self._pins = pins
        self._services = services
        self._registry = registry
        self._turns = turns
        self._made = MadeFlows(registry)
        self._plans: dict[str, Plan] = {}
        self._bindings: dict[str, Bindings] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *reason: object) -> None:
        await self._stack.aclose()

    async def run(self, call: Call) -> dict[str, Resolved]:
        """Run a flow to its end; raises the error of the step that failed in it."""
        refuse_depth(call)
        plan = self._plan(call.flow)
        bindings = await self._bound(call.flow, plan)
        gate = CalledGate(call.services.gate, call.flow, is_caught=call.is_caught)
        services = replace(call.services, gate=gate)
        steps = StepRunner(services, gate, bindings, _given(plan, call), self._turns, self.run)
        inside = Frame(plan.root, call.scope, call.frame, call.step, call.lane)
        error = await _error_of(Scheduler(steps, gate, services.recorder).run(inside))
        if isinstance(error, StepFailure):
            call.ending.labels |= error.labels
            call.ending.origin = error.origin
            error = error.error
        if error is not None:
            raise error
        outputs = (node.id for node in plan.root.nodes() if node.type.structure is Structure.FLOW_OUTPUT)
        return {output: steps.results.get(output, ABSENT) for output in outputs}

    def lend(self, lender: PlannedNode, asked: str | Mapping[str, Json], max_depth: int) -> LentFlow:
        """Give a flow to run in the call of a tool; one that is a value is checked, and named."""
        name = asked if isinstance(asked, str) else self._made.add(lender.id, asked)
        flow = self._flow(name)
        return LentFlow(
            tool_name(flow, name),
            tool_description(flow, name),
            flow_parameters(flow, self._registry),
            flow_effect(flow, self._registry),
            partial(self._run_for_tool, lender, name, max_depth),
        )

    async def _run_for_tool(
        self, lender: PlannedNode, name: str, max_depth: int, arguments: Mapping[str, object]
    ) -> Mapping[str, Json]:
        place = UNDER_WAY.get()
        if place is None:
            raise StepError(f"`{lender.id}` runs a flow, which only the call of a tool can.")
        given = _arguments(self._plan(name), arguments, place.given)
        call = call_by_tool(lender, name, max_depth, place, given)
        past = self._services.past
        still = nullcontext() if past is None or past.course is None else past.course.idle(place.home.step)
        try:
            with place.home.waiting(), still:
                outputs = await self.run(call)
        except ENDS_THE_RUN:
            raise
        except Exception as error:
            told = describe(error)
            raise CalledFlowError(f"`{name}` failed: {told.message}", hint=told.hint) from error
        finally:
            place.labels |= call.ending.labels
        values = {output: value for output, value in outputs.items() if isinstance(value, Value)}
        place.labels |= joined(values.values())
        return {output: to_plain(value.data) for output, value in values.items()}

    def _flow(self, name: str) -> Flow:
        made = self._made.flows.get(name)
        return self._registry.flows.flow(name) if made is None else made

    def _plan(self, name: str) -> Plan:
        plan = self._plans.get(name)
        if plan is None:
            flow = self._flow(name)
            plan = make_plan(flow, self._registry)
            plan = self._plans[name] = with_pins(plan, flow, self._registry, pins_in(self._pins, name))
        return plan

    async def _bound(self, name: str, plan: Plan) -> Bindings:
        known = self._bindings.get(name)
        if known is None:
            # What binding nodes ask stands under the flow's name, for no call of it is theirs alone.
            services = replace(self._services, gate=CalledGate(self._services.gate, name))
            made = Bindings(dict(plan.bindings), services, self.lend, Scope(slug(name)))
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

    def __init__(self, gate: Gate, flow: str, *, is_caught: bool = False) -> None:
        """Make it; `is_caught` says whether the caller takes in what fails there."""
        self._gate = gate
        self._flow = flow
        self._is_caught = is_caught

    @property
    def is_open(self) -> bool:
        """Whether steps pass without being asked for."""
        return self._gate.is_open

    def asked(self, flow: str = "") -> Asked:
        """Give the nodes of the flow whose steps have to ask, or of one that is called from it."""
        return self._gate.asked(flow or self._flow)

    def held_seconds(self) -> float:
        """Seconds for which steps have been held so far."""
        return self._gate.held_seconds()

    async def before(self, ref: StepRef, inputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Wait until the step may start; gives the inputs to use."""
        return await self._gate.before(self._of_flow(ref), inputs)

    async def after(self, ref: StepRef, outputs: dict[str, Resolved]) -> dict[str, Resolved]:
        """Wait until the step's result may be used; gives the outputs to use."""
        return await self._gate.after(self._of_flow(ref), outputs)

    async def failed(
        self, ref: StepRef, error: Exception, inputs: Mapping[str, Resolved], *, is_caught: bool
    ) -> dict[str, Resolved] | None:
        """Wait until the error may take its course; gives the outputs to use instead, if any."""
        is_caught = is_caught or self._is_caught
        return await self._gate.failed(self._of_flow(ref), error, inputs, is_caught=is_caught)

    async def decided(self, ref: StepRef, decision: PolicyDecided) -> None:
        """Wait until the decision may take effect."""
        await self._gate.decided(self._of_flow(ref), decision)

    def _of_flow(self, ref: StepRef) -> StepRef:
        return ref if ref.flow else ref._replace(flow=self._flow)


def refuse_depth(call: Call) -> None:
    """Raise `StepError` for a call that stands in more calls than it may."""
    calls = sum(is_called(segment) and "#" not in segment for segment in call.scope.split("/"))
    if calls > call.max_depth:
        message = f"This would be nested call {calls}, and `{call.title}` allows {call.max_depth}."
        raise StepError(message, hint="Let the flow end sooner, or allow more nested calls.")


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


def _arguments(plan: Plan, arguments: Mapping[str, object], labels: frozenset[str]) -> dict[str, Value]:
    """What a tool was called with, as values; raises `ToolError` for what does not fit."""
    given: dict[str, Value] = {}
    for node in plan.root.nodes():
        if node.type.structure is not Structure.FLOW_INPUT:
            continue
        if node.id in arguments:
            try:
                data = from_plain(to_plain(arguments[node.id]), node.outputs["value"])
            except ValueTypeError as error:
                raise ToolError(f"`{node.id}`: {error.message}") from error
            given[node.id] = Value(data, labels or FLOW)
        elif node.settings["default"] is None:
            raise ToolError(f"`{node.id}` is missing.")
    return given
