"""A loop or a map as one step of the region around it: its gate, its time limit, its error policy.

The limit counts all that happens inside, less the time in which steps were held. A loop's policy speaks for
its `result` and `history`, a map's stands at its collects; what fails inside them fails the whole, and the
policy stands in. It speaks for what was begun: a loop whose `start` has failed fails unrun, as steps do.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager

from studio.errors import CancelledStepError
from studio.flow.ports import THEN
from studio.ids import step_id
from studio.runtime.failures import (
    ENDS_THE_RUN,
    ITEMS_DROPPED,
    DroppedStep,
    Ending,
    StepFailure,
    Travelling,
    cause_of,
    told_again,
    travelling,
)
from studio.runtime.gates.debug_gate import Gate, ref_of
from studio.runtime.limits.cancellations import Stops
from studio.runtime.limits.pace import Breath
from studio.runtime.limits.time_limit import limited
from studio.runtime.plans.plan import NotExecuted, PlannedNode, PlannedRegion
from studio.runtime.recorder import Recorder
from studio.runtime.regions.loops import RETURNS, run_loop
from studio.runtime.regions.maps import Items, MapRun, collect
from studio.runtime.regions.races import RACE_OVER
from studio.runtime.state.frame import Frame, RunFrame
from studio.runtime.steps.flow_calls import takes_in
from studio.runtime.steps.outputs import DONE, failed_outputs, skip, stand_in
from studio.runtime.steps.pinned_step import give_pinned
from studio.runtime.values import FLOW, Failed, Resolved, labels_of, shown_all
from studio.trace.events import StepFinished, StepReady, StepStarted, StepTimedOut

ReadInputs = Callable[..., tuple[dict[str, Resolved], str | Failed]]
"""As `StepRunner.inputs`."""


class Areas:
    """Runs loops and maps; `run` runs what stands in one round or item of them."""

    def __init__(
        self,
        run: RunFrame,
        inputs: ReadInputs,
        stops: Stops,
        breath: Breath,
        gate: Gate,
        recorder: Recorder,
    ) -> None:
        self._run_frame = run
        self._inputs = inputs
        self._stops = stops
        self._breath = breath
        self._gate = gate
        self._recorder = recorder

    async def run(self, region: PlannedRegion, frame: Frame) -> None:
        """Run a loop or map, and leave in `frame` what it gives; raises `StepFailure`."""
        owner = region.owner
        if owner is None:
            message = "a loop or map without a node"
            raise AssertionError(message)
        if owner.not_executed is not None:
            await self._give_pinned((owner, *region.collects), frame)
            return
        inputs, reason = self._inputs(owner, frame, without=RETURNS)
        if isinstance(reason, Failed):
            self._fail_unrun(region, owner, frame, reason)
            return
        if reason:
            self._skip((owner, *region.collects), frame, reason)
            return
        try:
            await self._work(region, owner, frame, inputs)
        except DroppedStep:
            frame.values[owner.id] = {}
            self._skip(region.collects, frame, ITEMS_DROPPED)
        except Travelling as error:
            await self._fail(region, frame, error.failed)
        except StepFailure as failure:
            # What failed further in was exposed there, or it would have travelled.
            if not owner.is_sheltered or failure.node != owner.id:
                raise
            await self._fail(region, frame, travelling(failure))

    def _skip(self, nodes: Iterable[PlannedNode], frame: Frame, reason: str) -> None:
        for node in nodes:
            skip(self._recorder, node, frame, reason)

    async def _give_pinned(self, nodes: Iterable[PlannedNode], frame: Frame) -> None:
        for node in nodes:
            why = node.not_executed or NotExecuted()
            await give_pinned(why, node, frame, self._recorder, self._gate, self._stops)

    async def _work(
        self, region: PlannedRegion, owner: PlannedNode, frame: Frame, inputs: dict[str, Resolved]
    ) -> None:
        ref = ref_of(owner, frame)
        items = Items([])
        self._recorder.record(StepReady(), ref.step, frame.step)
        with Ending(self._recorder, ref.step, owner.id, frame.step) as ending:
            try:
                work = self._course(region, owner, frame, inputs, ending)
                outputs, items = await self._stops.watch(ref.step, work)
            except CancelledStepError as error:
                if region.kind == "map" or owner.run.on_error == "fail":
                    raise
                outputs = stand_in(owner, error, ending.labels or FLOW)
            finished = StepFinished(shown_all(outputs))
        self._recorder.record(finished, ref.step, frame.step)
        frame.values[owner.id] = {**frame.values.get(owner.id, {}), **outputs, THEN: DONE}
        for node in region.collects:
            if any(node.id in lost.nodes for lost in frame.lost_around()):
                skip(self._recorder, node, frame, RACE_OVER)
            else:
                await self._collect(node, frame, items)

    async def _course(
        self,
        region: PlannedRegion,
        owner: PlannedNode,
        frame: Frame,
        inputs: dict[str, Resolved],
        ending: Ending,
    ) -> tuple[dict[str, Resolved], Items]:
        """From gate to gate: what a loop gives, or what became of the items of a map."""
        ref = ref_of(owner, frame)
        inputs = await self._gate.before(ref, inputs)
        ending.labels = labels_of(inputs)
        self._recorder.record(StepStarted(shown_all(inputs)), ref.step, frame.step)
        outputs: dict[str, Resolved] = {}
        items = Items([])
        if region.kind == "map":
            async with self._limited(owner, frame):
                run, recorder, stops = self._run_frame, self._recorder, self._stops
                items = await MapRun(run, recorder, stops, self._breath, region, owner, frame, inputs).run()
        elif owner.run.state == "bypassed":
            outputs = {"result": inputs["start"]}
        else:
            outputs = await self._rounds(region, owner, frame, inputs, ending)
        return await self._gate.after(ref, outputs), items

    async def _collect(self, node: PlannedNode, frame: Frame, items: Items | Failed) -> None:
        if node.not_executed is not None:
            await give_pinned(node.not_executed, node, frame, self._recorder, self._gate, self._stops)
            return
        try:
            await collect(self._recorder, self._stops, self._gate, node, frame, items)
        except DroppedStep:
            frame.values[node.id] = {}
        except Travelling as error:
            frame.values[node.id] = failed_outputs(node, error.failed)
        except StepFailure as failure:
            if not node.is_sheltered:
                raise
            frame.values[node.id] = failed_outputs(node, travelling(failure))

    def _limited(self, owner: PlannedNode, frame: Frame) -> AbstractAsyncContextManager[None]:
        step = step_id(frame.scope, owner.id)
        past = frame.layer().past
        course = past.course if past is not None else None
        timed_out = StepTimedOut(owner.run.time_limit or 0.0)
        return limited(
            owner.run.time_limit,
            self._gate.held_seconds,
            lambda: self._recorder.record(timed_out, step, frame.step),
            lambda expire: course is not None and course.limit(step, expire),
        )

    async def _rounds(
        self,
        region: PlannedRegion,
        loop: PlannedNode,
        frame: Frame,
        inputs: dict[str, Resolved],
        ending: Ending,
    ) -> dict[str, Resolved]:
        """What a loop gives, or what stands in for it when a round failed or took too long."""
        try:
            run, recorder, stops = self._run_frame, self._recorder, self._stops
            async with self._limited(loop, frame):
                return await run_loop(run, recorder, stops, region, loop, frame, inputs)
        except ENDS_THE_RUN:
            raise
        except Exception as error:
            given = await self._instead(loop, frame, inputs, error)
            if given is not None:
                return given
            if loop.run.on_error == "fail":
                raise
            return stand_in(loop, *cause_of(error, ending.labels or FLOW))

    async def _instead(
        self, loop: PlannedNode, frame: Frame, inputs: dict[str, Resolved], error: Exception
    ) -> dict[str, Resolved] | None:
        """What a person gives in the place of a loop's own error; those of its steps were held for there."""
        of_others = (StepFailure, Travelling, ExceptionGroup, CancelledStepError, DroppedStep)
        if self._gate.is_open or isinstance(error, of_others):
            return None
        is_caught = takes_in(loop, 1)
        return await self._gate.failed(ref_of(loop, frame), error, inputs, is_caught=is_caught)

    def _fail_unrun(self, region: PlannedRegion, owner: PlannedNode, frame: Frame, failed: Failed) -> None:
        """Let the failure of what it was to begin with stand at all that a loop or map gives."""
        for node in (owner, *region.collects):
            self._recorder.record(told_again(failed), step_id(frame.scope, node.id), frame.step)
        for node in region.nodes():
            frame.values[node.id] = failed_outputs(node, failed)

    async def _fail(self, region: PlannedRegion, frame: Frame, failed: Failed) -> None:
        """As `_fail_unrun`, once it has begun; collects with an error policy give what that says."""
        for node in region.nodes():
            frame.values[node.id] = failed_outputs(node, failed)
        for node in region.collects:
            if node.run.on_error == "fail":
                self._recorder.record(told_again(failed), step_id(frame.scope, node.id), frame.step)
            else:
                await self._collect(node, frame, failed)
