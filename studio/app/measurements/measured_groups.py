"""A measurement taken apart: how often flows are right on easy and on hard problems, or topic by topic."""

from collections.abc import Mapping, Sequence
from typing import Literal

from studio.app.measurements.measurement import Measurement, accuracy_of
from studio.experiments.statistics import Interval
from studio.llm.solvers.problems import Problem, Problems

By = Literal["difficulty", "topic"]
BANDS = ((1 / 3, "easy"), (2 / 3, "middling"), (1.0, "hard"))
"""Up to which difficulty a problem is called so; those of the first two are below it."""


def grouped(measured: Measurement, problems: Problems, by: By) -> Mapping[str, Sequence[Interval]]:
    """Give, for each group that has problems, how often each flow is right on them."""
    labels = {one.id: _label(one, by) for one in problems}
    order = [label for _, label in BANDS] if by == "difficulty" else sorted(set(labels.values()))
    found: dict[str, Sequence[Interval]] = {}
    for label in order:
        if label in labels.values():
            found[label] = [
                accuracy_of(trials, flow.rows)
                for flow in measured.flows
                if (trials := [one for one in flow.trials if labels[one.problem] == label])
            ]
    return found


def _label(problem: Problem, by: By) -> str:
    if by == "topic":
        return problem.topic or "(no topic)"
    return next((label for most, label in BANDS if problem.difficulty < most), BANDS[-1][1])
