"""Maps: their items side by side, and the collects that gather what these gave.

Loops, maps and collects pass the gate as steps do; a collect shows and takes the whole list at `value`. Items
get a task each when they begin, some in a turn of the event loop (`limits/pace.py`), so that a thousand need
not wait in line one by one.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from studio.errors import CancelledStepError, StepError
from studio.flow.ports import THEN, item_port
from studio.ids import inner_scope, step_id
from studio.runtime.failures import (
    ENDS_THE_RUN,
    Ending,
    StepFailure,
    Travelling,
    cause_of,
    first_cause,
    told_again,
    told_value,
    travelling,
)
from studio.runtime.gates.debug_gate import Gate, ref_of
from studio.runtime.limits.cancellations import Stops
from studio.runtime.limits.pace import Breath
from studio.runtime.limits.slots import Turns
from studio.runtime.plans.plan import PlannedNode, PlannedRegion
from studio.runtime.recorder import Recorder
from studio.runtime.state.frame import Frame, RunFrame, inner_lane
from studio.runtime.state.run_variables import ItemVariables
from studio.runtime.steps.outputs import DONE, skip, stand_in
from studio.runtime.values import FLOW, Failed, Resolved, Value, joined, labels_of, shown_all
from studio.trace.events import StepFinished, StepReady, StepStarted

PORTION = 16
"""Items that begin in one turn of the event loop, where so many may be under way."""


@dataclass(slots=True)
class Items:
    """What became of the items of a map: their frames, and which of them failed."""

    frames: list[Frame]
    failures: dict[int, StepFailure] = field(default_factory=dict[int, StepFailure])


class _ItemTurns(Turns):
    """Turns that are over when an item has failed: the others are stopped only a moment later.

    An item works in a block of them, with a turn that was taken for it before.
    """

    __slots__ = ("are_over",)

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.are_over = False

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, *_: object) -> None:
        self.are_over = self.are_over or kind is not None
        self.give_back()


class MapRun:
    """One execution of a map."""

    def __init__(
        self,
        run: RunFrame,
        recorder: Recorder,
        stops: Stops,
        breath: Breath,
        region: PlannedRegion,
        each: PlannedNode,
        frame: Frame,
        inputs: dict[str, Resolved],
    ) -> None:
        """Make it ready; raises `StepError` for lists that do not belong together."""
        self._run = run
        self._stops = stops
        self._breath = breath
        self._region = region
        self._each = each
        self._frame = frame
        self._step = step_id(frame.scope, each.id)
        self._lists = {item_port(name): cast("Value", value) for name, value in inputs.items()}
        self._count = _common_length(inputs)
        at_once = int(each.settings["at_once"])
        self._turns = _ItemTurns(at_once)
        self._variables = ItemVariables(
            frame.layer(), lambda merged: recorder.record(merged, self._step, frame.step), at_once=at_once
        )
        self._items = Items([])
        # A failed item fails no more than itself where every collect takes failures in; where none of them
        # could go on without it, the others need not go on.
        self._is_tolerant = all(takes_failures_in(node) for node in region.collects)
        strict = [node for node in region.collects if node.settings["failed"] == "fail"]
        self._stops_all = len(strict) == len(region.collects)
        self._watched = strict if self._stops_all and all(map(_can_fail_alone, strict)) else ()

    async def run(self) -> Items:
        """Run the items, as many at once as the map says, and give what became of them.

        They begin a portion at a time, so that thousands of them keep nobody from working, without waiting
        in line one by one.
        """
        turns, breath, depth = self._turns, self._breath, self._step.count("/") + 1
        try:
            async with asyncio.TaskGroup() as group:
                for index in range(self._count):
                    if not turns.take():
                        await turns.wait()
                    elif index and not index % PORTION:
                        await asyncio.sleep(0)
                        breath.was_drawn()
                    if turns.are_over:
                        break
                    if breath.is_needed():
                        await breath.draw(depth)
                    group.create_task(self._one(index, self._begun(index)))
        except ExceptionGroup as errors:
            ends_the_run, _ = errors.split(StepFailure)
            raise first_cause(ends_the_run or errors) from None
        return self._items

    def _begun(self, index: int) -> Frame:
        scope = inner_scope(self._frame.scope, self._each.id, index)
        lane = inner_lane(self._frame, f"{self._each.id}.{index}")
        item = Frame(self._region, scope, self._frame, self._step, lane=lane)
        self._items.frames.append(item)
        values = item.values[self._each.id] = {
            name: Value(cast("list[object]", value.data)[index], value.labels or FLOW)
            for name, value in self._lists.items()
        }
        values["index"], values[THEN] = Value(index, FLOW), DONE
        return item

    async def _one(self, index: int, item: Frame) -> None:
        with self._turns:
            item.variables = layer = self._variables.begin(item.scope)
            try:
                with self._stops.within(item.scope):
                    await self._run(item)
            except CancelledStepError as error:  # cancelled by hand: the map's own failure
                failure = StepFailure(self._step, self._each.id, error)
                failure.__cause__ = error
                self._fail(index, failure)
            except StepFailure as failure:
                self._fail(index, failure)
            else:
                for node in self._watched:
                    value = item.read_input(node.input("value"))
                    if isinstance(value, Failed):
                        raise Travelling(value)
                has_failed = layer.writes and _has_failed(self._region, item)
                self._variables.end(index, None if has_failed else layer)

    def _fail(self, index: int, failure: StepFailure) -> None:
        """Note that an item has failed; raises what ends the map with it."""
        if not self._is_tolerant or isinstance(failure.error, ENDS_THE_RUN):
            raise failure
        if self._stops_all:
            raise Travelling(travelling(failure)) from None
        self._items.failures[index] = failure
        self._variables.end(index, None)


def _has_failed(region: PlannedRegion, item: Frame) -> bool:
    """Whether what an item gives to a collect is a failure."""
    return any(isinstance(item.read_input(node.input("value")), Failed) for node in region.collects)


def _common_length(lists: Mapping[str, Resolved]) -> int:
    """How many items a map has; raises `StepError` where its lists are not equally long."""
    lengths: dict[str, int] = {}
    for name, value in lists.items():
        if not isinstance(value, Value) or not isinstance(value.data, list):
            message = f"`{name}` is not a list."
            raise StepError(message)
        lengths[name] = len(cast("list[object]", value.data))
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"`{name}` has {count}" for name, count in lengths.items())
        message = f"The lists have different lengths: {told}."
        raise StepError(message, hint="Pass lists that belong together, element by element.")
    return lengths["items"]


def takes_failures_in(collect: PlannedNode) -> bool:
    """Whether a failed item is no failure of the run at this collect."""
    return collect.settings["failed"] != "fail" or collect.run.on_error != "fail"


def _can_fail_alone(collect: PlannedNode) -> bool:
    """Whether a failure that arrives at this collect is taken in, by itself or by what comes after it."""
    return collect.is_sheltered or collect.run.on_error != "fail"


async def collect(
    recorder: Recorder, stops: Stops, gate: Gate, node: PlannedNode, frame: Frame, items: Items | Failed
) -> None:
    """Gather what the items of a map gave, as a step of its own; or what stands in for it if that failed."""
    reason = "muted" if node.run.state == "muted" else ""
    if frame.is_held_back(node):
        reason = "what it comes after did not happen"
    if reason:
        skip(recorder, node, frame, reason)
        return
    failed = frame.failed_before(node)
    if failed is not None:
        recorder.record(told_again(failed), step_id(frame.scope, node.id), frame.step)
        raise Travelling(failed)
    ref = ref_of(node, frame)
    recorder.record(StepReady(), ref.step, frame.step)
    with Ending(recorder, ref.step, node.id, frame.step) as ending:
        try:
            values, kept = _gathered(node, items)
        except (Travelling, StepError) as error:
            if node.run.on_error == "fail":
                raise
            await stops.watch(ref.step, gate.before(ref, {}))
            recorder.record(StepStarted({}), ref.step, frame.step)
            outputs = stand_in(node, *cause_of(error, FLOW))
        else:
            inputs = await stops.watch(ref.step, gate.before(ref, {"value": values}))
            ending.labels = labels_of(inputs)
            recorder.record(StepStarted(shown_all(inputs)), ref.step, frame.step)
            outputs: dict[str, Resolved] = {"values": inputs["value"], "kept": kept}
        outputs = await stops.watch(ref.step, gate.after(ref, outputs))
        finished = StepFinished(shown_all(outputs))
    recorder.record(finished, ref.step, frame.step)
    frame.values[node.id] = {**outputs, THEN: DONE}


def _gathered(node: PlannedNode, items: Items | Failed) -> tuple[Value, Value]:
    if isinstance(items, Failed):
        raise Travelling(items)
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
            message = f"Item {index} has no value."
            raise StepError(message, hint="Let `collect` drop absent items, or wire every case.")
    listed: list[Any] = [value.data for value in values]
    return Value(listed, joined(values) or FLOW), Value(list[object](kept), FLOW)
