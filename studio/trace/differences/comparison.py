"""Two runs side by side: which steps did something else, and how; what both cost and how long they took."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from studio.ids import NodeId, StepId, own_scope, step_parts
from studio.trace.differences.alignment import Calls, aligned_steps, calls_nothing
from studio.trace.differences.comparable_entries import without_call_ids
from studio.trace.differences.value_difference import is_same
from studio.trace.events.values import Plain, Values
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState


@dataclass(frozen=True, slots=True)
class Side:
    """What a step did in one of two runs: each thing by its name, such as `status` or `outputs.reply`."""

    things: Mapping[str, Plain] = field(default_factory=dict[str, Plain])
    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class StepPair:
    """A step in two runs; None where a run has no such step. `differing` names what is not the same.

    `step` is what the first run calls it, and `other` the second; each is empty where the run has none, but
    for `step`, which then is the name that it would have.
    """

    step: StepId
    first: Side | None
    second: Side | None
    differing: tuple[str, ...] = ()
    other: StepId = StepId("")  # noqa: RUF009  (a `NewType` makes nothing)

    @property
    def is_same(self) -> bool:
        """Whether both did the same."""
        return not self.differing

    @property
    def was_given_other(self) -> bool:
        """Whether it began with something else already."""
        return any(name.partition(".")[0] in _GIVEN for name in self.differing)


_GIVEN = frozenset({"inputs", "arguments", "request"})


def compare_steps(first: RunState, second: RunState, calls: Calls = calls_nothing) -> list[StepPair]:
    """Give every step of either run, in the order in which they began; times and figures never differ.

    `calls` names the flow that a node calls, for nodes that were renamed in called flows.
    """
    names = aligned_steps(first, second, calls)
    others: dict[StepId, StepId] = {}
    for step, name in names.items():
        others.setdefault(name, step)
    return [
        _pair(
            step,
            _side(first, first.steps.get(step)),
            other,
            _side(second, second.steps.get(other) if other else None),
        )
        for step, other in _in_order(first, second, names, others)
    ]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs, their steps side by side, and the pair in which they went apart."""

    runs: tuple[RunState, RunState]
    pairs: Sequence[StepPair] = ()
    apart: StepPair | None = None


def compare_runs(first: RunState, second: RunState, calls: Calls = calls_nothing) -> Compared:
    """Compare two runs; of 100,000 entries that takes seconds, so it is nothing to wait for."""
    pairs = compare_steps(first, second, calls)
    return Compared((first, second), pairs, first_pair(pairs, first, second))


def first_pair(pairs: Sequence[StepPair], first: RunState, second: RunState) -> StepPair | None:
    """The pair in which the two runs first went apart; None where they did the same.

    A step that was given the same and gave something else counts from when it ended, so that what it did
    inside comes before it.
    """
    differing = [pair for pair in pairs if not pair.is_same]
    here = min((pair for pair in differing if pair.first), key=lambda one: _moment(one, first), default=None)
    there = min(
        (pair for pair in differing if pair.second),
        key=lambda one: _moment(one, second, is_second=True),
        default=None,
    )
    if here is None or there is None:
        return here or there
    is_before = _moment(there, second, is_second=True) < _moment(here, second, is_second=True)
    return there if there.first is None and here.second is not None and is_before else here


@dataclass(frozen=True, slots=True)
class Spent:
    """What the steps of a node took in one run, one after the other."""

    steps: int = 0
    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0

    def and_by(self, side: Side | None) -> "Spent":
        """The same with one step more."""
        if side is None:
            return self
        return Spent(
            self.steps + 1, self.seconds + side.seconds, self.tokens + side.tokens, self.cost + side.cost
        )


@dataclass(frozen=True, slots=True)
class NodeFigures:
    """What one node took in both runs."""

    first: Spent = Spent()
    second: Spent = Spent()

    @property
    def is_same(self) -> bool:
        """Whether it bought the same; times always differ."""
        one, other = self.first, self.second
        return (one.steps, one.tokens, one.cost) == (other.steps, other.tokens, other.cost)


def node_figures(pairs: Sequence[StepPair]) -> dict[NodeId, NodeFigures]:
    """Add up by node of the runs' own flow what their steps took; what these called is in theirs."""
    found: dict[NodeId, NodeFigures] = {}
    for pair in pairs:
        scope, node, call, _ = step_parts(pair.step)
        if call or own_scope(scope) != scope:
            continue
        known = found.get(node, NodeFigures())
        found[node] = NodeFigures(known.first.and_by(pair.first), known.second.and_by(pair.second))
    return found


def seconds_of(state: RunState) -> float:
    """How long a run worked; for how long it was held, waited or lay still tells nothing of the two."""
    return state.worked() or 0.0


def _moment(pair: StepPair, run: RunState, *, is_second: bool = False) -> float:
    step = run.steps.get(pair.other if is_second else pair.step)
    if step is None:
        return inf
    began = step.began if step.began is not None else step.ended
    is_at_once = pair.was_given_other or pair.first is None or pair.second is None
    found = began if is_at_once else step.ended
    return inf if found is None else found


def _in_order(
    first: RunState, second: RunState, names: Mapping[StepId, StepId], others: Mapping[StepId, StepId]
) -> Iterator[tuple[StepId, StepId]]:
    """The steps of the first run, and each step that only the second has after the one it came after."""
    later: dict[StepId | None, list[StepId]] = {}
    last: StepId | None = None
    for step in second.order:
        name = names[step]
        if name in first.steps and others[name] == step:
            last = name
        else:
            later.setdefault(last, []).append(step)
    for step in later.get(None, ()):
        yield names[step], step
    for step in first.order:
        yield step, others.get(step, StepId(""))
        for only in later.get(step, ()):
            yield names[only], only


def _pair(step: StepId, one: Side | None, name: StepId, other: Side | None) -> StepPair:
    if one is None or other is None:
        return StepPair(step, one, other, ("status",), name)
    names = dict.fromkeys((*one.things, *other.things))
    differing = tuple(
        thing
        for thing in names
        if (thing in one.things) != (thing in other.things)
        or not is_same(one.things.get(thing), other.things.get(thing))
    )
    return StepPair(step, one, other, differing, name)


def _side(run: RunState, step: StepState | None) -> Side | None:
    if step is None:
        return None
    things: dict[str, Plain] = {"status": "pinned" if step.is_pinned else step.status.value}
    things |= _values("inputs", step.inputs)
    if step.tool:
        things["arguments"] = step.arguments
        things["answer"] = step.text
    if step.request is not None:
        things["request"] = without_call_ids(step.request)
    if step.message is not None:
        things["answer"] = without_call_ids(step.message)
    things |= _values("outputs", step.outputs)
    if step.error is not None:
        things["error"] = step.error.message
    return Side(things, run.worked_by(step) or 0.0, step.tokens, step.cost)


def _values(what: str, values: Values) -> dict[str, Plain]:
    return {f"{what}.{name}": shown.data for name, shown in values.items()}
