"""The run that the whole window shows, live or old, and what touched it since the last frame."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from studio.app.listeners import Listeners
from studio.app.live_run import LiveRun
from studio.app.runs import bound
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
from studio.trace.state import RunState
from studio.trace.steps import StepState
from studio.ui.viewmodels.rounds import Rounds

NOWHERE = StepId("/")
"""No step is called so."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What changed since the last frame.

    `is_fresh` says that another run (or none) is shown now, so that everything is to be read again.
    """

    steps: Mapping[StepId, None] = field(default_factory=dict[StepId, None])
    """The touched steps, in the order they were touched first."""
    entries: Sequence[Entry] = ()
    is_fresh: bool = False


class ShownRun:
    """Holds the run that is shown and gathers its entries until `flush` tells them at once."""

    def __init__(self) -> None:
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

    @property
    def run(self) -> LiveRun | None:
        """The run itself."""
        return self._run

    @property
    def state(self) -> RunState | None:
        """The fold of the shown run; None while no run is shown."""
        return self._run.state if self._run is not None else None

    def library(self, registry: Registry) -> Registry:
        """The node types with the flows that the shown run may call, as they were when it began."""
        return bound(registry, self._run.flows) if self._run is not None else registry

    def steps_of(self, node: NodeId) -> Sequence[StepId]:
        """The steps of a node so far, its chats and tool calls left out."""
        return self._steps.get(node, ())

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
        found = (one for one in reversed(self._steps.get(node, ())) if one.startswith(f"{around}/"))
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
        if not (self._entries or self._is_fresh or self._is_stale):
            return False
        entries, self._entries = self._entries, []
        fresh, self._is_fresh = self._is_fresh, False
        known = self._run.state.steps if self._run is not None else {}
        # A binding names its node, which is no step.
        steps = dict.fromkeys(entry.step for entry in entries if entry.step in known)
        if self._is_stale and self._run is not None and self._run.is_over:
            # What an interruption ends is told by no entry.
            steps = dict.fromkeys(self._run.state.order)
        self._is_stale = False
        self._index(fresh=fresh)
        self._listeners.tell(Batch(steps, entries, fresh))
        return True

    def _index(self, *, fresh: bool) -> None:
        state = self.state
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


def node_of(step: StepId) -> NodeId:
    """The node of the flow that ran to which a step belongs: in a called flow, the node that calls."""
    return step_parts(seen_from_outside(step))[1]


def _nothing() -> None:
    """End a subscription that there is not."""
