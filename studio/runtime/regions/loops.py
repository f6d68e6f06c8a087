"""Loops: their rounds, one after the other.

When a loop is over, the values of its last round that are read outside are copied to the frame around it. Its
`history` is made only where somebody reads it, and has the last `rounds_kept` rounds. A loop that is bypassed
gives its `start`.
"""

from collections import deque
from typing import cast

from studio.bounds.weights import LARGEST
from studio.errors import StepError
from studio.ids import NodeId, inner_scope, step_id
from studio.runtime.failures import Travelling
from studio.runtime.limits.cancellations import Stops
from studio.runtime.plans.plan import HISTORY, PlannedNode, PlannedRegion
from studio.runtime.recorder import Recorder
from studio.runtime.state.frame import Frame, RunFrame, inner_lane
from studio.runtime.values import ABSENT, FLOW, Failed, Resolved, Value, joined, size_of
from studio.sdk.expressions import compile_expression
from studio.sdk.values import to_plain
from studio.trace.events import StepProgressed

RETURNS = frozenset({"again", "done", "also"})
"""Inputs of a loop that its body gives back, round by round."""


class History:
    """What the last rounds of a loop gave back, as far as it is kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._rounds: deque[tuple[Value, int]] = deque()
        self._size = 0

    def add(self, again: Value, number: int) -> None:
        """Keep what a round gave; raises `StepError` where that is too much for one value."""
        if not self._most:
            return
        if len(self._rounds) == self._most:
            self._size -= self._rounds.popleft()[1]
        size = size_of(again)
        self._rounds.append((again, size))
        self._size += size
        if self._size > LARGEST:
            message = f"Its history exceeded {LARGEST >> 20} MiB in round {number}."
            raise StepError(message, hint="Keep fewer rounds in its history, or pass on less.")

    def value(self) -> Value:
        """All of it as a list."""
        values = [value for value, _ in self._rounds]
        return Value([one.data for one in values], joined(values) or FLOW)


async def run_loop(
    run: RunFrame,
    recorder: Recorder,
    stops: Stops,
    region: PlannedRegion,
    loop: PlannedNode,
    frame: Frame,
    inputs: dict[str, Resolved],
) -> dict[str, Resolved]:
    """Run the rounds of a loop one after the other; gives its outputs."""
    step = step_id(frame.scope, loop.id)
    value = cast("Value", inputs["start"])
    most = int(loop.settings["max_rounds"])
    stop_when = str(loop.settings["stop_when"])
    stop = compile_expression(stop_when, ("value", "again", "round")) if stop_when else None
    history = History(int(loop.settings["rounds_kept"]) if region.has_history else 0)
    result: Resolved = ABSENT
    number = 0
    while True:
        number += 1
        recorder.record(StepProgressed(number, most), step, frame.step)
        scope = inner_scope(frame.scope, loop.id, number)
        child = Frame(region, scope, frame, step, lane=inner_lane(frame, loop.id))
        child.values[loop.id] = {"value": value, "round": Value(number, FLOW)}
        await stops.watch(scope, run(child))
        again = child.read_input(loop.input("again"))
        done = child.read_input(loop.input("done"))
        also = (child.read(feed) for feed in loop.input("also").feeds)
        for returned in (again, done, *also):
            if isinstance(returned, Failed):
                raise Travelling(returned)
        if isinstance(again, Value):
            history.add(again, number)
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
                raise StepError(message, hint="Allow more rounds, or use the last value at the limit.")
            result = again
            break
        value = again
    frame.values.update(_left_by(child))
    return {"result": result, **({HISTORY: history.value()} if region.has_history else {})}


def _left_by(last: Frame) -> dict[NodeId, dict[str, Resolved]]:
    """What the last round gives to what stands after the loop."""
    leaving = last.region.leaving
    return {node: outputs for node, outputs in last.values.items() if node in leaving}
