"""Loops and lanes of a script: Python's own, with the scopes that the engine gives them.

for number in rounds("rounds", 4):
    draft = await agent("writer", draft)          # rounds.1/writer, rounds.2/writer, …

left, right = await gather(first(), second())     # at once
"""

import asyncio
from collections.abc import Awaitable, Coroutine, Generator
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar

from studio.errors import StepError
from studio.ids import NodeId, Scope
from studio.runtime.failures import StepFailure, first_cause
from studio.runtime.state.frame import Frame, inner_lane
from studio.script.no_value import nothing
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
    has failed: raises `StepError`, as for a loop without a round.
    """
    place = here()
    if most < 1:
        raise StepError(
            f'`rounds("{name}", {most})` allows no round, so nothing in the loop would run.',
            hint="Allow one round or more.",
        )
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
    beside = [_beside(place) for _ in work]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_in_lane(lane, one)) for lane, one in zip(beside, work, strict=True)]
    except ExceptionGroup as errors:
        raise first_cause(errors) from None
    finally:
        for one in beside:
            place.lane.labels |= one.lane.labels
    return [task.result() for task in tasks]


class Started(Generic[T]):
    """A lane under way: await it for what it gives."""

    def __init__(self, task: "asyncio.Task[T]", lane: Lane) -> None:
        self._task, self._lane = task, lane

    def __await__(self) -> Generator[Any, None, T]:
        """What the lane gave; whoever awaits it has read what it has read."""
        result = yield from self._task
        here().lane.labels |= self._lane.labels
        return result


class Lanes:
    """Lanes that may wait for one another: `async with lanes() as together: first = together.start(work())`.

    The first error stops all of them, and is raised at the end of the block, when all are over.
    """

    def __init__(self) -> None:
        self._place = here()
        self._lanes: list[Lane] = []
        self._group = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        self._place.settle()
        await self._group.__aenter__()
        return self

    def start(self, work: Coroutine[Any, Any, T]) -> Started[T]:
        """Begin a lane, which others may await."""
        place = _beside(self._place)
        self._lanes.append(place.lane)
        return Started(self._group.create_task(_in_lane(place, work)), place.lane)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._group.__aexit__(kind, error, trace)
        except ExceptionGroup as errors:
            raise first_cause(errors) from None
        finally:
            for lane in self._lanes:
                self._place.lane.labels |= lane.labels


def lanes() -> Lanes:
    """Open lanes that may wait for one another; see `Lanes`."""
    return Lanes()


async def settled(place: Place, work: Awaitable[T]) -> T:
    """Do the work at a place, and see how its last loops ended."""
    try:
        result = await work
    except (Exception, asyncio.CancelledError) as error:
        place.settle(error)
        raise
    place.settle()
    return result


def _beside(place: Place) -> Place:
    """The same place for a lane of its own, whose steps stand in a frame of their own."""
    frame = place.frame
    beside = Frame(NOWHERE, frame.scope, frame, frame.step, lane=frame.lane)
    return Place(place.running, beside, Lane(place.lane.labels), place.path)


async def _in_lane(place: Place, work: Coroutine[Any, Any, T]) -> T:
    with standing(place):
        return await settled(place, work)
