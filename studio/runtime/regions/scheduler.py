"""Runs regions: their vertices as soon as nothing is waited for; loops and maps through their owners.

A chain of steps runs in one task, one after the other; only what is ready beside it gets tasks of its own.
"""

import asyncio

from studio.runtime.failures import StepFailure, first_cause, travelling
from studio.runtime.gates.debug_gate import Gate
from studio.runtime.plans.plan import PlannedNode, PlannedRegion
from studio.runtime.recorder import Recorder
from studio.runtime.regions.areas import Areas
from studio.runtime.regions.races import Racing
from studio.runtime.state.frame import Frame
from studio.runtime.steps.outputs import failed_outputs
from studio.runtime.steps.step import StepRunner


class Scheduler:
    """Drives the steps of one run over its region tree."""

    def __init__(self, steps: StepRunner, gate: Gate, recorder: Recorder) -> None:
        self._steps = steps
        self._recorder = recorder
        self._areas = Areas(self.run, steps.inputs, steps.stops, steps.breath, gate, recorder)

    async def run(self, frame: Frame) -> None:
        """Run every vertex of the frame's region; raises the first `StepFailure`, the rest cancelled."""
        region = frame.region
        if not region.roots:
            return
        if region.races or region.may_lose:
            await Racing(frame, self._run_vertex, self._recorder).run()
            return
        # Steps in a row need neither tasks nor counts of what they wait for.
        if region.chain is not None:
            run_step = self._steps.run
            for index in region.chain:
                vertex = region.vertices[index]
                if isinstance(vertex, PlannedNode) and not vertex.is_sheltered:
                    await run_step(vertex, frame)
                else:
                    await self._run_vertex(vertex, frame)
                frame.leave(index)
            return
        waits = list(region.waits)
        first, *others = region.roots
        try:
            async with asyncio.TaskGroup() as group:
                for index in others:
                    group.create_task(self._follow(index, frame, waits, group))
                await self._follow(first, frame, waits, group)  # in this task: one less to make
        except ExceptionGroup as errors:
            raise first_cause(errors) from None

    async def _follow(self, index: int, frame: Frame, waits: list[int], group: asyncio.TaskGroup) -> None:
        region = frame.region
        following: int | None = index
        while following is not None:
            await self._run_vertex(region.vertices[following], frame)
            frame.leave(following)
            ready: list[int] = []
            for dependant in region.dependants[following]:
                waits[dependant] -= 1
                if waits[dependant] == 0:
                    ready.append(dependant)
            # This task goes on with one of them, so that a row within a wide region is one task as well.
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
        await self._areas.run(vertex, frame)

    async def _run_sheltered(self, node: PlannedNode, frame: Frame) -> None:
        try:
            await self._steps.run(node, frame)
        except StepFailure as failure:
            frame.values[node.id] = failed_outputs(node, travelling(failure))
