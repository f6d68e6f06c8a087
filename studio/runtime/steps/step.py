"""One step: its inputs, the gate, its function with retries and limits, its outputs.

A retry keeps the step's name and records `step_retried`; the calls of later attempts carry `@ATTEMPT`. An
open gate and a free slot are not awaited, and what a function gives without waiting is not watched.
"""

import asyncio
import random
from collections.abc import Mapping, Sequence

from studio.errors import CancelledStepError, FaultedError
from studio.flow.ports import ERROR, THEN, Structure
from studio.ids import NodeId, StepId
from studio.runtime.failures import (
    ENDS_THE_RUN,
    Ending,
    StepFailure,
    dropped,
    said_by,
    told_again,
    told_value,
    undue,
)
from studio.runtime.gates.debug_gate import Gate, ref_of
from studio.runtime.limits.slots import Turns
from studio.runtime.limits.time_limit import limited
from studio.runtime.plans.plan import PlannedNode
from studio.runtime.replay.carried_events import labels_told
from studio.runtime.replay.past import Past, error_again
from studio.runtime.services import Services
from studio.runtime.state.frame import Frame
from studio.runtime.steps.bindings import Bindings
from studio.runtime.steps.flow_calls import CallFlow, call_by_step, takes_in
from studio.runtime.steps.function import FunctionCalls, begun
from studio.runtime.steps.outputs import (
    DONE,
    failed_outputs,
    first,
    fitted,
    merged,
    passed_through,
    restored,
    skip,
    stand_in,
)
from studio.runtime.steps.pinned_step import NOT_NEEDED, give_pinned
from studio.runtime.values import ABSENT, FLOW, Failed, Resolved, Value, labels_of, looked_over, shown_all
from studio.sdk.tool import Effect
from studio.trace.events import (
    AnswerReused,
    StepFinished,
    StepReady,
    StepRetried,
    StepSkipped,
    StepStarted,
    StepTimedOut,
    Written,
)

READY = StepReady()
"""It says nothing, so one is enough."""

LONGEST_PAUSE = 30.0
"""Seconds between two attempts, at most."""


class StepRunner:
    """Runs single steps; knows nothing of regions."""

    def __init__(
        self,
        services: Services,
        gate: Gate,
        bindings: Bindings,
        given: Mapping[NodeId, Resolved],
        turns: Turns,
        call_flow: CallFlow,
    ) -> None:
        self._services = services
        self._recorder = services.recorder
        self._gate, self._asked = gate, gate.asked()
        self._given = given
        self._record = services.recorder.record
        self._course = services.past.course if services.past is not None else None
        self._is_watched = services.past is not None or services.budget is not None
        self._turns = turns
        self.stops = services.stops
        """What can be cancelled by hand."""
        self._call_flow, self._bindings = call_flow, bindings
        self._functions = FunctionCalls(services, bindings, turns)
        self.breath = services.breath
        """When what begins has to wait a moment, for others to work."""
        self.results: dict[NodeId, Value] = {}
        """What flow outputs were given."""
        self.failed: dict[NodeId, Failed] = {}
        """The failures that came to flow outputs of a part that passes them on."""

    def given(self, values: Mapping[NodeId, Resolved]) -> "StepRunner":
        """The same for the steps of a flow that is given these inputs."""
        return StepRunner(self._services, self._gate, self._bindings, values, self._turns, self._call_flow)

    def calling(self, call_flow: CallFlow) -> "StepRunner":
        """The same, whose calls of flows somebody else makes."""
        return StepRunner(self._services, self._gate, self._bindings, self._given, self._turns, call_flow)

    def called(self, services: Services, gate: Gate, bindings: Bindings) -> "StepRunner":
        """The same for the steps of a flow that is called."""
        return StepRunner(services, gate, bindings, {}, self._turns, self._call_flow)

    async def run(  # noqa: C901, PLR0912, PLR0915  # every step goes through it: a call more is time for all
        self, node: PlannedNode, frame: Frame
    ) -> None:
        """Run the step of `node` in `frame`, and leave its outputs there; raises `StepFailure`."""
        if self.breath.is_needed():
            await self.breath.draw(frame.prefix.count("/"))
        step = StepId(frame.prefix + node.id)
        ending = labels = None
        inputs: dict[str, Resolved] = {}
        try:
            inputs, missing = self.inputs(node, frame)
            if missing:
                await self._pass_over(node, frame, step, missing)
                return
            self._record(READY, step, frame.step)
            # A turn is taken before the gate: what waits for one has not passed it, and can still be held.
            if not self._turns.take():
                await self.stops.watch(step, self._turns.wait())
            try:
                if node.id in self._asked.nodes:
                    inputs = await self.stops.watch(step, self._gate.before(ref_of(node, frame), inputs))
                function = node.plain
                # Without a past or a budget a function is called straight away, and an `Ending` is made only
                # where a context may add labels.
                if function is None or self._is_watched:
                    labels = labels_of(inputs) | frame.made_from
                    ending = Ending(self._recorder, step, node.id, frame.step, labels)
                    work = self._work(node, frame, step, inputs, ending)
                    outputs = await self.stops.watch(step, work)
                else:
                    labels, told, arguments = looked_over(inputs)
                    if frame.made_from and frame.made_from is not labels:
                        labels = labels | frame.made_from if labels else frame.made_from
                    self._record(StepStarted(told), step, frame.step)
                    arguments.update(node.own_settings())
                    hands = None
                    if node.type.context_name:
                        ending = Ending(self._recorder, step, node.id, frame.step, labels)
                        hands = self._functions.hands(node, frame, 1, ending)
                        arguments[node.type.context_name] = hands.context
                    try:
                        try:
                            result, rest = begun(function(**arguments))
                            if rest is not None:
                                result = await self.stops.watch(step, rest)
                                self.breath.was_drawn()  # others worked while it was awaited
                        finally:
                            if hands is not None and ending is not None:
                                hands.let_go()
                                labels = ending.labels
                        outputs = fitted(node, result, labels or FLOW)
                        if hands is not None:
                            hands.tell_writes()
                    except Exception as error:
                        given = await self.stops.watch(step, self._instead(node, frame, inputs, error))
                        if given is None:
                            raise
                        outputs = given
            finally:
                self._turns.give_back()
            if node.id in self._asked.nodes:
                outputs = await self.stops.watch(step, self._gate.after(ref_of(node, frame), outputs))
            finished = StepFinished(shown_all(outputs))
            if ending is not None and ending.writes:
                self._write(ending.writes, step, frame)
        except BaseException as error:  # noqa: BLE001  # it is raised again, unless a policy stands in
            if (out := dropped(error)) is not None:
                skip(self._recorder, node, frame, out.reason(step))
                return
            labels = labels or labels_of(inputs) | frame.made_from
            ending = ending or Ending(self._recorder, step, node.id, frame.step, labels)
            outputs = _after_error(node, error, ending)
            finished = StepFinished(shown_all(outputs))
        # What was asked of others is on record by itself: of the step nothing is lost that costs anything.
        self._record(finished, step, frame.step, durable=node.type.effect is Effect.SIDE_EFFECT)
        outputs[THEN] = DONE  # only now, for it is an order and no output that anybody is shown
        frame.values[node.id] = outputs

    async def _pass_over(self, node: PlannedNode, frame: Frame, step: StepId, missing: str | Failed) -> None:
        """Leave a step out whose input is absent or failed, or that is not to be executed."""
        if node.not_executed is not None:
            await give_pinned(node.not_executed, node, frame, self._recorder, self._gate, self.stops)
            return
        if isinstance(missing, str):
            self._record(StepSkipped(missing), step, frame.step)
            frame.values[node.id] = {}
            return
        if node.type.structure is Structure.RACE and not node.is_sheltered:
            # Whoever raced was sheltered by the race; it is not.
            raise StepFailure(missing.step, missing.node, missing.error, missing.labels)
        self._record(told_again(missing), step, frame.step)
        frame.values[node.id] = failed_outputs(node, missing)
        if node.type.structure is Structure.FLOW_OUTPUT:
            self.failed[node.id] = missing

    async def _work(
        self, node: PlannedNode, frame: Frame, step: StepId, inputs: dict[str, Resolved], ending: Ending
    ) -> dict[str, Resolved]:
        """Do what the step is for, or take it from an earlier run."""
        past, budget = self._services.past, self._services.budget
        if budget is not None and (past is None or step not in past.kept):
            await budget.step(node.id)
        if self._course is not None:
            await self._course.start(step)
        earlier = self._earlier(node, step)
        started = StepStarted(shown_all(inputs))
        if node.type.effect is Effect.SIDE_EFFECT:
            # That something is about to change the world is on disk before it does.
            self._record(started, step, frame.step, durable=True)
            committed = self._recorder.committed()
            await (committed if self._course is None else self._course.work(step, committed))
        else:
            self._record(started, step, frame.step)
        course = self._course
        if course is None:
            return await self._worked(node, frame, step, inputs, ending, earlier)
        try:
            outputs = await self._worked(node, frame, step, inputs, ending, earlier)
        except Exception as error:
            if dropped(error) is None:
                await course.turn(step, "step_failed")
            raise
        await course.turn(step, "step_finished")
        return outputs

    async def _worked(
        self,
        node: PlannedNode,
        frame: Frame,
        step: StepId,
        inputs: dict[str, Resolved],
        ending: Ending,
        earlier: Past | None,
    ) -> dict[str, Resolved]:
        if earlier is None:
            return await self._attempts(node, frame, step, inputs, ending)
        self._record(AnswerReused(earlier.run, step), step, frame.step)
        told = earlier.told.get(step, ())
        for entry in told:
            self._record(entry.event, entry.step, entry.parent)
        if step in earlier.failed:
            ending.labels |= labels_told(told)
            error = error_again(earlier.failed[step])
            given = await self._instead(node, frame, inputs, error, node.run.retries + 1)
            if given is not None:
                return given
            if node.run.on_error == "fail":
                raise error
            return stand_in(node, error, ending.labels or FLOW)  # scripts tell of the failure itself
        ending.writes = earlier.writes.get(step, ())
        return restored(node, earlier.kept[step], ending.labels | labels_told(told))

    def _write(self, writes: Sequence[Written], step: StepId, frame: Frame) -> None:
        """Let what the step wrote take effect for others; raises `StepError` where one does not fit."""
        frame.layer().take_in(writes, step)
        for write in writes:
            self._recorder.record(write, step, frame.step)

    def _earlier(self, node: PlannedNode, step: StepId) -> Past | None:
        """The earlier run that has the step's outputs; raises for a side effect that must not happen now."""
        past = self._services.past
        if past is None or node.run.state == "bypassed":
            return None
        if step in past.kept or step in past.failed:
            return past
        past.allow(step, node.type.effect)
        return None

    def inputs(
        self, node: PlannedNode, frame: Frame, without: frozenset[str] = frozenset()
    ) -> tuple[dict[str, Resolved], str | Failed]:
        """Read the step's inputs; the second part says why it has to be skipped or has failed, if so."""
        if node.not_executed is not None or node.run.state == "muted":
            return {}, "muted" if node.not_executed is None else NOT_NEEDED
        failed: Failed | None = None
        if node.after:
            if frame.is_held_back(node):
                return {}, "what it comes after did not happen"
            failed = frame.failed_before(node)
        inputs: dict[str, Resolved] = {}
        for planned in node.inputs:
            if planned.port.name in without:
                continue
            value = frame.read_input(planned)
            if isinstance(value, Value):
                inputs[planned.port.name] = value
            elif isinstance(value, Failed):
                if node.type.structure is Structure.CATCH and not node.run.state:
                    inputs[ERROR] = told_value(value.error, value.labels)
                else:
                    failed = failed or value
            elif planned.port.required:
                return {}, f"`{planned.port.label or planned.port.name}` is absent"
        return (inputs, "") if failed is None else ({}, failed)

    async def _attempts(
        self, node: PlannedNode, frame: Frame, step: StepId, inputs: Mapping[str, Resolved], ending: Ending
    ) -> dict[str, Resolved]:
        attempt = 1
        while True:
            try:
                return await self._limited(node, frame, inputs, attempt, ending)
            except ENDS_THE_RUN:
                raise
            except Exception as error:
                if dropped(error) is not None:
                    raise
                given = await self._instead(node, frame, inputs, error, attempt)
                if given is not None:
                    return given
                if attempt <= node.run.retries:
                    self._recorder.record(StepRetried(attempt, said_by(error)), step, frame.step)
                    if self._course is None or self._course.is_left:
                        await asyncio.sleep(_pause(attempt))
                    attempt += 1
                    continue
                if node.run.on_error == "fail":
                    raise
                return stand_in(node, error, ending.labels or FLOW)

    async def _instead(
        self,
        node: PlannedNode,
        frame: Frame,
        inputs: Mapping[str, Resolved],
        error: Exception,
        attempt: int = 1,
    ) -> dict[str, Resolved] | None:
        """What a person gives in the place of a step's error; None where it takes its course."""
        if self._gate.is_open or isinstance(error, (*ENDS_THE_RUN, CancelledStepError)):
            return None
        is_caught = takes_in(node, attempt)
        return await self._gate.failed(ref_of(node, frame), error, inputs, is_caught=is_caught)

    async def _limited(
        self, node: PlannedNode, frame: Frame, inputs: Mapping[str, Resolved], attempt: int, ending: Ending
    ) -> dict[str, Resolved]:
        if node.run.time_limit is None:
            return await self._once(node, frame, inputs, attempt, ending)
        step = StepId(frame.prefix + node.id)
        timed_out = StepTimedOut(node.run.time_limit)
        async with limited(
            node.run.time_limit,
            self._gate.held_seconds,
            lambda: self._record(timed_out, step, frame.step),
            lambda expire: self._course is not None and self._course.limit(step, expire),
        ):
            return await self._once(node, frame, inputs, attempt, ending)

    async def _once(
        self, node: PlannedNode, frame: Frame, inputs: Mapping[str, Resolved], attempt: int, ending: Ending
    ) -> dict[str, Resolved]:
        if node.run.state == "bypassed":
            return passed_through(node, inputs)
        present = {name: value for name, value in inputs.items() if isinstance(value, Value)}
        match node.type.structure:
            case Structure.FLOW_INPUT:
                return {"value": self._given.get(node.id, ABSENT)}
            case Structure.FLOW_OUTPUT:
                self.results[node.id] = present["value"]
                return {}
            case Structure.CATCH:
                caught = "value" if "value" in present else ERROR
                return {caught: present[caught]}
            case Structure.RACE:
                return {"value": first(present["values"])}
            case Structure.MERGE:
                return {"value": merged(node, present["values"])}
            case Structure.SUBFLOW:
                call = call_by_step(node, frame, present, attempt, ending, self._services)
                with self._turns.lent():  # steps of the flow must not wait for those that call it
                    return await self._call_flow(call)
            case _:
                return await self._functions.call(node, frame, present, attempt, ending)


def _after_error(node: PlannedNode, error: BaseException, ending: Ending) -> dict[str, Resolved]:
    """What a step gives that was cancelled, or failed by a fault, and has an error policy; else raises."""
    if isinstance(error, (CancelledStepError, FaultedError)) and node.run.on_error != "fail":
        return stand_in(node, error, ending.labels or FLOW)
    ending.tell(undue(error))
    raise error


def _pause(attempt: int) -> float:
    return min(LONGEST_PAUSE, 0.5 * 2**attempt) * random.uniform(0.5, 1.0)  # noqa: S311  # jitter
