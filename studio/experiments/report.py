"""What a table says: figures of each variant, differences from the baseline, and how sure they are."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from studio.experiments.baselines import Baseline
from studio.experiments.comparisons import Budget, Compared, against_baseline, all_compared
from studio.experiments.distributions import StatisticsMissingError
from studio.experiments.figures.factors import Effect, Interaction, effects_of, interactions_of
from studio.experiments.figures.judges import JudgeFigures, judges_of
from studio.experiments.figures.sequential import Look
from studio.experiments.headlines import provisional
from studio.experiments.labels import Label
from studio.experiments.opening import OpenExperiment
from studio.experiments.scores import UNSCORED, Score
from studio.experiments.statistics import (
    Interval,
    Kind,
    Rows,
    bare_mean,
    mean_of,
    pass_all,
    pass_at,
)
from studio.experiments.table import Table, looks_of
from studio.experiments.trials import Trial, TrialState
from studio.trace.figures import counted

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
    interactions: Sequence[Interaction]
    judges: Sequence[JudgeFigures]
    look: Look | None
    """The look of the sequential rule whose level the comparisons have; None without a rule."""
    looks: Sequence[Look]
    """All looks that the rule may have."""
    done: int
    """The cells whose trial is over, of `total`; with fewer than all, what is said is provisional."""
    total: int
    is_free: bool
    """Whether all who were asked answer in this process: costs are then simulated, and nothing is paid."""
    notes: Sequence[str]

    @property
    def provisional(self) -> str:
        """Say that trials are still to come; empty where none are."""
        return provisional({"done": self.done, "total": self.total})

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
    tallies = _tallies(opened, table)
    scores = {
        name: {variant: one.scores[name] for variant, one in tallies.items()} for name in opened.scorers
    }
    figures = [_figures_of(name, one, kind, notes) for name, one in tallies.items()]
    compared: list[Compared] = []
    against: list[Compared] = []
    effects: list[Effect] = []
    interactions: list[Interaction] = []
    judges: list[JudgeFigures] = []
    try:
        budgets = {name: one.budget for name, one in tallies.items()}
        compared = all_compared(opened, table, scores, kind, budgets)
        if baseline is not None:
            against = against_baseline(scores, baseline, kind)
            notes += _baseline_notes(opened, baseline)
        if opened.experiment.factors and scores:
            first = next(iter(scores.values()))
            effects = effects_of(opened.experiment, first, kind)
            interactions = interactions_of(opened.experiment, first, kind)
        judges = judges_of(opened, table, labels)
    except StatisticsMissingError as error:
        notes.append(str(error))
    is_free = all(one.is_free for one in opened.variants.values())
    notes += _notes(figures, [*compared, *against], table, is_free=is_free)
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
        interactions,
        judges,
        table.look,
        looks_of(opened),
        sum(one.trials for one in figures),
        len(table.cells),
        is_free,
        list(dict.fromkeys(notes)),
    )


class _Tally:
    """What is told of the trials of a variant, taken in one after the other, so that none need be kept."""

    def __init__(self, scorers: Iterable[str]) -> None:
        self.scores: dict[str, dict[str, list[float]]] = {name: {} for name in scorers}
        self.rows = set[int]()
        self.trials = self.failed = self.scored = self.made_up = self.unpriced = 0
        self.has_cost = self.has_time = False
        self.measures: dict[str, dict[str, list[float]]] = {name: {} for name in MEASURES}
        self.why_failed, self.why_provider, self.why_unscored = Counter[str](), Counter[str](), Counter[str]()

    def take_over(self, row: int, name: str, trial: Trial, scores: Mapping[str, Score]) -> None:
        """Take in a trial that is over, on the row at a place that is called `name`."""
        self.rows.add(row)
        self.trials += 1
        self.made_up += trial.made_up
        self.unpriced += trial.unpriced
        self.has_cost |= bool(trial.cost)
        self.has_time |= bool(trial.seconds)
        for measure, of in MEASURES.items():
            self.measures[measure].setdefault(name, []).append(of(trial))
        if trial.state is TrialState.FAILED:
            self.failed += 1
            self.why_failed[trial.error] += 1
        for scorer, score in scores.items():
            if score.score is None:
                self.why_unscored[score.reason.removeprefix(UNSCORED)] += 1
            else:
                self.scored += 1
                self.scores[scorer].setdefault(name, []).append(score.score)

    @property
    def budget(self) -> Budget:
        """What a trial takes on average."""
        tokens, cost = (
            sum(map(sum, self.measures[what].values())) / max(self.trials, 1) for what in ("tokens", "cost")
        )
        return Budget(tokens, 0.0 if self.unpriced else cost)

    def knows(self, measure: str) -> bool:
        """Whether anybody knows a measure of the trials: a price of tokens, a time of answers."""
        if measure == "cost" and self.unpriced:
            return self.has_cost
        return self.has_time if measure == "seconds" else bool(self.trials)


def _tallies(opened: OpenExperiment, table: Table) -> dict[str, _Tally]:
    """Take in all trials in one walk: a large table is read from the disk."""
    tallies = {name: _Tally(opened.scorers) for name in opened.variants}
    for cell, trial, scores in table.walk():
        if trial is None:
            continue
        tally = tallies[cell.variant]
        if trial.state.is_over:
            tally.take_over(cell.row, opened.dataset.rows[cell.row].id, trial, scores)
        elif trial.state is TrialState.PROVIDER:
            tally.why_provider[trial.error] += 1
    return tallies


def _figures_of(variant: str, tally: _Tally, kind: Kind, notes: list[str]) -> Figures:
    measures = {
        name: _mean(values, kind, notes, is_share=False)
        for name, values in tally.measures.items()
        if tally.knows(name)
    }
    return Figures(
        variant,
        len(tally.rows),
        tally.trials,
        tally.failed,
        tally.why_provider.total(),
        tally.trials * len(tally.scores) - tally.scored,
        tally.made_up,
        tally.unpriced,
        {name: _mean(rows, kind, notes, is_share=True) for name, rows in tally.scores.items() if rows},
        measures,
        _passes(next(iter(tally.scores.values()), dict[str, list[float]]())),
        dict(tally.why_failed.most_common()),
        dict(tally.why_provider.most_common()),
        dict(tally.why_unscored.most_common()),
    )


def _mean(rows: Rows, kind: Kind, notes: list[str], *, is_share: bool) -> Interval:
    try:
        return mean_of(rows, kind, is_share=is_share)
    except StatisticsMissingError as error:
        notes.append(str(error))
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


def _notes(
    figures: Sequence[Figures], compared: Sequence[Compared], table: Table, *, is_free: bool
) -> Iterator[str]:
    """Say what the figures hide."""
    if table.stopped:
        yield f"The table is not whole. {table.stopped}"
    if table.look is not None:
        yield table.look.words
    yield from _of_shared(table)
    for one in figures:
        yield from _of_variant(one)
        if one.unpriced and not is_free:
            yield f"The price of {counted(one.unpriced, 'token')} of `{one.variant}` is unknown."
    for one in compared:
        if one.budget_words:
            yield one.budget_words
        if one.equal is not None:
            yield one.equal.words


def _of_shared(table: Table) -> Iterator[str]:
    if table.reused:
        were = "was" if table.reused == 1 else "were"
        yield f"{counted(table.reused, 'trial')} {were} taken from earlier runs in this project."
    if table.shared == 1:
        yield "1 cell is equal to another and has its trial."
    elif table.shared:
        yield f"{table.shared:,} cells are equal to others and have their trials."


def _of_variant(one: Figures) -> Iterator[str]:
    if one.failed:
        verb = "scores" if one.failed == 1 else "score"
        failed = counted(one.failed, "trial")
        yield f"{failed} of `{one.variant}` failed and {verb} 0: {_told(one.why_failed)}"
    if one.provider:
        share = 100 * one.provider / (one.provider + one.trials)
        yield (
            f"{counted(one.provider, 'trial')} of `{one.variant}` ({share:.0f} %) failed at the provider, "
            f"not in the flow: left out, and tried again. {_told(one.why_provider)}"
        )
    if one.unscored:
        why = f": {_told(one.why_unscored)}" if one.why_unscored else "."
        are = "it is" if one.unscored == 1 else "they are"
        yield f"{counted(one.unscored, 'score')} of `{one.variant}` could not be given; {are} left out{why}"
    if one.made_up:
        yield f"Answers of `{one.variant}` were made up, so its figures say nothing of a model."


def _told(reasons: Mapping[str, int]) -> str:
    """The most frequent reasons, with how often each where there are several."""
    most = list(reasons.items())[:REASONS]
    said = [why if len(reasons) == 1 else f"{count} × {why}" for why, count in most]
    more = sum(reasons.values()) - sum(count for _, count in most)
    return " ".join(one if one.endswith((".", "!", "?")) else f"{one}." for one in said) + (
        f" And {more} others." if more else ""
    )
