"""Two runs side by side: which steps did something else, and how; what both cost and how long they took."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from studio.ids import StepId
from studio.trace.compare import without_call_ids
from studio.trace.events import Plain, Values
from studio.trace.state import RunState
from studio.trace.steps import StepState


@dataclass(frozen=True, slots=True)
class Side:
    """What a step did in one of two runs: each thing by its name, such as `status` or `outputs.reply`."""

    things: Mapping[str, Plain] = field(default_factory=dict[str, Plain])
    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class StepPair:
    """A step in two runs; None where a run has no such step. `differing` names what is not the same."""

    step: StepId
    first: Side | None
    second: Side | None
    differing: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether both did the same."""
        return not self.differing


def compare_steps(first: RunState, second: RunState) -> list[StepPair]:
    """Give every step of either run, in the order in which they began; times and figures never differ."""
    return [_pair(step, first.steps.get(step), second.steps.get(step)) for step in _in_order(first, second)]


def seconds_of(state: RunState) -> float:
    """How long a run took."""
    return 0.0 if state.started is None or state.ended is None else state.ended - state.started


def _in_order(first: RunState, second: RunState) -> Iterator[StepId]:
    """The steps of the first run, and each step that only the second has after the one it came after."""
    later: dict[StepId | None, list[StepId]] = {}
    last: StepId | None = None
    for step in second.order:
        if step in first.steps:
            last = step
        else:
            later.setdefault(last, []).append(step)
    yield from later.get(None, ())
    for step in first.order:
        yield step
        yield from later.get(step, ())


def _pair(step: StepId, first: StepState | None, second: StepState | None) -> StepPair:
    one, other = (None if side is None else _side(side) for side in (first, second))
    if one is None or other is None:
        return StepPair(step, one, other, ("status",))
    names = dict.fromkeys((*one.things, *other.things))
    differing = tuple(name for name in names if one.things.get(name) != other.things.get(name))
    return StepPair(step, one, other, differing)


def _side(step: StepState) -> Side:
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
    took = 0.0 if step.started is None or step.ended is None else step.ended - step.started
    return Side(things, took, step.tokens, step.cost)


def _values(what: str, values: Values) -> dict[str, Plain]:
    return {f"{what}.{name}": shown.data for name, shown in values.items()}
