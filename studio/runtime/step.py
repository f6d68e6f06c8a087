"""One step: its inputs, the gate, its function with retries and limits, its outputs."""

import asyncio
import inspect
import random
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast

from studio.errors import StepError, StepwireError, TimeLimitError
from studio.flow.ports import ERROR, THEN, Structure
from studio.ids import NodeId, StepId, step_id
from studio.runtime.bindings import Bindings
from studio.runtime.context import Services, StepContext
from studio.runtime.frame import Frame
from studio.runtime.gate import Gate, StepRef
from studio.runtime.plan import PlannedNode
from studio.runtime.values import ABSENT, FLOW, Absent, Resolved, Value, joined, shown_all
from studio.sdk.values import fits, from_plain, to_plain
from studio.trace.events import (
    StepCancelled,
    StepFailed,
    StepFinished,
    StepReady,
    StepRetried,
    StepSkipped,
    StepStarted,
)

DONE = Value(None)
"""What stands at `then` once a step is over."""

LONGEST_PAUSE = 30.0
"""Seconds between two attempts, at most."""


class StepFailure(Exception):  # noqa: N818  # it carries an error, and is none to be caught by name
    """Unwinds a run, or an item of a map, after a step failed; `error` is why."""

    def __init__(self, step: StepId, node: NodeId, error: Exception) -> None:
        super().__init__(step, node, error)
        self.step = step
        self.node = node
        self.error = error


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
        self.results: dict[NodeId, Value] = {}
        """What flow outputs were given."""

    async def run(self, node: PlannedNode, frame: Frame) -> None:
        """Run the step of `node` in `frame`, and leave its outputs there; raises `StepFailure`."""
        step = step_id(frame.scope, node.id)
        inputs, missing = self.inputs(node, frame)
        if missing:
            self._recorder.record(StepSkipped(missing), step, frame.step)
            frame.values[node.id] = {}
            return
        ref = StepRef(step, node.id, frame.scope, frame.step)
        self._recorder.record(StepReady(), step, frame.step)
        try:
            inputs = await self._gate.before(ref, inputs)
            self._recorder.record(StepStarted(shown_all(inputs)), step, frame.step)
            async with self._turns:
                outputs = await self._attempts(node, frame, step, inputs)
            outputs = await self._gate.after(ref, outputs)
        except asyncio.CancelledError:
            self._recorder.record(StepCancelled(), step, frame.step)
            raise
        except Exception as error:
            self._recorder.record(describe(error), step, frame.step)
            raise StepFailure(step, node.id, error) from error
        self._recorder.record(StepFinished(shown_all(outputs)), step, frame.step)
        frame.values[node.id] = {**outputs, THEN: DONE}

    def inputs(self, node: PlannedNode, frame: Frame) -> tuple[dict[str, Resolved], str]:
        """Read the step's inputs; the second part says why it has to be skipped, if it has to."""
        if node.run.state == "muted":
            return {}, "muted"
        if frame.is_held_back(node):
            return {}, "what it comes after did not happen"
        inputs: dict[str, Resolved] = {}
        for planned in node.inputs:
            value = frame.read_input(planned)
            if isinstance(value, Value):
                inputs[planned.port.name] = value
            elif planned.port.required:
                return {}, f"`{planned.port.label or planned.port.name}` is absent"
        return inputs, ""

    async def _attempts(
        self, node: PlannedNode, frame: Frame, step: StepId, inputs: Mapping[str, Resolved]
    ) -> dict[str, Resolved]:
        attempt = 1
        while True:
            try:
                return await self._limited(node, frame, inputs, attempt)
            except Exception as error:
                if attempt <= node.run.retries:
                    self._recorder.record(StepRetried(attempt, str(error)), step, frame.step)
                    await asyncio.sleep(_pause(attempt))
                    attempt += 1
                    continue
                if node.run.on_error == "fail":
                    raise
                return _stand_in(node, error)

    async def _limited(
        self, node: PlannedNode, frame: Frame, inputs: Mapping[str, Resolved], attempt: int
    ) -> dict[str, Resolved]:
        if node.run.time_limit is None:
            return await self._once(node, frame, inputs, attempt)
        try:
            async with asyncio.timeout(node.run.time_limit):
                return await self._once(node, frame, inputs, attempt)
        except TimeoutError as error:
            message = f"It took longer than its time limit of {node.run.time_limit:g} s."
            raise TimeLimitError(message, hint="Raise the limit in the run settings.") from error

    async def _once(
        self, node: PlannedNode, frame: Frame, inputs: Mapping[str, Resolved], attempt: int
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
            case Structure.MERGE:
                return {"value": _merged(node, present["values"])}
            case _:
                return await self._call(node, frame, present, attempt)

    async def _call(
        self, node: PlannedNode, frame: Frame, inputs: Mapping[str, Value], attempt: int
    ) -> dict[str, Resolved]:
        function = node.type.function
        if function is None:
            message = f"`{node.type.kind}` cannot run here."
            raise StepError(message)
        arguments: dict[str, Any] = {name: value.data for name, value in inputs.items()}
        if node.lenders:
            arguments.update(await self._bindings.lent_to(node))
        arguments.update(node.settings)
        labels = joined(inputs.values())
        context = None
        if node.type.context_name:
            context = StepContext(self._services, node.id, frame.scope, attempt=attempt)
            arguments[node.type.context_name] = context
        result = function(**arguments)
        if inspect.isawaitable(result):
            result = await result
        if context is not None:
            labels |= context.labels
        return _outputs(node, result, labels or FLOW)


def describe(error: Exception) -> StepFailed:
    """An error as the trace keeps it: its class, one sentence, and what to do about it."""
    if isinstance(error, StepwireError):
        return StepFailed(type(error).__name__, error.message, error.hint)
    cause = first_cause(error)
    if cause is not error:
        return describe(cause)
    return StepFailed(type(error).__name__, f"{type(error).__name__}: {error}".rstrip(": "))


def first_cause(error: Exception) -> Exception:
    """The first plain error inside groups of errors."""
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    return error


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
    listed = cast("list[object]", values.data)
    return values if node.settings["gives"] == "all" else Value(listed[0], values.labels)


def _passed_through(node: PlannedNode, inputs: Mapping[str, Resolved]) -> dict[str, Resolved]:
    outputs: dict[str, Resolved] = {}
    for name, kind in node.outputs.items():
        fitting = (one.port.name for one in node.inputs if one.type == kind)
        outputs[name] = inputs.get(next(fitting, ""), ABSENT)
    return outputs


def _stand_in(node: PlannedNode, error: Exception) -> dict[str, Resolved]:
    if node.run.on_error == "output":
        told = describe(error)
        return {ERROR: Value({"error": told.error, "message": told.message, "hint": told.hint}, FLOW)}
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
