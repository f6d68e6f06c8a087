"""What the nodes of a flow took over many trials: steps, failures, cost, tokens, time, and branches."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from studio.errors import StoreError
from studio.ids import RunId, StepId, seen_from_outside, step_parts
from studio.store.reader import RunStore
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepStatus

MOST = 400
"""Runs that are read; of more, so many from the beginning, which is said."""


@dataclass(slots=True)
class NodeFigures:
    """Sums over the steps of one node in all trials that were read, calls of chats and tools included.

    `seconds` has one number for each step that ended; `ways` counts which outputs had a value, by name.
    """

    trials: int = 0
    steps: int = 0
    failed: int = 0
    cost: float = 0.0
    tokens: int = 0
    seconds: list[float] = field(default_factory=list[float])
    ways: Counter[str] = field(default_factory=Counter[str])


def node_figures(store: RunStore, runs: Sequence[str]) -> dict[str, object]:
    """Read runs, and tell as JSON what each node took; `read` of `runs` could be read.

    A node in which a called flow ran counts with all that happened there.
    """
    found: dict[str, NodeFigures] = {}
    read = 0
    for run in runs[:MOST]:
        try:
            state = store.load(RunId(run))
        except StoreError:  # it was removed since, which the numbers say
            continue
        read += 1
        _count(state, found)
    nodes = {node: _plain(one) for node, one in found.items()}
    return {"read": read, "runs": len(runs), "nodes": nodes}


def _count(state: RunState, found: dict[str, NodeFigures]) -> None:
    met: set[str] = set()
    for step in state.steps.values():
        outside = seen_from_outside(StepId(step.id))
        _, node, call, _ = step_parts(outside)
        if call or step.call or step.status is StepStatus.SKIPPED:
            continue
        figures = found.setdefault(str(node), NodeFigures())
        if outside != step.id:  # inside a called flow: the step that called it has the sums
            continue
        met.add(str(node))
        figures.steps += 1
        figures.failed += step.status is StepStatus.FAILED
        figures.cost += step.cost
        figures.tokens += step.tokens
        if step.started is not None and step.ended is not None:
            figures.seconds.append(max(step.ended - step.started, 0.0))
        if step.status is StepStatus.DONE:
            figures.ways.update(step.outputs.keys())
    for node in met:
        found[node].trials += 1


def _plain(one: NodeFigures) -> Mapping[str, object]:
    low, middle, high = _spread(one.seconds)
    return {
        "trials": one.trials,
        "steps": one.steps,
        "failed": one.failed,
        "cost": one.cost,
        "tokens": one.tokens,
        "seconds": {"low": low, "median": middle, "high": high},
        "ways": dict(_chosen(one)),
    }


def _spread(values: Sequence[float]) -> tuple[float, float, float]:
    """The tenth, fiftieth and ninetieth of a hundred."""
    if len(values) < 2:
        only = values[0] if values else 0.0
        return only, only, only
    tenths = quantiles(values, n=10, method="inclusive")
    return tenths[0], median(values), tenths[-1]


def _chosen(one: NodeFigures) -> Iterator[tuple[str, int]]:
    """The outputs among which a node chose: those that had a value in some of its steps only."""
    done = one.steps - one.failed
    if any(count < done for count in one.ways.values()):
        yield from sorted(one.ways.items())
