"""A run at a terminal: one of this process to which windows may come, and which others may stop."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from studio.errors import StoppedError
from studio.host.door import Door, News, Spoken
from studio.host.recorded_run import RunMaterials, run_recorded
from studio.runtime.limits.budget import Due, not_watched
from studio.runtime.resources.people import People
from studio.runtime.run import Control
from studio.sandbox.wasm import WasmBox
from studio.trace.events import Entry
from studio.trace.fold.state import RunState, StepStatus, fold
from studio.workspace.runs import Listener

__all__ = ["News", "run_at_terminal"]


async def run_at_terminal(
    materials: RunMaterials,
    listener: Listener,
    people: People,
    environ: Mapping[str, str],
    tell: Callable[[News], None],
    due: Due = not_watched,
) -> RunState:
    """Run to the end and give the state of the run, as `run_here` does; `tell` hears of windows.

    `due` is told when the run is to be over.

    Raises `StoppedError` where somebody stopped it from elsewhere; that is recorded.
    """
    state = fold(materials.earlier.entries)
    door = Door(materials, people, environ, tell, lambda: spoken_in(state))

    def publish(entries: Sequence[Entry]) -> None:
        for entry in entries:
            state.apply(entry)
        listener(entries, state)
        door.publish(entries)

    try:
        async with WasmBox() as box, door:
            await run_recorded(
                materials,
                publish,
                door.make_gate,
                door.people,
                control=Control(door.stops, door.allowance, due),
                box=box,
            )
    except asyncio.CancelledError:
        if not door.was_stopped:
            raise
        run = materials.spec.run
        raise StoppedError(
            f"The run `{run}` was stopped from elsewhere; it is recorded as cancelled.",
            hint=f"`stepwire resume {run}` resumes it.",
        ) from None
    return state


def spoken_in(state: RunState) -> Sequence[Spoken]:
    """Give what the chats that go on have answered so far."""
    steps = tuple(state.steps.values())  # in one go: another thread folds
    speaking = [one for one in steps if one.status is StepStatus.RUNNING and one.request is not None]
    return [(one.id, one.parent, one.text) for one in speaking if one.text]
