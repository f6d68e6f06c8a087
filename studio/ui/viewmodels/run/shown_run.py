"""The run that the whole window shows, live or old, and what touched it since the last frame."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from studio.app.listeners import Listeners
from studio.app.runs.live_run import LiveRun
from studio.flow.records import Flow
from studio.ids import (
    NodeId,
    Scope,
    StepId,
    is_in_called_flow,
    own_scope,
    own_step,
    seen_from_outside,
    step_id,
    step_parts,
)
from studio.sdk.registry import Registry
from studio.trace.events import Entry
from studio.trace.fold.state import RunState, RunStatus
from studio.trace.fold.steps import StepState
from studio.ui.viewmodels.run.rounds import Rounds
from studio.ui.viewmodels.run.travel import Travel
from studio.workspace.runs import bound

History = Callable[[LiveRun], Iterable[Entry]]
"""Reads the entries of a run again, from the first; raises `StoreError`."""

NOWHERE = StepId("/")
"""No step is called so."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What changed since the last frame.

    `is_fresh` says that another run (or none) is shown now, so that everything is to be read again;
    `is_moved` that another moment of it is, at which `steps` are otherwise; `is_behind` that it goes on while
    an earlier moment is shown, to whose picture this adds nothing.
    """

    steps: Mapping[StepId, None] = field(default_factory=dict[StepId, None])
    """The touched steps, in the order they were touched first."""
    entries: Sequence[Entry] = ()
    is_fresh: bool = False
    is_moved: bool = False
    is_behind: bool = False


class ShownRun:
    """Holds the run that is shown and gathers its entries until `flush` tells them at once."""

    def __init__(self, history: History | None = None) -> None:
        """Show nothing yet; `history` reads the entries of a run again."""
        self._history: History = history or _no_history
        self._travel: Travel | None = None
        self._left: Sequence[StepId] | None = None
        self._run: LiveRun | None = None
        self._stop: Callable[[], None] = _nothing
        self._entries: list[Entry] = []
        self._is_fresh = False
        self._is_stale = False
        self._steps: dict[NodeId, list[StepId]] = {}
        self._indexed = 0
        self.rounds = Rounds()
        """The rounds and items that the run has come to."""
        self.looked_at: StepId | None = None
        """The step that a person chose: nodes in the same round are shown as they were then."""
        self._listeners: Listeners[Batch] = Listeners()
        self.trouble: Listeners[str] = Listeners()
        """Told why a moment cannot be shown."""

    @property
    def run(self) -> LiveRun | None:
        """The run itself."""
        return self._run

    @property
    def state(self) -> RunState | None:
        """The fold of the shown run, up to the moment that is shown; None while no run is shown."""
        return self._past or self.live_state

    @property
    def live_state(self) -> RunState | None:
        """The fold of all that is known of the shown run, whichever moment of it is shown."""
        return self._run.state if self._run is not None else None

    @property
    def moment(self) -> float | None:
        """Seconds after its beginning at which the run is shown; None: as it is now."""
        return self._travel.seconds if self._travel is not None else None

    @property
    def is_reading(self) -> bool:
        """Whether the moment that was asked for is not shown yet, because entries are still read."""
        return self._travel is not None and self._travel.is_reading

    @property
    def _past(self) -> RunState | None:
        return self._travel.state if self._travel is not None else None

    def show_moment(self, seconds: float | None) -> None:
        """Show the run as it was so long after its beginning, or (None) as it is now.

        Listeners hear of it with the next flush, or some frames later, when its entries have been read.
        """
        run = self._run
        if seconds is None or run is None or run.state.started is None:
            if self._travel is not None:
                self._left = self._travel.leave()
            self._travel = None
            return
        if self._travel is None:
            self._travel = Travel(run.state.started, lambda: self._history(run))
        self._travel.ask(seconds)

    def step_moment(self, direction: int) -> None:
        """Go on (1) or back (-1) to where anything happened next; past the last moment is the end."""
        state = self.live_state
        if self._travel is None and state is not None and state.started is not None and direction < 0:
            self.show_moment((state.ended or state.updated or state.started) - state.started)
        if self._travel is not None:
            self._travel.step(direction)

    def library(self, registry: Registry) -> Registry:
        """The node types with the flows that the shown run may call, as they were when it began."""
        return bound(registry, self._run.flows) if self._run is not None else registry

    def steps_of(self, node: NodeId) -> Sequence[StepId]:
        """The steps of a node so far, its chats and tool calls left out."""
        found, past = self._steps.get(node, ()), self._past
        if past is None:
            return found
        return found[: bisect_left(found, True, key=lambda one: one not in past.steps)]

    def shown_step(self, node: NodeId, chosen: StepId | None) -> StepState | None:
        """The step that stands for `node`: its chosen one or a held call of it, else a held one or the last.

        What is chosen or held in a flow that the node calls stands for it as well. While a person looks at a
        step of another node, it is the one in the same round or item, None where there was none.
        """
        state = self.state
        if state is None:
            return None
        found = state.steps.get(chosen) if chosen is not None else None
        if found is not None and node_of(found.id) == node:
            own = own_step(found.id)
            held = next((one for one in state.held_steps if own_step(one) == own), own)
            held = found.id if found.id in state.held_steps else held
            return state.steps.get(held, found)
        if self.looked_at is not None and self.looked_at == chosen:
            same = self._beside(state, node, self.looked_at)
            if same != NOWHERE:
                return state.steps.get(same)
        waiting = (state.steps[one] for one in state.held_steps)
        held = next((one for one in waiting if node_of(one.id) == node), None)
        return held or state.steps.get(state.latest.get(node, StepId("")))

    def _beside(self, state: RunState, node: NodeId, chosen: StepId) -> StepId:
        """The last step of a node in the rounds and items of another step; `NOWHERE` if they share none."""
        there = str(own_scope(step_parts(chosen)[0])).split("/")
        mine = str(step_parts(state.latest.get(node, StepId("")))[0]).split("/")
        shared = 0
        for one, other in zip(there, mine, strict=False):
            if not one or one.partition(".")[0] != other.partition(".")[0]:
                break
            shared += 1
        if not shared:
            return NOWHERE
        around = "/".join(there[:shared])
        if shared == len(mine):
            return step_id(Scope(around), node)
        found = (one for one in reversed(self.steps_of(node)) if one.startswith(f"{around}/"))
        return next(found, StepId(""))

    def around(self, step: StepId | None) -> Iterator[NodeId]:
        """The nodes that are shown otherwise while a person looks at a step: all in the outermost area."""
        state = self.state
        outer = own_scope(step_parts(step)[0]).partition("/")[0] if step is not None else ""
        if state is None or not outer:
            return
        owner = outer.partition(".")[0]
        for node, latest in state.latest.items():
            if node == owner or latest.startswith(f"{owner}."):
                yield node

    def on_batch(self, listener: Callable[[Batch], None]) -> Callable[[], None]:
        """Hear what changed, at most once a frame; returns the function that ends it."""
        return self._listeners.subscribe(listener)

    def show(self, run: LiveRun | None) -> None:
        """Show another run, or none; listeners hear of it with the next flush."""
        self.looked_at = None
        self._stop()
        self._run = run
        self._travel = self._left = None
        self._entries.clear()
        self._is_fresh = True
        self._stop = self._listen(run)

    def _listen(self, run: LiveRun | None) -> Callable[[], None]:
        if run is None:
            return _nothing
        ends = (run.on_entries(self._gather), run.on_change(self._mark))

        def stop() -> None:
            for end in ends:
                end()

        return stop

    def _mark(self) -> None:
        self._is_stale = True

    def flush(self) -> bool:
        """Tell listeners what came since the last call; gives whether there was anything."""
        came = self._flush_entries()
        left, self._left = self._left, None
        touched = self._go() if self._travel is not None else left
        if touched is None:
            return came
        self.rounds.within = self._past.steps if self._past is not None else None
        self._listeners.tell(Batch(dict.fromkeys(touched), is_moved=True))
        return True

    def _flush_entries(self) -> bool:
        if not (self._entries or self._is_fresh or self._is_stale):
            return False
        entries, self._entries = self._entries, []
        fresh, self._is_fresh = self._is_fresh, False
        known = self._run.state.steps if self._run is not None else ()
        # A binding names its node, which is no step.
        steps = dict.fromkeys(entry.step for entry in entries if entry.step in known)
        if self._is_stale and self._run is not None and self._run.status is RunStatus.INTERRUPTED:
            # What an interruption ends is told by no entry.
            steps = dict.fromkeys(self._run.state.order)
        self._is_stale = False
        self._index(fresh=fresh)
        if self._travel is not None:
            self._travel.take(entries)
        self._listeners.tell(Batch(steps, entries, fresh, is_behind=self._past is not None))
        return True

    def _go(self) -> Sequence[StepId] | None:
        """Read on, and go to the moment that was asked for; where that cannot be read, stay at the end."""
        travel = self._travel
        touched = travel.go() if travel is not None else None
        if travel is not None and travel.is_past_end:
            self._travel = None
            return travel.leave() or touched or ()
        if travel is not None and travel.trouble:
            self._travel = None
            self.trouble.tell(travel.trouble)
            return ()
        return touched

    def _index(self, *, fresh: bool) -> None:
        state = self.live_state
        if fresh:
            self._steps = {}
            self._indexed = 0
            self.rounds = Rounds()
        if state is None:
            return
        for name in state.order[self._indexed :]:
            step = state.steps[name]
            if not step.call and not is_in_called_flow(step.scope):
                self.rounds.add(step.scope, name)
                self._steps.setdefault(step.node, []).append(name)
        self._indexed = len(state.order)

    def _gather(self, entries: Sequence[Entry]) -> None:
        self._entries.extend(entries)


def drawn_flow(run: LiveRun | None, flow: Flow) -> Flow:
    """The flow on which a run is told: its own; while it begins, and for one of a script, that in front."""
    if run is None or not run.flow.nodes or run.state.source is not None:
        return flow
    return run.flow


def node_of(step: StepId) -> NodeId:
    """The node of the flow that ran to which a step belongs: in a called flow, the node that calls."""
    return step_parts(seen_from_outside(step))[1]


def _no_history(_run: LiveRun) -> Iterable[Entry]:
    """Know of no entries, so that every moment is the beginning."""
    return ()


def _nothing() -> None:
    """End a subscription that there is not."""
