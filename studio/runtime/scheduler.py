"""Runs regions: their vertices as soon as nothing is waited for; loops and maps through their owners.

A chain of steps runs in one task, one after the other; only what is ready beside it gets tasks of its own.
"""

import asyncio

from studio.flow.ports import THEN
from studio.ids import step_id
from studio.runtime.failures import Ending, StepFailure, Travelling, first_cause, told_again, travelling
from studio.runtime.frame import Frame
from studio.runtime.gate import Gate, ref_of
from studio.runtime.looping import RETURNS, run_loop
from studio.runtime.mapping import Items, collect, run_map
from studio.runtime.outputs import DONE, failed_outputs, skip
from studio.runtime.plan import PlannedNode, PlannedRegion
from studio.runtime.racing import Racing
from studio.runtime.recorder import Recorder
from studio.runtime.step import StepRunner
from studio.runtime.values import Failed, Resolved, labels_of, shown_all
from studio.trace.events import StepFinished, StepReady, StepStarted


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
        if region.chain is not None:
            run_step = self._steps.run
            for vertex in region.chain:
                if isinstance(vertex, PlannedNode) and not vertex.is_sheltered:
                    await run_step(vertex, frame)
                else:
                    await self._run_vertex(vertex, frame)
            return
        waits = list(region.waits)
        first, *others = region.roots
        try:
            async with asyncio.TaskGroup() as group:
                for index in others:
                    group.create_task(self._follow(index, frame, waits, group))
                await self._follow(first, frame, waits, group)
        except ExceptionGroup as errors:
            raise first_cause(errors) from None

    async def _follow(self, index: int, frame: Frame, waits: list[int], group: asyncio.TaskGroup) -> None:
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
        inputs, reason = self._steps.inputs(owner, frame, without=RETURNS)
        if isinstance(reason, Failed):
            self._recorder.record(told_again(reason), step_id(frame.scope, owner.id), frame.step)
            raise Travelling(reason)
        if reason:
            for node in (owner, *region.collects):
                skip(self._recorder, node, frame, reason)
            return
        ref = ref_of(owner, frame)
        items: Items | None = None
        self._recorder.record(StepReady(), ref.step, frame.step)
        with Ending(self._recorder, ref.step, owner.id, frame.step) as ending:
            inputs = await self._gate.before(ref, inputs)
            ending.labels = labels_of(inputs)
            self._recorder.record(StepStarted(shown_all(inputs)), ref.step, frame.step)
            outputs: dict[str, Resolved] = {}
            if is_map:
                items = await run_map(self.run, region, owner, frame, inputs)
            elif owner.run.state == "bypassed":
                outputs = {"result": inputs["start"]}
            else:
                outputs = await run_loop(self.run, self._recorder, region, owner, frame, inputs)
            outputs = await self._gate.after(ref, outputs)
            finished = StepFinished(shown_all(outputs))
        self._recorder.record(finished, ref.step, frame.step)
        frame.values[owner.id] = {**frame.values.get(owner.id, {}), **outputs, THEN: DONE}
        for node in region.collects:
            try:
                await collect(self._recorder, self._gate, node, frame, items or Items([]))
            except Travelling as error:
                frame.values[node.id] = failed_outputs(node, error.failed)
            except StepFailure as failure:
                if not node.is_sheltered:
                    raise
                frame.values[node.id] = failed_outputs(node, travelling(failure))

    def _fail_region(self, region: PlannedRegion, frame: Frame, failed: Failed) -> None:
        """Let a failure stand at all that a loop or map gives, its body included."""
        for node in region.collects:
            self._recorder.record(told_again(failed), step_id(frame.scope, node.id), frame.step)
        for node in region.nodes():
            frame.values[node.id] = failed_outputs(node, failed)
