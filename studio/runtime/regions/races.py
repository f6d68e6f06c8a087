"""Runs one frame of a region that holds races: whoever leads into one alone is stopped when it is decided.

A race begins with the first value, and the steps that lead into it alone are stopped, those further in
included. A loop or map that leads elsewhere too goes on without them, for what leads elsewhere; one that
leads nowhere else is stopped as a whole.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from collections.abc import Set as AbstractSet

from studio.ids import NodeId, step_id
from studio.runtime.failures import first_cause
from studio.runtime.plans.plan import PlannedNode, PlannedRace, PlannedRegion
from studio.runtime.recorder import Recorder
from studio.runtime.state.frame import Frame, Lost
from studio.runtime.values import Value
from studio.trace.events import RaceDecided, StepSkipped

RACE_OVER = "another value won the race"
"""Why a step that lost did not happen."""

RunVertex = Callable[[PlannedNode | PlannedRegion, Frame], Coroutine[None, None, None]]


class Racing:
    """One frame on its way; as `Scheduler.run` otherwise."""

    def __init__(self, frame: Frame, run_vertex: RunVertex, recorder: Recorder) -> None:
        region = frame.region
        self._frame = frame
        self._region = region
        self._run_vertex = run_vertex
        self._recorder = recorder
        self._waits = list(region.waits)
        self._races = {race.index: race for race in region.races}
        self._losable = self._places_of(region.may_lose)
        self._contenders = self._losable.union(*(race.contenders for race in region.races))
        self._group: asyncio.TaskGroup | None = None
        self._settled: set[int] = set()
        self._passed: set[int] = set()
        """Vertices that nothing waits for any more, however they ended."""
        self._arrived: dict[int, list[int]] = {race.index: [] for race in region.races}
        """Of each race, the wires over which a value has come, in time."""
        self._begun: set[int] = set()
        self._stopped: set[int] = set()
        self._over: set[int] = set()
        self._entered: set[int] = set()
        """Contenders whose task has come to its turn; one that is stopped before that has told nothing."""
        self._working: dict[int, asyncio.Task[None]] = {}
        self._winners = frame.winners = {}
        self._past = frame.layer().past
        self._losers = self._known_losers()
        self._around = frame.parent.lost_around() if region.may_lose and frame.parent is not None else []
        if any(race.deeper for race in region.races):
            frame.lost = Lost()

    async def run(self) -> None:
        """Run every vertex; raises the first `StepFailure`, the rest cancelled."""
        for lost in self._around:
            lost.listeners.append(self._lose)
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                self._begin(group)
        except ExceptionGroup as errors:
            raise first_cause(errors) from None
        finally:
            for lost in self._around:
                lost.listeners.remove(self._lose)

    def _begin(self, group: asyncio.TaskGroup) -> None:
        for lost in self._around:
            self._lose(lost.nodes)
        # Values from outside the region are there before anything in it begins.
        decided = [race.index for race in self._region.races if self._settle(race)]
        taken = {*decided, *self._stopped, *self._begun}
        roots = [one for one in self._region.roots if one not in taken and not self._has_lost(one)]
        starts = [one for one in decided if one not in self._begun] + roots
        self._begun.update(starts)
        for index in starts:
            group.create_task(self._follow(index, group))

    async def _follow(self, index: int, group: asyncio.TaskGroup) -> None:
        following: int | None = index
        while following is not None:
            await self._work(following)
            # The first of what is ready stays in this task, as in a region without races: a chain needs one.
            ready = self._released(following)
            following = ready[0] if ready else None
            for other in ready[1:]:
                group.create_task(self._follow(other, group))

    async def _work(self, index: int) -> None:
        """Run one vertex, unless it is stopped."""
        if index in self._stopped:
            return
        vertex = self._region.vertices[index]
        if index not in self._contenders:  # only who may be stopped alone needs a task that can be cancelled
            await self._run_vertex(vertex, self._frame)
            self._over.add(index)
            return
        task = self._working[index] = asyncio.create_task(self._enter(index))
        try:
            await task
        except asyncio.CancelledError:
            here = asyncio.current_task()
            if index in self._stopped and here is not None and not here.cancelling():
                if index not in self._entered:
                    self._skip(index)
                return
            raise
        finally:
            del self._working[index]
        self._over.add(index)

    async def _enter(self, index: int) -> None:
        self._entered.add(index)
        await self._run_vertex(self._region.vertices[index], self._frame)

    def _released(self, index: int) -> list[int]:
        """What can begin now that a vertex is over or stopped; parts of what waits may lead elsewhere."""
        ready: list[int] = []
        if index in self._passed:
            return ready
        self._passed.add(index)
        self._frame.leave(index)
        for dependant in self._region.dependants[index]:
            self._waits[dependant] -= 1
            gone = dependant in self._begun or dependant in self._stopped or dependant in self._settled
            if gone or self._has_lost(dependant):
                continue
            race = self._races.get(dependant)
            if (race is not None and self._settle(race)) or self._waits[dependant] == 0:
                self._begun.add(dependant)
                ready.append(dependant)
        return [one for one in ready if one not in self._stopped]

    def _settle(self, race: PlannedRace) -> bool:
        """Decide a race if a value has come and all that it comes after has happened."""
        frame, feeds, arrived = self._frame, race.node.input("values").feeds, self._arrived[race.index]
        for place, feed in enumerate(feeds):
            if place not in arrived and isinstance(frame.read(feed), Value):
                arrived.append(place)
        if not arrived or not all(isinstance(frame.read(feed), Value) for feed in race.node.after):
            return False
        winner = self._earlier_winner(race)
        if winner not in arrived:
            if winner is not None and self._waits[race.index]:
                return False
            winner = arrived[0]
        self._winners[feeds] = winner
        self._settled.add(race.index)
        decided = RaceDecided(f"{feeds[winner].node}.{feeds[winner].port}", winner)
        self._recorder.record(decided, step_id(frame.scope, race.node.id), frame.step)
        self._stop(race.contenders)
        if frame.lost is not None and race.deeper:
            frame.lost.lose(race.deeper)
        return True

    def _earlier_winner(self, race: PlannedRace) -> int | None:
        """The place of the wire that the race took in the run that this one goes back to."""
        if self._past is None:
            return None
        feeds = race.node.input("values").feeds
        names = [f"{feed.node}.{feed.port}" for feed in feeds]
        winner = self._past.winners.get(step_id(self._frame.scope, race.node.id))
        return names.index(winner) if winner in names else None

    def _known_losers(self) -> frozenset[int]:
        """The contenders of races with an earlier winner that do not lead to it; a replay runs them still."""
        losers: set[int] = set()
        for race in self._region.races:
            winner = self._earlier_winner(race)
            if winner is not None and self._past is not None and self._past.course is None:
                feed = race.node.input("values").feeds[winner]
                losers |= race.contenders - self._leading_to(feed.node)
        return frozenset(losers)

    def _leading_to(self, node: NodeId) -> set[int]:
        """The vertex of a node, and all that comes before it in the region."""
        vertices = enumerate(self._region.vertices)
        found = {place for place, vertex in vertices if any(one.id == node for one in held_in(vertex))}
        grows = True
        while grows:
            before = {
                place for place, after in enumerate(self._region.dependants) if not found.isdisjoint(after)
            }
            grows = not before <= found
            found |= before
        return found

    def _has_lost(self, index: int) -> bool:
        """Whether a vertex need not begin: it lost, and it had not come to an end then."""
        if index not in self._losers or self._past is None:
            return False
        vertex = self._region.vertices[index]
        return isinstance(vertex, PlannedRegion) or (
            step_id(self._frame.scope, vertex.id) not in self._past.kept
        )

    def _lose(self, nodes: AbstractSet[NodeId]) -> None:
        """Stop what a race further out has stopped."""
        self._stop(self._places_of(nodes) & self._losable)

    def _places_of(self, nodes: AbstractSet[NodeId]) -> frozenset[int]:
        """The vertices that hold none but these nodes."""
        vertices = enumerate(self._region.vertices) if nodes else ()
        return frozenset(i for i, vertex in vertices if all(one.id in nodes for one in held_in(vertex)))

    def _stop(self, places: Iterable[int]) -> None:
        losers = [one for one in sorted(places) if one not in self._stopped and one not in self._over]
        self._stopped.update(losers)
        idle = [one for one in losers if one not in self._working]
        for index in losers:
            if index in self._working:
                self._working[index].cancel()
            else:
                self._skip(index)
        for index in idle:
            for ready in self._released(index):
                if self._group is not None:
                    self._group.create_task(self._follow(ready, self._group))

    def _skip(self, index: int) -> None:
        vertex = self._region.vertices[index]
        node = vertex if isinstance(vertex, PlannedNode) else vertex.owner
        if node is not None:
            skipped = StepSkipped(RACE_OVER)
            self._recorder.record(skipped, step_id(self._frame.scope, node.id), self._frame.step)


def held_in(vertex: PlannedNode | PlannedRegion) -> Iterable[PlannedNode]:
    """The nodes of a vertex."""
    return (vertex,) if isinstance(vertex, PlannedNode) else vertex.nodes()
