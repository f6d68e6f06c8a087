"""Runs regions: their vertices as soon as nothing is waited for, loops round by round, maps item by item.

A chain of steps runs in one task, one after the other; only what is ready beside it gets tasks of its own.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

from studio.errors import StepError
from studio.flow.ports import THEN
from studio.ids import inner_scope, step_id
from studio.runtime.frame import Frame
from studio.runtime.gate import Gate, StepRef
from studio.runtime.plan import PlannedNode, PlannedRegion
from studio.runtime.racing import Racing
from studio.runtime.recorder import Recorder
from studio.runtime.step import (
    DONE,
    ENDS_THE_RUN,
    Ending,
    StepFailure,
    StepRunner,
    Travelling,
    failed_outputs,
    first_cause,
    labels_of,
    told_again,
    told_value,
    travelling,
)
from studio.runtime.values import ABSENT, FLOW, Failed, Resolved, Value, joined, shown_all
from studio.sdk.expressions import compile_expression
from studio.sdk.values import to_plain
from studio.trace.events import StepFinished, StepProgressed, StepReady, StepSkipped, StepStarted

_RETURNS = frozenset({"again", "done", "also"})
"""Inputs of a loop that its body gives back, round by round."""


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
        if region.races:
            await Racing(frame, self._run_vertex, self._recorder).run()
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
            if vertex.is_sheltered:
                await self._run_sheltered(vertex, frame)
            else:
                await self._steps.run(vertex, frame)
            return
        owner = vertex.owner
        if owner is None:
            message = "a loop or map without a node"
            raise AssertionError(message)
        try:
            await self._run_owner(vertex, owner, frame)
        except Travelling as error:
            self._fail_region(vertex, frame, error.failed)
        except StepFailure as failure:
            # What failed further in was exposed there, or it would have travelled.
            if not owner.is_sheltered or failure.node != owner.id:
                raise
            self._fail_region(vertex, frame, travelling(failure))

    async def _run_sheltered(self, node: PlannedNode, frame: Frame) -> None:
        try:
            await self._steps.run(node, frame)
        except StepFailure as failure:
            frame.values[node.id] = failed_outputs(node, travelling(failure))

    async def _run_owner(self, region: PlannedRegion, owner: PlannedNode, frame: Frame) -> None:
        is_map = region.kind == "map"
        inputs, reason = self._steps.inputs(owner, frame, without=_RETURNS)
        if isinstance(reason, Failed):
            self._recorder.record(told_again(reason), step_id(frame.scope, owner.id), frame.step)
            raise Travelling(reason)
        if reason:
            for node in (owner, *region.collects):
                self._skip(node, frame, reason)
            return
        ref = _ref(owner, frame)
        items: _Items | None = None
        self._recorder.record(StepReady(), ref.step, frame.step)
        with Ending(self._recorder, ref.step, owner.id, frame.step) as ending:
            inputs = await self._gate.before(ref, inputs)
            ending.labels = labels_of(inputs)
            self._recorder.record(StepStarted(shown_all(inputs)), ref.step, frame.step)
            outputs: dict[str, Resolved] = {}
            if is_map:
                items = await self._run_map(region, owner, frame, inputs)
            elif owner.run.state == "bypassed":
                outputs = {"result": inputs["start"]}
            else:
                outputs = await self._run_loop(region, owner, frame, inputs)
            outputs = await self._gate.after(ref, outputs)
            finished = StepFinished(shown_all(outputs))
        self._recorder.record(finished, ref.step, frame.step)
        frame.values[owner.id] = {**frame.values.get(owner.id, {}), **outputs, THEN: DONE}
        for collect in region.collects:
            try:
                await self._collect(collect, frame, items or _Items([]))
            except Travelling as error:
                frame.values[collect.id] = failed_outputs(collect, error.failed)
            except StepFailure as failure:
                if not collect.is_sheltered:
                    raise
                frame.values[collect.id] = failed_outputs(collect, travelling(failure))

    def _fail_region(self, region: PlannedRegion, frame: Frame, failed: Failed) -> None:
        """Let a failure stand at all that a loop or map gives, its body included."""
        for collect in region.collects:
            self._recorder.record(told_again(failed), step_id(frame.scope, collect.id), frame.step)
        for node in region.nodes():
            frame.values[node.id] = failed_outputs(node, failed)

    def _skip(self, node: PlannedNode, frame: Frame, reason: str) -> None:
        self._recorder.record(StepSkipped(reason), step_id(frame.scope, node.id), frame.step)
        frame.values[node.id] = {}

    async def _run_loop(
        self, region: PlannedRegion, loop: PlannedNode, frame: Frame, inputs: dict[str, Resolved]
    ) -> dict[str, Resolved]:
        step = step_id(frame.scope, loop.id)
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
            scope = inner_scope(frame.scope, loop.id, number)
            child = Frame(region, scope, frame, step, lane=_inner_lane(frame, loop.id))
            child.values[loop.id] = {"value": value, "round": Value(number, FLOW)}
            await self.run(child)
            again = child.read_input(loop.input("again"))
            done = child.read_input(loop.input("done"))
            also = (child.read(feed) for feed in loop.input("also").feeds)
            for returned in (again, done, *also):
                if isinstance(returned, Failed):
                    raise Travelling(returned)
            if isinstance(again, Value):
                history.append(again)
            if isinstance(done, Value):
                result = done
                break
            if not isinstance(again, Value):
                result = value
                break
            if stop is not None and stop.evaluate(
                {"value": to_plain(value.data), "again": to_plain(again.data), "round": number}
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
        frame.values.update(child.values)  # what stands after the loop reads what its last round gave
        return {
            "result": result,
            "history": Value([one.data for one in history], joined(history) or FLOW),
        }

    async def _run_map(
        self, region: PlannedRegion, each: PlannedNode, frame: Frame, inputs: dict[str, Resolved]
    ) -> "_Items":
        step = step_id(frame.scope, each.id)
        items = cast("Value", inputs["items"])
        if not isinstance(items.data, list):
            message = "`items` is not a list."
            raise StepError(message)
        elements = cast("list[object]", items.data)
        turns = asyncio.Semaphore(int(each.settings["at_once"]))
        found = _Items(
            [
                Frame(
                    region,
                    inner_scope(frame.scope, each.id, index),
                    frame,
                    step,
                    lane=_inner_lane(frame, f"{each.id}.{index}"),
                )
                for index in range(len(elements))
            ]
        )
        tolerant = all(node.settings["failed"] != "fail" for node in region.collects)
        strict = [node for node in region.collects if node.settings["failed"] == "fail" and node.is_sheltered]
        stops_all = len(strict) == len(region.collects)

        async def one(index: int) -> None:
            child = found.frames[index]
            child.values[each.id] = {
                "item": Value(elements[index], items.labels or FLOW),
                "index": Value(index, FLOW),
                THEN: DONE,
            }
            async with turns:
                try:
                    await self.run(child)
                except StepFailure as failure:
                    if not tolerant or isinstance(failure.error, ENDS_THE_RUN):
                        raise
                    found.failures[index] = failure
                for node in strict if stops_all else ():
                    value = child.read_input(node.input("value"))
                    if isinstance(value, Failed):
                        raise Travelling(value)

        try:
            async with asyncio.TaskGroup() as group:
                for index in range(len(elements)):
                    group.create_task(one(index))
        except ExceptionGroup as errors:
            ends_the_run, _ = errors.split(StepFailure)
            raise first_cause(ends_the_run or errors) from None
        return found

    async def _collect(self, node: PlannedNode, frame: Frame, items: "_Items") -> None:
        reason = "muted" if node.run.state == "muted" else ""
        if frame.is_held_back(node):
            reason = "what it comes after did not happen"
        if reason:
            self._skip(node, frame, reason)
            return
        failed = frame.failed_before(node)
        if failed is not None:
            self._recorder.record(told_again(failed), step_id(frame.scope, node.id), frame.step)
            raise Travelling(failed)
        ref = _ref(node, frame)
        self._recorder.record(StepReady(), ref.step, frame.step)
        with Ending(self._recorder, ref.step, node.id, frame.step) as ending:
            values, kept = _gathered(node, items)
            inputs = await self._gate.before(ref, {"value": values})
            ending.labels = labels_of(inputs)
            self._recorder.record(StepStarted(shown_all(inputs)), ref.step, frame.step)
            outputs = await self._gate.after(ref, {"values": inputs["value"], "kept": kept})
            finished = StepFinished(shown_all(outputs))
        self._recorder.record(finished, ref.step, frame.step)
        frame.values[node.id] = {**outputs, THEN: DONE}


@dataclass(slots=True)
class _Items:
    """What became of the items of a map."""

    frames: list[Frame]
    failures: dict[int, StepFailure] = field(default_factory=dict[int, StepFailure])


def _ref(node: PlannedNode, frame: Frame) -> StepRef:
    return StepRef(step_id(frame.scope, node.id), node.id, frame.scope, frame.step, frame.lane)


def _inner_lane(frame: Frame, name: str) -> str:
    return f"{frame.lane}/{name}" if frame.lane else name


def _gathered(node: PlannedNode, items: _Items) -> tuple[Value, Value]:
    gathered = node.input("value")
    on_failed, on_absent = node.settings["failed"], node.settings["absent"]
    kept: list[int] = []
    values: list[Value] = []
    for index, frame in enumerate(items.frames):
        failure = items.failures.get(index)
        value = frame.read_input(gathered) if failure is None else travelling(failure)
        if isinstance(value, Failed):
            if on_failed == "fail":
                raise Travelling(value)
            if on_failed == "drop":
                continue
            value = told_value(value.error, value.labels)
        if isinstance(value, Value):
            kept.append(index)
            values.append(value)
        elif on_absent == "null":
            kept.append(index)
            values.append(Value(None, FLOW))
        elif on_absent == "fail":
            message = f"Item {index} gave nothing."
            raise StepError(message, hint="Let `collect` drop absent items, or wire every case.")
    listed: list[Any] = [value.data for value in values]
    return Value(listed, joined(values) or FLOW), Value(list[object](kept), FLOW)
