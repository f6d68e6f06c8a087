"""How often flows are right, and what that takes, under simulated solvers: an experiment that is not kept."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Literal

from studio.app.measurements.measured_flows import RIGHT, opened_measurement
from studio.experiments.comparisons import ALIKE
from studio.experiments.distributions import StatisticsMissingError
from studio.experiments.statistics import Difference, Interval, Kind, Rows, bare_mean, difference, mean_of
from studio.experiments.table import scores_of
from studio.experiments.trials import Trial
from studio.experiments.unkept import run_unkept
from studio.llm.solvers.problems import Problem, Problems
from studio.workspace.project import Project

By = Literal["difficulty", "topic"]
BANDS = ((1 / 3, "easy"), (2 / 3, "middling"), (1.0, "hard"))
"""Up to which difficulty a problem is called so; those of the first two are below it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One flow with its trials; in all flows of a measurement they are of the same problems, in one order."""

    flow: str
    """Its path in the project."""
    title: str
    rows: Rows
    """By problem, for each of its runs whether it was right: 1 or 0. A run that failed was wrong."""
    trials: Sequence[Trial]
    kind: Kind = "sample"
    """Whether the problems stand for others like them, or are all that there are."""

    @property
    def accuracy(self) -> Interval:
        """The share of trials in which it was right; problems are the unit, however often each was run.

        Without the library that tells it, its interval is infinite.
        """
        return _accuracy(self.rows, self.kind)

    @property
    def missed(self) -> Sequence[str]:
        """The problems that it was wrong about, once or more often."""
        return [name for name, found in self.rows.items() if min(found) < 1]

    @property
    def why_failed(self) -> Sequence[str]:
        """For each run that failed, why."""
        return [one.error for one in self.trials if one.error]

    def mean(self, what: str) -> float:
        """Give the `chats`, `tokens`, `cost` (US dollars) or simulated `seconds` of a problem on average."""
        return fmean(float(getattr(one, what)) for one in self.trials)

    def against(self, other: "Measured") -> Difference:
        """By how much more often it is right than another, paired by problem.

        Raises `StatisticsMissingError` without the library that tells it.
        """
        return difference(self.rows, other.rows, self.kind)

    def times_the_tokens_of(self, other: "Measured") -> float:
        """How large its budget is beside another's."""
        return self.mean("tokens") / max(other.mean("tokens"), 1.0)

    def costs_as_much_as(self, other: "Measured") -> bool:
        """Whether the two used about the same number of tokens."""
        return abs(self.times_the_tokens_of(other) - 1) <= ALIKE


@dataclass(frozen=True, slots=True)
class Measurement:
    """Flows side by side; the first is what the others are held against."""

    chat: str
    seed: int
    runs: int
    problems: Sequence[Problem]
    flows: Sequence[Measured] = field(default_factory=list[Measured])

    def grouped(self, by: By) -> Mapping[str, Sequence[Interval]]:
        """Give, for each group that has problems, how often each flow is right on them."""
        labels = {one.id: _label(one, by) for one in self.problems}
        order = [label for _, label in BANDS] if by == "difficulty" else sorted(set(labels.values()))
        return {
            label: [
                _accuracy({name: one.rows[name] for name in labels if labels[name] == label}, one.kind)
                for one in self.flows
            ]
            for label in order
            if label in labels.values()
        }

    def to_json(self) -> dict[str, object]:
        """Give all of it but the single trials."""
        first = self.flows[0]
        given = {"chat": self.chat, "seed": self.seed, "runs": self.runs, "problems": len(self.problems)}
        return {**given, "flows": [_plain(one, first) for one in self.flows]}


def measure(
    flows: Sequence[Path],
    problems: Path,
    *,
    environ: Mapping[str, str],
    chat: str = "",
    runs: int = 1,
    seed: int = 1,
    rows: Kind = "sample",
    on_flow: Callable[[str], None] = lambda _: None,
) -> Measurement:
    """Give each problem to each flow, `runs` times; all flows of one project, by a simulated chat profile.

    In the same run of the same problem all flows have the same luck, as far as they ask the same agents.
    The problems are a sample of others like them, or, as `rows` says, fixed: all that there are.
    `on_flow` is told which flows are run, each before any is. Raises `UsageError` where something can't be
    measured, `ProjectError` and `FlowFileError` where it can't be read.
    """
    project, known = Project.open(flows[0]), Problems.load(problems)
    opened, names = opened_measurement(
        project, flows, known, environ, chat=chat, runs=runs, seed=seed, rows=rows
    )
    for name in names.values():
        on_flow(name)
    table = run_unkept(opened, environ)
    scores = scores_of(opened, table)[RIGHT]
    trials: dict[str, list[Trial]] = {label: [] for label in names}
    for cell in table.cells:
        trials[cell.variant].append(table.trials[cell.key])
    measured = [
        Measured(name, opened.variants[label].prepared.flow.name, scores[label], trials[label], rows)
        for label, name in names.items()
    ]
    return Measurement(opened.experiment.chat, seed, runs, tuple(known), measured)


def _accuracy(rows: Rows, kind: Kind) -> Interval:
    try:
        return mean_of(rows, kind)
    except StatisticsMissingError:
        return bare_mean(rows)


def _label(problem: Problem, by: By) -> str:
    if by == "topic":
        return problem.topic or "(no topic)"
    return next((label for most, label in BANDS if problem.difficulty < most), BANDS[-1][1])


def _plain(one: Measured, first: Measured) -> dict[str, object]:
    found = one.accuracy
    plain: dict[str, object] = {
        "flow": one.flow,
        "title": one.title,
        "trials": len(one.trials),
        "accuracy": round(found.value, 4),
        "interval": _ends(found),
        "failed": len(one.why_failed),
        "chats": round(one.mean("chats"), 2),
        "tokens": round(one.mean("tokens"), 1),
        "dollars": round(one.mean("cost"), 6),
        "seconds": round(one.mean("seconds"), 2),
    }
    if one is not first:
        plain["difference"] = round(found.value - first.accuracy.value, 4)
        plain["difference_interval"] = plain["chance"] = None
        with suppress(StatisticsMissingError):
            told = one.against(first)
            plain["difference_interval"], plain["chance"] = _ends(told.interval), round(told.chance, 4)
        plain["times_the_tokens"] = round(one.times_the_tokens_of(first), 3)
        plain["is_equal_budget"] = one.costs_as_much_as(first)
    return plain


def _ends(found: Interval) -> list[float] | None:
    """From where to where a figure may be; None where nobody can tell."""
    return [round(found.low, 4), round(found.high, 4)] if found.is_told else None
