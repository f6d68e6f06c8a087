"""What a table says: figures of each variant, differences from the baseline, and how sure they are."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from studio.experiments.baselines import Baseline
from studio.experiments.comparisons import Compared, against_baseline, all_compared
from studio.experiments.distributions import StatisticsMissingError
from studio.experiments.figures.factors import Effect, effects_of
from studio.experiments.figures.judges import JudgeFigures, judges_of
from studio.experiments.figures.sequential import Look
from studio.experiments.labels import Label
from studio.experiments.opening import OpenExperiment
from studio.experiments.scorers import UNSCORED
from studio.experiments.statistics import (
    Interval,
    Kind,
    Rows,
    bare_mean,
    mean_of,
    pass_all,
    pass_at,
)
from studio.experiments.table import Table, scores_of
from studio.experiments.trials import Trial, TrialState

REASONS = 3
"""How many reasons of failures are told."""

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
    first scorer. Intervals are infinite where the data, or a missing library, cannot tell them. A measure
    that nobody knows (no price, no time of simulated answers) is not among `measures`.
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
    why_failed: Mapping[str, int]
    """How many trials failed for each reason, of the flow's; the most frequent first."""
    why_provider: Mapping[str, int]
    why_unscored: Mapping[str, int]


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
    effects: Sequence[Effect]
    judges: Sequence[JudgeFigures]
    look: Look | None
    """The look of the sequential rule whose level the comparisons have; None without a rule."""
    notes: Sequence[str]

    @property
    def regressions(self) -> list[Compared]:
        """What is worse than in the baseline that was kept, by more than noise."""
        return [one for one in self.against_baseline if one.is_regression]


def report_of(
    opened: OpenExperiment, table: Table, baseline: Baseline | None = None, labels: Sequence[Label] = ()
) -> Report:
    """Tell what a table says; a `baseline` is that of an earlier state, `labels` are what people said."""
    kind: Kind = opened.experiment.rows
    notes: list[str] = []
    figures = [_figures(opened, table, name, kind, notes) for name in opened.variants]
    compared: list[Compared] = []
    against: list[Compared] = []
    effects: list[Effect] = []
    judges: list[JudgeFigures] = []
    try:
        compared = all_compared(opened, table, kind)
        if baseline is not None:
            against = against_baseline(opened, table, baseline, kind)
            notes += _baseline_notes(opened, baseline)
        first = next(iter(opened.scorers), "")
        if opened.experiment.factors and first:
            scores = {name: scores_of(opened, table, name, first) for name in opened.variants}
            effects = effects_of(opened.experiment, scores, kind)
        judges = judges_of(opened, table, labels)
    except StatisticsMissingError as error:
        notes.append(f"{error.message} {error.hint}")
    notes += _notes(figures, [*compared, *against], table)
    if labels and not judges:
        notes.append("No label is of a trial and a scorer of this table.")
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
        effects,
        judges,
        table.look,
        list(dict.fromkeys(notes)),
    )


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
        if _is_known(name, there.values()):
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
        _counted(one.error for one in there.values() if one.state is TrialState.FAILED),
        _counted(one.error for one in all_trials if one.state is TrialState.PROVIDER),
        _counted(
            score.reason.removeprefix(UNSCORED)
            for cell in there
            for name in opened.scorers
            if (score := table.scores.get((cell.key, name))) is not None and score.score is None
        ),
    )


def _is_known(measure: str, trials: Collection[Trial]) -> bool:
    """Whether anybody knows a measure of trials: a price of tokens, a time of answers."""
    if measure == "cost" and any(one.unpriced for one in trials):
        return any(one.cost for one in trials)
    return any(one.seconds for one in trials) if measure == "seconds" else bool(trials)


def _counted(reasons: Iterable[str]) -> dict[str, int]:
    return dict(Counter(reasons).most_common())


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
    if table.look is not None:
        yield _of_look(table.look)
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
        if one.equal is not None:
            yield one.equal.words


def _of_variant(one: Figures) -> Iterator[str]:
    if one.failed:
        yield f"{one.failed} trials of `{one.variant}` failed and score 0: {_told(one.why_failed)}"
    if one.provider:
        share = 100 * one.provider / (one.provider + one.trials)
        yield (
            f"{one.provider} trials of `{one.variant}` ({share:.0f} %) failed at the provider, not in the "
            f"flow: left out, and tried again. {_told(one.why_provider)}"
        )
    if one.unscored:
        why = f": {_told(one.why_unscored)}" if one.why_unscored else "."
        yield f"{one.unscored} scores of `{one.variant}` could not be given; they are left out{why}"
    if one.made_up:
        yield f"Answers of `{one.variant}` were made up, so its figures say nothing of a model."
    if one.unpriced:
        yield f"The price of {one.unpriced:,} tokens of `{one.variant}` is unknown."


def _told(reasons: Mapping[str, int]) -> str:
    """The most frequent reasons, with how often each where there are several."""
    most = list(reasons.items())[:REASONS]
    said = [why if len(reasons) == 1 else f"{count} × {why}" for why, count in most]
    more = sum(reasons.values()) - sum(count for _, count in most)
    return " ".join(one if one.endswith((".", "!", "?")) else f"{one}." for one in said) + (
        f" And {more} others." if more else ""
    )


def _of_look(look: Look) -> str:
    """Say whether a sequential rule ended the experiment, and what that does to its intervals."""
    where = f"look {look.number} of {look.of}, {look.pairs} of {look.of_pairs} rows and repeats"
    kept = f"differences have intervals of {100 * (1 - look.level):.4g} %, which hold at all looks"
    if look.is_end:
        return f"It ended early at {where}: the question was decided; {kept}."
    return f"A sequential rule is in force ({where}): {kept}."
