"""What a table says: figures of each variant, differences from the baseline, and how sure they are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from studio.experiments.baselines import Baseline
from studio.experiments.distributions import StatisticsMissingError
from studio.experiments.opening import OpenExperiment
from studio.experiments.statistics import (
    ALPHA,
    Difference,
    Interval,
    Kind,
    Rows,
    bare_mean,
    detectable,
    difference,
    holm,
    mean_of,
    pass_all,
    pass_at,
)
from studio.experiments.table import Table
from studio.experiments.trials import Trial, TrialState

ALIKE = 0.1
"""By how much of the other's tokens two budgets may differ and count as equal."""

MEASURES: Mapping[str, Callable[[Trial], float]] = {
    "cost": lambda one: one.cost,
    "tokens": lambda one: one.tokens,
    "seconds": lambda one: one.seconds,
    "steps": lambda one: one.steps,
}
"""What is known of every trial: US dollars, tokens in and out, seconds, steps."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a variant reached; `scores` by scorer, `measures` by name, both as means over rows.

    `passes` has for k tries the chance that one of them is right, and that all are (pass@k, pass^k), by the
    first scorer. Intervals are infinite where the data, or a missing library, cannot tell them.
    """

    variant: str
    rows: int
    trials: int
    failed: int
    provider: int
    unscored: int
    made_up: int
    unpriced: int
    scores: Mapping[str, Interval]
    measures: Mapping[str, Interval]
    passes: Mapping[int, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Compared:
    """A variant beside its baseline, by one scorer; `chance` is corrected for all that were compared."""

    variant: str
    baseline: str
    scorer: str
    difference: Difference
    chance: float
    times_tokens: float
    """How many times the baseline's tokens it takes; 0 where that is not known."""
    times_cost: float

    @property
    def is_sure(self) -> bool:
        """Whether the difference is more than noise."""
        return self.chance < ALPHA

    @property
    def is_regression(self) -> bool:
        """Whether it is worse, and that is more than noise."""
        return self.is_sure and self.difference.interval.value < 0

    @property
    def is_equal_budget(self) -> bool:
        """Whether the two take about the same number of tokens."""
        return not self.times_tokens or abs(self.times_tokens - 1) <= ALIKE

    @property
    def words(self) -> str:
        """The comparison in a sentence."""
        found, pair = self.difference.interval, f"`{self.variant}` from `{self.baseline}`"
        if not found.is_told:
            needed = "fixed rows need two repeats at least, and a sample two rows"
            return f"The data cannot tell {pair}: {needed}."
        between = f"{100 * found.low:+.1f} to {100 * found.high:+.1f} points"
        if self.is_sure:
            verb = "better" if found.value > 0 else "worse"
            much = f"{abs(100 * found.value):.1f} points ({between}, p = {self.chance:.2g})"
            return f"`{self.variant}` is {verb} than `{self.baseline}` by {much}."
        seen = detectable(self.difference.deviation, self.difference.rows)
        power = ""
        if 0 < seen < inf:
            power = f"; {self.difference.rows} rows show {100 * seen:.1f} points 8 times of 10"
        return f"The data cannot tell {pair}: {between}, p = {self.chance:.2g}{power}."


@dataclass(frozen=True, slots=True)
class Report:
    """All that is told of an experiment; `notes` are sentences on what the figures hide."""

    experiment: str
    dataset: str
    digest: str
    rows: int
    kind: Kind
    repeats: int
    figures: Sequence[Figures]
    compared: Sequence[Compared]
    against_baseline: Sequence[Compared]
    notes: Sequence[str]

    @property
    def regressions(self) -> list[Compared]:
        """What is worse than in the baseline that was kept, by more than noise."""
        return [one for one in self.against_baseline if one.is_regression]


def report_of(opened: OpenExperiment, table: Table, baseline: Baseline | None = None) -> Report:
    """Tell what a table says; a `baseline` is that of an earlier state, kept in a file."""
    kind: Kind = opened.experiment.rows
    notes: list[str] = []
    figures = [_figures(opened, table, name, kind, notes) for name in opened.variants]
    compared: list[Compared] = []
    against: list[Compared] = []
    try:
        compared = _all_compared(opened, table, kind)
        if baseline is not None:
            against = _against(opened, table, baseline, kind)
            notes += _baseline_notes(opened, baseline)
    except StatisticsMissingError as error:
        notes.append(f"{error.message} {error.hint}")
    notes += _notes(figures, [*compared, *against], table)
    return Report(
        opened.experiment.name or opened.name,
        opened.dataset.name,
        opened.dataset.digest,
        len(opened.dataset.rows),
        kind,
        opened.experiment.repeats,
        figures,
        compared,
        against,
        list(dict.fromkeys(notes)),
    )


def scores_of(opened: OpenExperiment, table: Table, variant: str, scorer: str) -> dict[str, list[float]]:
    """Give the scores of a variant by row, in the order of repeats; without those that nobody could give."""
    found: dict[str, list[float]] = {}
    for cell in table.cells:
        score = table.scores.get((cell.key, scorer))
        if cell.variant != variant or score is None or table.trial(cell) is None:
            continue
        if score.score is not None:
            found.setdefault(opened.dataset.rows[cell.row].id, []).append(score.score)
    return found


def _figures(opened: OpenExperiment, table: Table, variant: str, kind: Kind, notes: list[str]) -> Figures:
    cells = [one for one in table.cells if one.variant == variant]
    there = {one: trial for one in cells if (trial := table.trial(one)) is not None}
    all_trials = [table.trials[one.key] for one in cells if one.key in table.trials]
    by_scorer = {name: scores_of(opened, table, variant, name) for name in opened.scorers}
    measures: dict[str, Interval] = {}
    for name, measure in MEASURES.items():
        values: dict[str, list[float]] = {}
        for cell, trial in there.items():
            values.setdefault(opened.dataset.rows[cell.row].id, []).append(measure(trial))
        if values:
            measures[name] = _mean(values, kind, notes, is_share=False)
    scored = sum(len(values) for rows in by_scorer.values() for values in rows.values())
    first = next(iter(by_scorer.values()), dict[str, list[float]]())
    return Figures(
        variant,
        len({one.row for one in there}),
        len(there),
        sum(one.state is TrialState.FAILED for one in there.values()),
        sum(one.state is TrialState.PROVIDER for one in all_trials),
        len(there) * len(by_scorer) - scored,
        sum(one.made_up for one in there.values()),
        sum(one.unpriced for one in there.values()),
        {name: _mean(rows, kind, notes, is_share=True) for name, rows in by_scorer.items() if rows},
        measures,
        _passes(first),
    )


def _mean(rows: Rows, kind: Kind, notes: list[str], *, is_share: bool) -> Interval:
    try:
        return mean_of(rows, kind, is_share=is_share)
    except StatisticsMissingError as error:
        notes.append(f"{error.message} {error.hint}")
        return bare_mean(rows)


def _passes(rows: Rows) -> dict[int, tuple[float, float]]:
    """The chances that one, and that all, of k tries are right; for k of 2, 4, 8 and so on."""
    found: dict[int, tuple[float, float]] = {}
    least = min((len(values) for values in rows.values()), default=0)
    tries = 2
    while tries <= least:
        counts = [(len(values), sum(one >= 1 for one in values)) for values in rows.values()]
        one = sum(pass_at(count, right, tries) for count, right in counts) / len(counts)
        whole = sum(pass_all(count, right, tries) for count, right in counts) / len(counts)
        found[tries] = one, whole
        tries *= 2
    return found


def _all_compared(opened: OpenExperiment, table: Table, kind: Kind) -> list[Compared]:
    """All variants beside the baseline, by each scorer; corrected by scorer."""
    base = opened.experiment.compared_with
    others = [name for name in opened.variants if name != base]
    found: list[Compared] = []
    for scorer in opened.scorers:
        first = scores_of(opened, table, base, scorer)
        pairs = {name: (scores_of(opened, table, name, scorer), first) for name in others}
        times = {name: _times(opened, table, name, base) for name in others}
        found += _corrected(pairs, scorer, kind, dict.fromkeys(others, base), times)
    return found


def _against(opened: OpenExperiment, table: Table, baseline: Baseline, kind: Kind) -> list[Compared]:
    """All variants beside what they were when the baseline was kept, by the first scorer."""
    scorer = next(iter(opened.scorers), "")
    kept = baseline.scores.get(scorer, {})
    names = [name for name in opened.variants if name in kept]
    pairs = {name: (scores_of(opened, table, name, scorer), kept[name]) for name in names}
    labels = {name: f"{name} (baseline)" for name in names}
    return _corrected(pairs, scorer, kind, labels, dict.fromkeys(names, (0.0, 0.0)))


def _corrected(
    pairs: Mapping[str, tuple[Rows, Rows]],
    scorer: str,
    kind: Kind,
    baselines: Mapping[str, str],
    times: Mapping[str, tuple[float, float]],
) -> list[Compared]:
    pairs = {name: pair for name, pair in pairs.items() if set(pair[0]) & set(pair[1])}
    told = {name: difference(*pair, kind) for name, pair in pairs.items()}
    chances = holm({name: one.chance for name, one in told.items()})
    return [
        Compared(name, baselines[name], scorer, one, chances[name], *times[name])
        for name, one in told.items()
    ]


def _times(opened: OpenExperiment, table: Table, one: str, other: str) -> tuple[float, float]:
    """How many times the tokens and the dollars of another a variant takes."""

    def mean(variant: str, what: str) -> float:
        cells = [cell for cell in table.cells if cell.variant == variant]
        trials = [trial for cell in cells if (trial := table.trial(cell)) is not None]
        return sum(MEASURES[what](trial) for trial in trials) / max(len(trials), 1)

    del opened
    pairs = [(mean(one, what), mean(other, what)) for what in ("tokens", "cost")]
    tokens, cost = (mine / theirs if theirs else 0.0 for mine, theirs in pairs)
    return tokens, cost


def _baseline_notes(opened: OpenExperiment, baseline: Baseline) -> Iterator[str]:
    if baseline.digest != opened.dataset.digest:
        yield "The baseline was kept on other rows; those that both have, by their names, are compared."
    for name in opened.variants:
        if not any(name in kept for kept in baseline.scores.values()):
            yield f"The baseline has no variant `{name}`."


def _notes(figures: Sequence[Figures], compared: Sequence[Compared], table: Table) -> Iterator[str]:
    """Say what the figures hide."""
    if table.stopped:
        yield f"The table is not whole. {table.stopped}"
    if table.reused:
        yield f"{table.reused} trials were taken from earlier runs of this experiment."
    if table.shared:
        yield f"{table.shared} cells are equal to others and have their trials."
    for one in figures:
        yield from _of_variant(one)
    for one in compared:
        if not one.is_equal_budget:
            cost = f" and {one.times_cost:.2f} times the cost" if one.times_cost else ""
            yield (
                f"The budgets differ: `{one.variant}` uses {one.times_tokens:.2f} times the tokens{cost} of "
                f"`{one.baseline}`."
            )


def _of_variant(one: Figures) -> Iterator[str]:
    if one.failed:
        yield f"{one.failed} trials of `{one.variant}` failed and score 0."
    if one.provider:
        yield f"{one.provider} trials of `{one.variant}` failed at the provider: left out, and tried again."
    if one.unscored:
        yield f"{one.unscored} scores of `{one.variant}` could not be given; they are left out."
    if one.made_up:
        yield f"Answers of `{one.variant}` were made up, so its figures say nothing of a model."
    if one.unpriced:
        yield f"The price of {one.unpriced:,} tokens of `{one.variant}` is unknown."
