"""Loops and lanes of a script: Python's own, with the scopes that the engine gives them.

for number in rounds("rounds", 4):
    draft = await agent("writer", draft)          # rounds.1/writer, rounds.2/writer, …

left, right = await gather(first(), second())     # at once
"""

import asyncio
from collections.abc import Awaitable, Coroutine, Generator
from dataclasses import replace
from typing import Any, Literal, TypeVar

from studio.errors import StepError
from studio.ids import NodeId, Scope
from studio.runtime.failures import StepFailure, first_cause
from studio.runtime.frame import Frame, inner_lane
from studio.script.absence import nothing
from studio.script.place import HERE, NOWHERE, Lane, Place, here, standing
from studio.trace.events import StepProgressed, StepReady, StepSkipped, StepStarted

T = TypeVar("T")


def rounds(
    name: str,
    most: int,
    *,
    start: object = None,
    on_limit: Literal["take the last", "fail"] = "take the last",
) -> Generator[int]:
    """Count the rounds of a loop from 1; the steps of each stand in its scope.

    Leave it with `break`. There are none where it is to `start` with `nothing`. The loop's own step is
    recorded as finished, or failed where an error ends it. With `on_limit="fail"` a loop that was not left
    has failed: raises `StepError`.
    """
    place = here()
    node, step, parent = NodeId(name), place.begin(name), place.frame.step
    record = place.running.engine.services.recorder.record
    if start is nothing:
        record(StepSkipped("`start` is absent"), step, parent)
        return
    record(StepReady(), step, parent)
    record(StepStarted({}), step, parent)
    try:
        around, path, lane = place.frame, f"{place.path}{node}/", inner_lane(place.frame, name)
        for number in range(1, most + 1):
            place.settle()
            record(StepProgressed(number, most), step, parent)
            frame = Frame(NOWHERE, Scope(f"{step}.{number}"), around, step, lane=lane)
            HERE.set(Place(place.running, frame, place.lane, path))
            yield number
        if on_limit == "fail":
            error = StepError(
                f"It was not done after {most} rounds.",
                hint="Allow more rounds, or use the last value at the limit.",
            )
            raise place.running.fail(StepFailure(step, node, error, place.lane.labels))
    finally:
        HERE.set(place)
        place.lane.left.append((step, parent))


async def gather(*work: Coroutine[Any, Any, Any]) -> list[Any]:
    """Do several things at once; the first error stops the others, and is raised."""
    place = here()
    place.settle()
    lanes = [Lane(place.lane.labels) for _ in work]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(_in_lane(replace(place, lane=lane), one))
                for lane, one in zip(lanes, work, strict=True)
            ]
    except ExceptionGroup as errors:
        raise first_cause(errors) from None
    finally:
        for lane in lanes:
            place.lane.labels |= lane.labels
    return [task.result() for task in tasks]


async def settled(place: Place, work: Awaitable[T]) -> T:
    """Do the work at a place, and see how its last loops ended."""
    try:
        result = await work
    except (Exception, asyncio.CancelledError) as error:
        place.settle(error)
        raise
    place.settle()
    return result


async def _in_lane(place: Place, work: Coroutine[Any, Any, T]) -> T:
    with standing(place):
        return await settled(place, work)
