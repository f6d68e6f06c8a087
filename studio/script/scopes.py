"""Loops, maps, calls and lanes of a script: Python's own, with the scopes that the engine gives them.

for number in rounds("rounds", 4):
    draft = await agent("writer", draft)          # rounds.1/writer, rounds.2/writer, …

found = await each("cities", look_up, cities)     # cities.0/…, cities.1/…
summary = await call("summary", summarize, text)  # summary/…
left, right = await gather(first(), second())     # at once
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from dataclasses import replace
from typing import Any, Literal, TypeVar, cast

from studio.flow.records import Node, RunSettings, Socket, Wire
from studio.ids import NodeId, PortName, Scope, inner_scope
from studio.runtime.areas import Areas
from studio.runtime.failures import ENDS_THE_RUN, StepFailure, first_cause
from studio.runtime.frame import Frame
from studio.runtime.values import Value
from studio.script.place import HERE, Lane, Place, here, standing
from studio.script.running import GIVEN
from studio.sdk.values import to_plain
from studio.trace.events import StepFinished, StepProgressed, StepReady, StepStarted

T = TypeVar("T")
Item = TypeVar("Item")


def rounds(name: str, most: int) -> Generator[int]:
    """Count the rounds of a loop from 1; the steps of each stand in its scope.

    Leave it with `break`. The loop's own step is recorded as finished, or failed where an error ends it.
    """
    place = here()
    node, step, parent = NodeId(name), place.begin(name), place.frame.step
    record = place.running.engine.services.recorder.record
    record(StepReady(), step, parent)
    record(StepStarted({}), step, parent)
    try:
        for number in range(1, most + 1):
            place.settle()
            record(StepProgressed(number, most), step, parent)
            HERE.set(place.inside(node, inner_scope(place.frame.scope, node, number)))
            yield number
    finally:
        HERE.set(place)
        place.lane.left.append((step, parent))


async def call(name: str, function: Callable[..., Awaitable[T]], /, *args: Any, **kwargs: Any) -> T:
    """Call a function as a step of its own; the steps that it makes stand inside it."""
    place = here()
    node, step, parent = NodeId(name), place.begin(name), place.frame.step
    engine = place.running.engine
    recorder = engine.services.recorder
    recorder.record(StepReady(), step, parent)
    recorder.record(StepStarted({}), step, parent)
    inside = place.inside(node, Scope(step))
    try:
        with standing(inside):
            work = _settled(inside, function(*args, **kwargs))
            result = await engine.services.stops.watch(step, work)
    except Exception as error:
        recorder.record(place.running.told(error), step, parent)
        raise
    recorder.record(StepFinished({}), step, parent)
    return result


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
        ends, _ = errors.split(ENDS_THE_RUN)
        raise first_cause(ends or errors) from None
    finally:
        for lane in lanes:
            place.lane.labels |= lane.labels
    return [task.result() for task in tasks]


async def each(
    name: str,
    function: Callable[[Item], Awaitable[T]],
    items: Iterable[Item],
    *,
    at_once: int = 8,
    failed: Literal["fail", "drop", "keep"] = "fail",
    time_limit: float | None = None,
    collected: str = "",
) -> list[T]:
    """Do something with every item, so many at once; gives what came out, in the order of the items.

    The first failure stops the others and is raised; with `failed="drop"` the items that fail are left out,
    with `"keep"` their places have `{"error", "message", "hint"}`. `time_limit` is in seconds, for all. The
    step that gathers is called `collected`, or NAME_collected.
    """
    place = here()
    running, node, step = place.running, NodeId(name), place.begin(name)
    engine = running.engine
    given = list(items)
    gathers = NodeId(collected or f"{name}_collected")
    region = running.region(*_map_of(node, gathers, at_once, failed, time_limit))
    lanes: list[Lane] = []
    results: dict[int, T] = {}

    async def run(frame: Frame) -> None:
        index = int(frame.scope.rpartition(".")[2])
        lane = Lane(place.lane.labels)
        lanes.append(lane)
        inside = Place(running, frame, lane, f"{place.path}{node}/")
        try:
            with standing(inside):
                results[index] = await _settled(inside, function(given[index]))
        except ENDS_THE_RUN:
            raise
        except Exception as error:  # noqa: BLE001  # whatever it is, it is the item's own
            failure = running.failure(error)
            if failure is None:
                failure = StepFailure(step, node, error, lane.labels)
            raise failure from None

    around = place.frame
    outer = Frame(region, around.scope, around, around.step, lane=around.lane)
    outer.values[GIVEN] = {"value": Value([to_plain(one) for one in given], place.lane.labels)}
    services = engine.services
    areas = Areas(run, engine.steps.inputs, services.stops, services.breath, engine.gate, services.recorder)
    try:
        await areas.run(region, outer)
    except StepFailure as failure:
        raise running.fail(failure) from None
    finally:
        for lane in lanes:
            place.lane.labels |= lane.labels
    found = cast("list[Any]", cast("Value", outer.values[gathers]["values"]).data)
    return [results[one] if isinstance(one, int) else one for one in found]


def _map_of(
    node: NodeId, gathers: NodeId, at_once: int, failed: str, time_limit: float | None
) -> tuple[dict[NodeId, Node], list[Wire]]:
    """The map as a flow that hands on the index of each item; what becomes of items, the engine says."""
    nodes = {
        GIVEN: Node(kind="io.flow_input", settings={"type": "any[]"}),
        node: Node(
            kind="control.for_each", settings={"at_once": at_once}, run=RunSettings(time_limit=time_limit)
        ),
        gathers: Node(kind="control.collect", settings={"failed": failed}),
    }
    wires = [_wire(GIVEN, "value", node, "items"), _wire(node, "index", gathers, "value")]
    return nodes, wires


def _wire(source: NodeId, gives: str, target: NodeId, takes: str) -> Wire:
    return Wire(Socket(source, PortName(gives)), Socket(target, PortName(takes)))


async def _settled(place: Place, work: Awaitable[T]) -> T:
    """Do the work at a place, and see how its last loops ended."""
    try:
        result = await work
    except Exception as error:
        place.settle(error)
        raise
    place.settle()
    return result


async def _in_lane(place: Place, work: Coroutine[Any, Any, T]) -> T:
    with standing(place):
        return await _settled(place, work)
