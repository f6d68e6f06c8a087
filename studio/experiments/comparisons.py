"""Variants beside their baseline: paired by row, corrected for how many there are, at equal budget too."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import inf
from typing import NamedTuple

from studio.experiments.baselines import Baseline
from studio.experiments.datasets import digest_of
from studio.experiments.figures.budgets import EqualBudget, Try, at_equal_budget
from studio.experiments.figures.sequential import Look, is_alike, least_scaled
from studio.experiments.opening import OpenExperiment
from studio.experiments.statistics import (
    ALPHA,
    Difference,
    Interval,
    Kind,
    Rows,
    Scores,
    detectable,
    difference,
    holm,
    seen_words,
)
from studio.experiments.table import Table, looks_of, scores_of

ALIKE = 0.1
"""By how much of the other's tokens, or cost, two budgets may differ and count as equal."""


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
    equal: EqualBudget | None = None
    """The two at the same budget; None where their budgets are about the same."""
    within: float | None = None
    """A difference of as much would matter, as the experiment's sequential rule says."""

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
        """Whether the two take about as many tokens, and cost about as much."""
        return all(not one or abs(one - 1) <= ALIKE for one in (self.times_tokens, self.times_cost))

    @property
    def words(self) -> str:
        """The comparison in a sentence."""
        found, pair = self.difference.interval, f"`{self.variant}` from `{self.baseline}`"
        if not found.is_told:
            needed = "fixed rows need two repeats at least, and a sample two rows"
            return f"The data cannot tell {pair}: {needed}."
        between = f"{found.in_points} points"
        if self.is_sure:
            verb = "better" if found.value > 0 else "worse"
            much = f"{abs(100 * found.value):.1f} points ({between}, p = {self.chance:.2g})"
            return f"`{self.variant}` is {verb} than `{self.baseline}` by {much}."
        if is_alike(self.difference, self.within):
            apart = f"{100 * (self.within or 0):g} points"
            return f"`{self.variant}` and `{self.baseline}` differ by less than {apart}: {between}."
        seen = detectable(self.difference.deviation, self.difference.rows)
        power = ""
        if 0 < seen < inf:
            power = f" {seen_words(self.difference.rows, seen)}."
        return f"The data cannot tell {pair}: {between}, p = {self.chance:.2g}.{power}"

    @property
    def budget_words(self) -> str:
        """Say how far the two budgets differ; empty where they are about the same."""
        if self.is_equal_budget:
            return ""
        cost = f" and {self.times_cost:.2f} times the cost" if self.times_cost else ""
        return (
            f"The budgets differ: `{self.variant}` uses {self.times_tokens:.2f} times the tokens{cost} of "
            f"`{self.baseline}`."
        )


class Budget(NamedTuple):
    """What a trial of a variant takes on average; `cost` in US dollars, 0 where a price is not known."""

    tokens: float
    cost: float


def all_compared(
    opened: OpenExperiment, table: Table, scores: Scores, kind: Kind, budgets: Mapping[str, Budget]
) -> list[Compared]:
    """All variants beside the baseline, by each scorer; corrected by scorer.

    `scores` and, by variant, `budgets` are the table's.
    """
    base = opened.experiment.compared_with
    others = [name for name in opened.variants if name != base]
    times = {name: _times(budgets[name], budgets[base]) for name in others}
    reached = [look for look in looks_of(opened) if table.look and look.number <= table.look.number]
    looks = [(look, scores_of(opened, table, pairs=look.pairs)) for look in reached]
    found: list[Compared] = []
    for scorer, by_variant in scores.items():
        pairs = {name: (by_variant[name], by_variant[base]) for name in others}
        told = _corrected(pairs, scorer, kind, dict.fromkeys(others, base), times, table.look)
        if table.look is not None:
            told = [_over_looks(opened, looks, one) for one in told]
        # The baseline is often the cheaper one in several comparisons; its outputs are read once.
        tries_of = cache(partial(_tries, opened, table, scorer))
        found += [
            one if one.is_equal_budget else _with_equal(tries_of, by_variant, one, kind) for one in told
        ]
    return found


def _over_looks(opened: OpenExperiment, looks: Sequence[tuple[Look, Scores]], one: Compared) -> Compared:
    """Give a comparison the chance that holds over all looks so far, by the scores that each had."""
    chances: list[float] = []
    for _, scores in looks:
        mine, theirs = (scores[one.scorer][name] for name in (one.variant, one.baseline))
        shared = set(mine) & set(theirs)
        chances.append(difference(mine, theirs, opened.experiment.rows).chance if shared else 1.0)
    stop = opened.experiment.stop
    chance = least_scaled([look for look, _ in looks], chances)
    return replace(one, chance=chance, within=stop.within if stop else None)


def _with_equal(
    tries_of: Callable[[str], Mapping[str, Sequence[Try]]],
    scores: Mapping[str, Rows],
    one: Compared,
    kind: Kind,
) -> Compared:
    """Tell what the cheaper of two scores with as many tries as the budget of the dearer one pays for."""
    by_cost = bool(one.times_cost) and abs(one.times_cost - 1) > ALIKE
    times = one.times_cost if by_cost else one.times_tokens
    cheaper, dearer = (one.baseline, one.variant) if times > 1 else (one.variant, one.baseline)
    tries = max(times, 1 / times)
    found = at_equal_budget(tries_of(cheaper), scores[dearer], tries, kind)
    unit = "cost" if by_cost else "tokens"
    if found is None:
        return replace(one, equal=EqualBudget(unit, cheaper, tries, None, None, None))
    majority, best, apart = found
    if cheaper == one.variant:
        apart = Interval(-apart.value, -apart.high, -apart.low)
    return replace(one, equal=EqualBudget(unit, cheaper, tries, majority, best, apart))


def _tries(opened: OpenExperiment, table: Table, scorer: str, variant: str) -> dict[str, list[Try]]:
    """The repeats of each row with what they answered: the outputs that the scorer is given, or all."""
    given = [
        one.partition(".")[2] for one in opened.scorers[scorer].given.values() if one.startswith("outputs.")
    ]
    found: dict[str, list[Try]] = {}
    cells = (cell for cell in table.cells if cell.variant == variant)
    for cell, trial, scores in table.walk(cells, is_brief=False):
        score = scores.get(scorer)
        if trial is None or not trial.state.is_over or score is None or score.score is None:
            continue
        said = {name: one for name, one in trial.outputs.items() if not given or name in given}
        answer = digest_of(said) if said else ""
        found.setdefault(opened.dataset.rows[cell.row].id, []).append(Try(score.score, answer))
    return found


def against_baseline(scores: Scores, baseline: Baseline, kind: Kind) -> list[Compared]:
    """All variants beside what they were when the baseline was kept, by the first scorer."""
    scorer, by_variant = next(iter(scores.items()), ("", dict[str, Rows]()))
    kept = baseline.scores.get(scorer, {})
    names = [name for name in by_variant if name in kept]
    pairs = {name: (by_variant[name], kept[name]) for name in names}
    labels = {name: f"{name} (baseline)" for name in names}
    return _corrected(pairs, scorer, kind, labels, dict.fromkeys(names, (0.0, 0.0)))


def _corrected(
    pairs: Mapping[str, tuple[Rows, Rows]],
    scorer: str,
    kind: Kind,
    baselines: Mapping[str, str],
    times: Mapping[str, tuple[float, float]],
    look: Look | None = None,
) -> list[Compared]:
    pairs = {name: pair for name, pair in pairs.items() if set(pair[0]) & set(pair[1])}
    alpha = look.level if look is not None else ALPHA
    told = {name: difference(*pair, kind, alpha=alpha) for name, pair in pairs.items()}
    chances = holm({name: one.chance for name, one in told.items()})
    return [
        Compared(name, baselines[name], scorer, one, chances[name], *times[name])
        for name, one in told.items()
    ]


def _times(one: Budget, other: Budget) -> tuple[float, float]:
    """How many times the tokens and the dollars of another a variant takes; 0 where that is not known."""
    return (
        one.tokens / other.tokens if other.tokens else 0.0,
        one.cost / other.cost if other.cost else 0.0,
    )
