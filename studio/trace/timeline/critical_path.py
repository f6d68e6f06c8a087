"""The chain of steps that determined how long a run took.

It is found backwards from the end. Of the steps side by side (those of the run, of a loop with all its
rounds, of a map with all its items, of a called flow, or the calls that a step makes) the one that ended last
is on it. What came before a step on it is the one that ended last of those that its wires come from. Where
they come from none in its round or item, because it is the first there, it is the one that ended last before
it: the end of the round before, or of the item that had its turn. Within each step on the path the same is
done with the steps inside it. (Of spans without wires, the rule of the last that ended is CRISP's: Zhang et
al., USENIX ATC 2022.)
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from studio.flow.records import CallingLibrary, Flow
from studio.flow.subflows.calls import flow_at
from studio.ids import NodeId, StepId, is_in_called_flow, step_id
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState

SLACK = 1e-4
"""Seconds by which the end of a step may be noted after the beginning of one that waited for it."""

Sources = Callable[[StepState], Iterable[StepId]]
"""Names the steps of the same round or item that a step reads from."""


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """Steps that nothing could have been faster without, in order of their beginning, inner ones included.

    `chain` has the outermost ones alone. Seconds: `took` is what the chain lasted, with what its steps waited
    for a turn; of that the innermost steps were `held` by the debugger, and `queued` until their turn.
    """

    steps: Collection[StepId] = ()
    chain: Sequence[StepId] = ()
    took: float = 0.0
    held: float = 0.0
    queued: float = 0.0


def critical_path(state: RunState, sources: Sources, now: float) -> CriticalPath:
    """Find the chain of a run that is over, or has come as far as `now` (seconds since the epoch)."""
    outermost = [step for step in state.steps.values() if not step.parent]
    chain = _chain(state, outermost, sources, now)
    found: list[StepState] = []
    leaves: list[StepState] = []
    waiting = list(chain)
    while waiting:
        step = waiting.pop()
        found.append(step)
        inner = [state.steps[name] for name in step.children]
        within = _chain(state, inner, sources, _end(step, now))
        waiting.extend(within)
        if not within:
            leaves.append(step)
    found.sort(key=lambda step: step.began or 0.0)
    return CriticalPath(
        dict.fromkeys(step.id for step in found),
        [step.id for step in chain],
        sum(_end(step, now) - _begin(step) for step in chain),
        sum((now if end is None else end) - start for step in leaves for start, end in step.held),
        sum(queued(step) for step in found),
    )


def wired(flow: Flow, library: CallingLibrary | None) -> Sources:
    """Give the sources of steps of `flow`, and of the flows that it calls."""
    known: dict[int, dict[NodeId, list[NodeId]]] = {}

    def sources(step: StepState) -> Iterable[StepId]:
        around: Flow | None = flow
        if is_in_called_flow(step.scope):
            around = flow_at(flow, library, step.scope) if library is not None else None
        if around is None or step.call:
            return ()
        if id(around) not in known:
            into = known[id(around)] = {}
            for wire in around.wires:
                into.setdefault(wire.target.node, []).append(wire.source.node)
        return (step_id(step.scope, node) for node in known[id(around)].get(step.node, ()))

    return sources


def queued(step: StepState) -> float:
    """Seconds for which a step waited for its turn before it took time."""
    return max(step.began - step.ready, 0.0) if step.began is not None and step.ready is not None else 0.0


def _chain(state: RunState, beside: Sequence[StepState], sources: Sources, end: float) -> list[StepState]:
    """Follow steps that stand beside one another back from the one that ended last, until `end`."""
    took = sorted((step for step in beside if step.began is not None), key=lambda step: _end(step, end))
    ends = [_end(step, end) for step in took]
    parent = took[0].parent if took else StepId("")
    chain: dict[StepId, StepState] = {}
    step = _last(took, ends, end)
    while step is not None:
        chain[step.id] = step
        start = _begin(step)
        before = [
            (_end(one, end), name)
            for name in sources(step)
            if (one := state.steps.get(name)) is not None
            and one.parent == parent
            and one.began is not None
            and name not in chain
            and _end(one, end) <= start + SLACK
        ]
        step = state.steps[max(before)[1]] if before else _last(took, ends, start, step)
    return list(chain.values())[::-1]


def _last(
    took: Sequence[StepState], ends: Sequence[float], until: float, after: StepState | None = None
) -> StepState | None:
    """The step that ended last until a time, and began before the one that it is looked for."""
    for at in range(bisect_right(ends, until + SLACK) - 1, -1, -1):
        if after is None or (took[at] is not after and _begin(took[at]) < _begin(after)):
            return took[at]
    return None


def _begin(step: StepState) -> float:
    began = step.began or 0.0
    return min(step.ready, began) if step.ready is not None else began


def _end(step: StepState, now: float) -> float:
    return step.ended if step.ended is not None else now
