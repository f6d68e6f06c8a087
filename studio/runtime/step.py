"""One step: its inputs, the gate, its function with retries and limits, its outputs."""

import asyncio
import inspect
import random
import time
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from types import CoroutineType
from typing import Any, Self, cast

from studio.errors import (
    LimitReachedError,
    StepError,
    StepwireError,
    StoreError,
    TimeLimitError,
    WaitingError,
)
from studio.flow.ports import ERROR, JSON, THEN, Structure
from studio.ids import NodeId, StepId, step_id
from studio.runtime.bindings import Bindings
from studio.runtime.context import Services, StepContext
from studio.runtime.frame import Frame
from studio.runtime.gate import Gate, StepRef
from studio.runtime.past import Past, error_again
from studio.runtime.plan import PlannedNode
from studio.runtime.recorder import Recorder
from studio.runtime.values import ABSENT, FLOW, Absent, Failed, Resolved, Value, shown_all
from studio.sdk.tool import Effect
from studio.sdk.values import fits, from_plain, to_plain
from studio.trace.events import (
    AnswerReused,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepReady,
    StepRetried,
    StepSkipped,
    StepStarted,
    Values,
)

READY = StepReady()
"""It says nothing, so one is enough."""

DONE = Value(None)
"""What stands at `then` once a step is over."""

LONGEST_PAUSE = 30.0
"""Seconds between two attempts, at most."""

BREATH = 0.01
"""Seconds for which steps that wait for nothing may keep everybody else from working."""

ENDS_THE_RUN = (StoreError, WaitingError, LimitReachedError)
"""What no retry and no error policy mends."""


class StepFailure(Exception):  # noqa: N818  # it carries an error, and is none to be caught by name
    """Unwinds a run, or an item of a map, after a step failed; `error` is why, made from `labels`."""

    def __init__(self, step: StepId, node: NodeId, error: Exception, labels: frozenset[str] = FLOW) -> None:
        super().__init__(step, node, error)
        self.step = step
        self.node = node
        self.error = error
        self.labels = labels


class Travelling(Exception):  # noqa: N818  # as `StepFailure`
    """Unwinds a loop or a map into which the failure of one of its steps has travelled."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed)
        self.failed = failed


class Ending:
    """Records how a step ended when it ended badly, and makes its error a `StepFailure`."""

    __slots__ = ("_node", "_parent", "_recorder", "_step", "labels")

    def __init__(self, recorder: Recorder, step: StepId, node: NodeId, parent: StepId) -> None:
        self._recorder = recorder
        self._step = step
        self._node = node
        self._parent = parent
        self.labels: frozenset[str] = frozenset()
        """What the step has read so far, and with it what its error is made from."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None:
            return
        if isinstance(error, asyncio.CancelledError):
            self._recorder.record(StepCancelled(), self._step, self._parent)
        elif isinstance(error, Travelling):
            self._recorder.record(told_again(error.failed), self._step, self._parent)
        elif isinstance(error, StepFailure):
            told = replace(describe(error.error), origin=error.step)
            self._recorder.record(told, self._step, self._parent)
        elif isinstance(error, Exception):
            self._recorder.record(describe(error), self._step, self._parent)
            raise StepFailure(self._step, self._node, error, self.labels or FLOW) from error


class StepRunner:
    """Runs single steps; knows nothing of regions."""

    def __init__(
        self, services: Services, gate: Gate, bindings: Bindings, given: Mapping[NodeId, Value], limit: int
    ) -> None:
        self._services = services
        self._recorder = services.recorder
        self._gate = gate
        self._bindings = bindings
        self._given = given
        self._turns = asyncio.Semaphore(limit)
        self._breathed = 0.0
        self.results: dict[NodeId, Value] = {}
        """What flow outputs were given."""

    async def run(self, node: PlannedNode, frame: Frame) -> None:
        """Run the step of `node` in `frame`, and leave its outputs there; raises `StepFailure`."""
        if time.monotonic() - self._breathed > BREATH:
            await self._breathe()
        record = self._recorder.record
        step = step_id(frame.scope, node.id)
        ref = StepRef(step, node.id, frame.scope, frame.step, frame.lane)
        with Ending(self._recorder, step, node.id, frame.step) as ending:
            inputs, missing = self.inputs(node, frame)
            if missing:
                if isinstance(missing, Failed):
                    if node.type.structure is Structure.RACE and not node.is_sheltered:
                        # Whoever raced was sheltered by the race; it is not.
                        raise StepFailure(missing.step, missing.node, missing.error, missing.labels)
                    record(told_again(missing), step, frame.step)
                    frame.values[node.id] = failed_outputs(node, missing)
                else:
                    record(StepSkipped(missing), step, frame.step)
                    frame.values[node.id] = {}
                return
            record(READY, step, frame.step)
            # A turn is taken before the gate: what waits for one has not passed it, and can still be held.
            async with self._turns:
                inputs = await self._gate.before(ref, inputs)
                ending.labels = labels_of(inputs)
                earlier = self._earlier(node, step)
                started = StepStarted(shown_all(inputs))
                if node.type.effect is Effect.SIDE_EFFECT:
                    # That something is about to change the world is on disk before it does.
                    record(started, step, frame.step, durable=True)
                    await self._recorder.committed()
                else:
                    record(started, step, frame.step)
                if earlier is None:
                    outputs = await self._attempts(node, frame, step, inputs, ending)
                else:
                    record(AnswerReused(earlier.run, step), step, frame.step)
                    outputs = restored(node, earlier.kept[step])
            outputs = await self._gate.after(ref, outputs)
            finished = StepFinished(shown_all(outputs))
        record(finished, step, frame.step, durable=node.type.effect is not Effect.PURE)
        frame.values[node.id] = {**outputs, THEN: DONE}

    def _earlier(self, node: PlannedNode, step: StepId) -> Past | None:
        """The earlier run that has the step's outputs; raises for a side effect that must not happen now."""
        past = self._services.past
        if (past is None or step not in past.kept) and self._services.budget is not None:
            self._services.budget.step(node.id)
        if past is None or node.run.state == "bypassed":
            return None
        if step in past.kept:
            return past
        if step in past.failed:
            raise error_again(past.failed[step])
        past.allow(step, node.type.effect)
        return None

    async def _breathe(self) -> None:
        """Let others work now and then: what streams, who cancels, and the connection to the window."""
        await asyncio.sleep(0)
        self._breathed = time.monotonic()

    def inputs(
        self, node: PlannedNode, frame: Frame, without: frozenset[str] = frozenset()
    ) -> tuple[dict[str, Resolved], str | Failed]:
        """Read the step's inputs; the second part says why it has to be skipped or has failed, if so."""
        if node.run.state == "muted":
            return {}, "muted"
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
                if attempt <= node.run.retries:
                    self._recorder.record(StepRetried(attempt, str(error)), step, frame.step)
                    await asyncio.sleep(_pause(attempt))
                    attempt += 1
                    continue
                if node.run.on_error == "fail":
                    raise
                return _stand_in(node, error, ending.labels or FLOW)

    async def _limited(
        self, node: PlannedNode, frame: Frame, inputs: Mapping[str, Resolved], attempt: int, ending: Ending
    ) -> dict[str, Resolved]:
        if node.run.time_limit is None:
            return await self._once(node, frame, inputs, attempt, ending)
        timer = asyncio.timeout(node.run.time_limit)
        try:
            async with timer:
                return await self._once(node, frame, inputs, attempt, ending)
        except TimeoutError as error:
            if not timer.expired():
                raise
            message = f"It took longer than its time limit of {node.run.time_limit:g} s."
            raise TimeLimitError(message, hint="Raise the limit in the run settings.") from error

    async def _once(
        self, node: PlannedNode, frame: Frame, inputs: Mapping[str, Resolved], attempt: int, ending: Ending
    ) -> dict[str, Resolved]:
        if node.run.state == "bypassed":
            return _passed_through(node, inputs)
        present = {name: value for name, value in inputs.items() if isinstance(value, Value)}
        match node.type.structure:
            case Structure.FLOW_INPUT:
                return {"value": self._given[node.id]}
            case Structure.FLOW_OUTPUT:
                self.results[node.id] = present["value"]
                return {}
            case Structure.CATCH:
                caught = "value" if "value" in present else ERROR
                return {caught: present[caught]}
            case Structure.RACE:
                return {"value": _first(present["values"])}
            case Structure.MERGE:
                return {"value": _merged(node, present["values"])}
            case _:
                return await self._call(node, frame, present, attempt, ending)

    async def _call(
        self, node: PlannedNode, frame: Frame, inputs: Mapping[str, Value], attempt: int, ending: Ending
    ) -> dict[str, Resolved]:
        function = node.type.function
        if function is None:
            message = f"`{node.type.kind}` cannot run here."
            raise StepError(message)
        arguments: dict[str, Any] = {name: value.data for name, value in inputs.items()}
        if node.lenders:
            arguments.update(await self._bindings.lent_to(node))
        arguments.update(node.settings)
        context = None
        if node.type.context_name:
            context = StepContext(
                self._services, node.id, frame.scope, attempt=attempt, labels_of=self._bindings.labels_of
            )
            arguments[node.type.context_name] = context
        try:
            result = function(**arguments)
            if _is_awaitable(result):
                result = await result
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and not task.cancelling():
                # Nobody stopped this step, and nobody would miss it if it ended as if they had.
                raise StepError("Something that it waited for was cancelled.") from error
            raise
        finally:
            if context is not None:
                ending.labels |= context.labels
        return _outputs(node, result, ending.labels or FLOW)


def restored(node: PlannedNode, values: Values) -> dict[str, Resolved]:
    """Outputs as events carry them, made values again."""
    return {
        name: Value(from_plain(one.data, node.outputs.get(name, JSON)), frozenset(one.labels))
        for name, one in values.items()
    }


def describe(error: Exception) -> StepFailed:
    """An error as the trace keeps it: its class, one sentence, and what to do about it."""
    if isinstance(error, StepwireError):
        return StepFailed(type(error).__name__, error.message, error.hint)
    cause = first_cause(error)
    if cause is not error:
        return describe(cause)
    return StepFailed(type(error).__name__, f"{type(error).__name__}: {error}".rstrip(": "))


def told_again(failed: Failed) -> StepFailed:
    """The event of a step that failed unrun, because of another step's error."""
    return replace(describe(failed.error), origin=failed.step)


def failed_outputs(node: PlannedNode, failed: Failed) -> dict[str, Resolved]:
    """What stands at the outputs of a step that failed, order and error ports included."""
    return dict.fromkeys((*node.outputs, THEN, ERROR), failed)


def travelling(failure: StepFailure) -> Failed:
    """The failure as it travels along wires; raises it again where nothing mends it."""
    if isinstance(failure.error, ENDS_THE_RUN):
        raise failure
    return Failed(failure.error, failure.step, failure.node, failure.labels)


def labels_of(values: Mapping[str, Resolved]) -> frozenset[str]:
    """The union of the labels of the values that are present."""
    labels: frozenset[str] = frozenset()
    for value in values.values():
        if isinstance(value, Value) and value.labels is not labels:
            labels = labels | value.labels if labels else value.labels
    return labels


def first_cause(error: Exception) -> Exception:
    """The first plain error inside groups of errors."""
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    return error


def _is_awaitable(result: object) -> bool:
    # Nearly all are coroutines, and to ask for that alone takes a tenth of the time.
    return type(result) is CoroutineType or inspect.isawaitable(result)


def _outputs(node: PlannedNode, result: object, labels: frozenset[str]) -> dict[str, Resolved]:
    if not node.outputs:
        return {}
    named: Mapping[str, object]
    if not node.type.returns_fields:
        named = {next(iter(node.outputs)): result}
    elif is_dataclass(result):
        values = (getattr(result, one.name) for one in fields(result))
        named = dict(zip(node.outputs, values, strict=False))
    else:
        named = cast("Mapping[str, object]", result)
    outputs: dict[str, Resolved] = {}
    for name, kind in node.outputs.items():
        data = named.get(name, ABSENT)
        if isinstance(data, Absent) or (data is None and kind.base not in {"json", "any", "T"}):
            outputs[name] = ABSENT
            continue
        fits(data, kind)
        outputs[name] = Value(data, labels)
    return outputs


def _merged(node: PlannedNode, values: Value) -> Value:
    """All present values in wire order, or the first of them."""
    return values if node.settings["gives"] == "all" else _first(values)


def _first(values: Value) -> Value:
    listed = cast("list[object]", values.data)
    if not listed:
        message = "There is no value to take."
        raise StepError(message)
    return Value(listed[0], values.labels)


def _passed_through(node: PlannedNode, inputs: Mapping[str, Resolved]) -> dict[str, Resolved]:
    outputs: dict[str, Resolved] = {}
    for name, kind in node.outputs.items():
        fitting = (one.port.name for one in node.inputs if one.type == kind)
        outputs[name] = inputs.get(next(fitting, ""), ABSENT)
    return outputs


def told_value(error: Exception, labels: frozenset[str]) -> Value:
    """An error as a value; it may quote anything that the step has read."""
    told = describe(error)
    return Value({"error": told.error, "message": told.message, "hint": told.hint}, labels)


def _stand_in(node: PlannedNode, error: Exception, labels: frozenset[str]) -> dict[str, Resolved]:
    if node.run.on_error == "output":
        return {ERROR: told_value(error, labels)}
    given = node.run.default
    if isinstance(given, Mapping) and set(given) <= set(node.outputs):
        named: Mapping[str, object] = given
    else:
        named = {next(iter(node.outputs), ""): given}
    return {
        name: Value(from_plain(to_plain(value), node.outputs[name]), FLOW)
        for name, value in named.items()
        if name in node.outputs
    }


def _pause(attempt: int) -> float:
    return min(LONGEST_PAUSE, 0.5 * 2**attempt) * random.uniform(0.5, 1.0)  # noqa: S311  # jitter
