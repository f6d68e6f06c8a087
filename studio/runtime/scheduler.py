"""Runs regions: their vertices as soon as nothing is waited for, loops round by round, maps item by item.

A chain of steps runs in one task, one after the other; only what is ready beside it gets tasks of its own.
"""

import asyncio
from typing import Any, cast

from studio.errors import StepError, UsageError
from studio.flow.ports import THEN
from studio.ids import StepId, inner_scope, step_id
from studio.runtime.frame import Frame
from studio.runtime.gate import Gate, StepRef
from studio.runtime.plan import PlannedNode, PlannedRegion
from studio.runtime.recorder import Recorder
from studio.runtime.step import DONE, StepFailure, StepRunner, describe, first_cause
from studio.runtime.values import ABSENT, FLOW, Absent, Resolved, Value, joined, shown_all
from studio.sdk.expressions import compile_expression
from studio.trace.events import (
    StepCancelled,
    StepFinished,
    StepProgressed,
    StepReady,
    StepSkipped,
    StepStarted,
)


class Scheduler:
    """Drives the steps of one run over its region tree."""

    def __init__(self, steps: StepRunner, gate: Gate, recorder: Recorder) -> None:
        self._steps = steps
        self._gate = gate
        self._recorder = recorder

    async def run(self, frame: Frame) -> None:
        """Run every vertex of the frame's region; raises the first `StepFailure`, the rest cancelled."""
        region = frame.region
        if not region.roots:
            return
        waits = list(region.waits)
        first, *others = region.roots
        if not others and all(len(after) <= 1 for after in region.dependants):
            await self._follow(first, frame, waits, None)
            return
        try:
            async with asyncio.TaskGroup() as group:
                for index in others:
                    group.create_task(self._follow(index, frame, waits, group))
                await self._follow(first, frame, waits, group)
        except ExceptionGroup as errors:
            raise first_cause(errors) from None

    async def _follow(
        self, index: int, frame: Frame, waits: list[int], group: asyncio.TaskGroup | None
    ) -> None:
        region = frame.region
        following: int | None = index
        while following is not None:
            await self._run_vertex(region.vertices[following], frame)
            ready: list[int] = []
            for dependant in region.dependants[following]:
                waits[dependant] -= 1
                if waits[dependant] == 0:
                    ready.append(dependant)
            following = ready[0] if ready else None
            for other in ready[1:]:
                if group is None:
                    message = "a fork in a chain"
                    raise AssertionError(message)
                group.create_task(self._follow(other, frame, waits, group))

    async def _run_vertex(self, vertex: PlannedNode | PlannedRegion, frame: Frame) -> None:
        if isinstance(vertex, PlannedNode):
            await self._steps.run(vertex, frame)
            return
        match vertex.kind:
            case "loop":
                await self._run_owner(vertex, frame, is_map=False)
            case "map":
                await self._run_owner(vertex, frame, is_map=True)
            case _:
                message = f"a region of kind `{vertex.kind}` inside another"
                raise AssertionError(message)

    async def _run_owner(self, region: PlannedRegion, frame: Frame, *, is_map: bool) -> None:
        owner = region.owner
        if owner is None:
            message = "a loop or map without a node"
            raise AssertionError(message)
        step = step_id(frame.scope, owner.id)
        entries = [one for one in owner.inputs if one.port.name not in {"again", "done", "also"}]
        inputs: dict[str, Resolved] = {one.port.name: frame.read_input(one) for one in entries}
        missing = [
            one.port.name
            for one in entries
            if one.port.required and isinstance(inputs[one.port.name], Absent)
        ]
        muted = owner.run.state == "muted"
        if muted or missing or frame.is_held_back(owner):
            reason = (
                "muted"
                if muted
                else f"`{missing[0]}` is absent"
                if missing
                else "what it comes after did not happen"
            )
            for node in (owner, *region.collects):
                self._recorder.record(StepSkipped(reason), step_id(frame.scope, node.id), frame.step)
                frame.values[node.id] = {}
            return
        self._recorder.record(StepReady(), step, frame.step)
        try:
            ref = StepRef(step, owner.id, frame.scope, frame.step)
            inputs = await self._gate.before(ref, inputs)
            self._recorder.record(StepStarted(shown_all(inputs)), step, frame.step)
            if is_map:
                await self._run_map(region, owner, frame, step, inputs)
            else:
                await self._run_loop(region, owner, frame, step, inputs)
        except asyncio.CancelledError:
            self._recorder.record(StepCancelled(), step, frame.step)
            raise
        except StepFailure as failure:
            self._recorder.record(describe(failure.error), step, frame.step)
            raise
        except Exception as error:
            self._recorder.record(describe(error), step, frame.step)
            raise StepFailure(step, owner.id, error) from error

    async def _run_loop(
        self,
        region: PlannedRegion,
        loop: PlannedNode,
        frame: Frame,
        step: StepId,
        inputs: dict[str, Resolved],
    ) -> None:
        value = cast("Value", inputs["start"])
        most = int(loop.settings["max_rounds"])
        stop_when = str(loop.settings["stop_when"])
        stop = compile_expression(stop_when, ("value", "again", "round")) if stop_when else None
        history: list[Value] = []
        result: Resolved = ABSENT
        number = 0
        while True:
            number += 1
            self._recorder.record(StepProgressed(number, most), step, frame.step)
            child = Frame(region, inner_scope(frame.scope, loop.id, number), frame, step)
            child.values[loop.id] = {"value": value, "round": Value(number, FLOW)}
            await self.run(child)
            again = child.read_input(loop.input("again"))
            done = child.read_input(loop.input("done"))
            if isinstance(again, Value):
                history.append(again)
            if isinstance(done, Value):
                result = done
                break
            if isinstance(again, Absent):
                result = value
                break
            if stop is not None and stop.evaluate(
                {"value": value.data, "again": again.data, "round": number}
            ):
                result = again
                break
            if number >= most:
                if loop.settings["on_limit"] == "fail":
                    message = f"It was not done after {most} rounds."
                    raise StepError(message, hint="Allow more rounds, or let the loop give its last value.")
                result = again
                break
            value = again
        outputs: dict[str, Resolved] = {
            "result": result,
            "history": Value([one.data for one in history], joined(history)),
        }
        self._leave(frame, child, loop, outputs, step)

    def _leave(
        self, frame: Frame, child: Frame, owner: PlannedNode, outputs: dict[str, Resolved], step: StepId
    ) -> None:
        inner = child.values.pop(owner.id, {})
        frame.values.update(child.values)
        frame.values[owner.id] = {**inner, **outputs, THEN: DONE}
        self._recorder.record(StepFinished(shown_all(outputs)), step, frame.step)

    async def _run_map(
        self,
        region: PlannedRegion,
        each: PlannedNode,
        frame: Frame,
        step: StepId,
        inputs: dict[str, Resolved],
    ) -> None:
        items = cast("Value", inputs["items"])
        if not isinstance(items.data, list):
            message = "`items` is not a list."
            raise StepError(message)
        elements = cast("list[object]", items.data)
        turns = asyncio.Semaphore(int(each.settings["at_once"]))
        frames = [
            Frame(region, inner_scope(frame.scope, each.id, index), frame, step)
            for index in range(len(elements))
        ]
        failures: dict[int, StepFailure] = {}
        tolerant = all(node.settings["failed"] != "fail" for node in region.collects)

        async def one(index: int) -> None:
            child = frames[index]
            child.values[each.id] = {
                "item": Value(elements[index], items.labels or FLOW),
                "index": Value(index, FLOW),
            }
            async with turns:
                try:
                    await self.run(child)
                except StepFailure as failure:
                    if not tolerant:
                        raise
                    failures[index] = failure

        try:
            async with asyncio.TaskGroup() as group:
                for index in range(len(elements)):
                    group.create_task(one(index))
        except ExceptionGroup as errors:
            raise first_cause(errors) from None
        self._recorder.record(StepFinished({}), step, frame.step)
        frame.values[each.id] = {THEN: DONE}
        for collect in region.collects:
            await self._collect(collect, frame, frames, failures)

    async def _collect(
        self, node: PlannedNode, frame: Frame, frames: list[Frame], failures: dict[int, StepFailure]
    ) -> None:
        step: StepId = step_id(frame.scope, node.id)
        ref = StepRef(step, node.id, frame.scope, frame.step)
        self._recorder.record(StepReady(), step, frame.step)
        await self._gate.before(ref, {})
        self._recorder.record(StepStarted({}), step, frame.step)
        try:
            outputs = _gathered(node, frames, failures)
        except UsageError as error:
            self._recorder.record(describe(error), step, frame.step)
            raise StepFailure(step, node.id, error) from error
        outputs = await self._gate.after(ref, outputs)
        self._recorder.record(StepFinished(shown_all(outputs)), step, frame.step)
        frame.values[node.id] = {**outputs, THEN: DONE}


def _gathered(
    node: PlannedNode, frames: list[Frame], failures: dict[int, StepFailure]
) -> dict[str, Resolved]:
    gathered = node.input("value")
    on_failed, on_absent = node.settings["failed"], node.settings["absent"]
    kept: list[int] = []
    values: list[Value] = []
    for index, frame in enumerate(frames):
        failure = failures.get(index)
        value: Resolved = ABSENT
        if failure is None:
            value = frame.read_input(gathered)
        elif on_failed == "keep":
            told = describe(failure.error)
            value = Value({"error": told.error, "message": told.message, "hint": told.hint}, FLOW)
        if isinstance(value, Value):
            kept.append(index)
            values.append(value)
        elif failure is None and on_absent == "null":
            kept.append(index)
            values.append(Value(None, FLOW))
        elif failure is None and on_absent == "fail":
            message = f"Item {index} gave nothing."
            raise UsageError(message, hint="Let `collect` drop absent items, or wire every case.")
    listed: list[Any] = [value.data for value in values]
    return {"values": Value(listed, joined(values) or FLOW), "kept": Value(list[object](kept), FLOW)}
