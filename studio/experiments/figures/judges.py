"""The judges of an experiment held against what people say of its trials."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from studio.experiments.figures.agreement import Confusion, Pair, Said, confusion_of, corrected, kappa
from studio.experiments.labels import Label
from studio.experiments.opening import OpenExperiment
from studio.experiments.scores import Score
from studio.experiments.statistics import Interval
from studio.experiments.table import Table

PASS, FAIL = "pass", "fail"
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Agreed:
    """How far two people agree about the trials that both labelled; `kappa` is None where it says nothing."""

    one: str
    other: str
    trials: int
    same: int
    kappa: Interval | None


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """A scorer beside people; `kappa` is None where all say the same of everything.

    `corrected` has for each variant with labelled trials the mean score that people would give.
    """

    scorer: str
    people: Sequence[str]
    split: int
    """Trials of which as many people pass as fail, which are left out."""
    seen: int
    """Labels of people who saw the variant, or what the scorer said."""
    confusion: Confusion
    kappa: Interval | None
    agreed: Sequence[Agreed]
    corrected: Mapping[str, Interval]

    @property
    def words(self) -> Iterator[str]:
        """The same in sentences."""
        found = self.confusion
        names = ", ".join(self.people)
        yield (
            f"`{self.scorer}` against {found.count} labelled trials ({names}): both pass {found.both_pass}, "
            f"both fail {found.both_fail}, only the scorer passes {found.judge_alone}, "
            f"only people pass {found.people_alone}."
        )
        yield f"Agreement of `{self.scorer}` with people: {_kappa(self.kappa)}."
        for one in self.agreed:
            yield (
                f"`{one.one}` and `{one.other}` agree about {one.same} of {one.trials} trials: "
                f"{_kappa(one.kappa)}."
            )
        for name, rate in self.corrected.items():
            yield (
                f"Corrected for the errors of `{self.scorer}`, `{name}` scores {rate.value:.3f} "
                f"({rate.low:.3f} to {rate.high:.3f})."
            )
        if self.split:
            yield f"People disagree evenly about {self.split} trials, which are left out."
        if self.seen:
            yield f"{self.seen} labels of `{self.scorer}` were not given blind."


def judges_of(opened: OpenExperiment, table: Table, labels: Sequence[Label]) -> list[JudgeFigures]:
    """Tell of each scorer with labels how it judges; labels of trials that are not in the table are left out.

    Raises `StatisticsMissingError` without scipy.
    """
    if not labels:
        return []
    wanted = {one.trial for one in labels}
    cells = (cell for cell in table.cells if cell.key in wanted and table.trial(cell))
    rows = {cell.key: opened.dataset.rows[cell.row].id for cell in cells}
    return [
        _figures(opened, table, name, ours, rows)
        for name in opened.scorers
        if (ours := [one for one in labels if one.scorer == name and one.trial in rows])
    ]


def _figures(
    opened: OpenExperiment, table: Table, scorer: str, labels: Sequence[Label], rows: Mapping[str, str]
) -> JudgeFigures:
    by_trial: dict[str, list[Label]] = {}
    for one in labels:
        by_trial.setdefault(one.trial, []).append(one)
    people = {key: fmean(one.score for one in said) for key, said in by_trial.items()}
    said: dict[str, list[Said]] = {name: [] for name in opened.variants}
    scores: dict[str, Score] = {}
    for cell, _, told in table.walk():
        score = told.get(scorer)
        if score is None or score.score is None:
            continue
        row = opened.dataset.rows[cell.row].id
        said[cell.variant].append(Said(row, score.score, people.get(cell.key)))
        if cell.key in people:
            scores[cell.key] = score
    judged = {key: scores[key] for key in people if key in scores}
    verdicts = {key: _majority(by_trial[key]) for key in judged}
    pairs = [
        Pair(rows[key], PASS if _passes(score) else FAIL, verdict)
        for key, score in judged.items()
        if (verdict := verdicts[key])
    ]
    rates = ((name, corrected(each)) for name, each in said.items())
    return JudgeFigures(
        scorer,
        sorted({one.by for one in labels}),
        sum(not verdict for verdict in verdicts.values()),
        sum(not one.blind for one in labels),
        confusion_of(pairs, PASS),
        kappa(pairs) if pairs else None,
        list(_agreed(labels, rows)),
        {name: rate for name, rate in rates if rate is not None},
    )


def _agreed(labels: Sequence[Label], rows: Mapping[str, str]) -> Iterator[Agreed]:
    said: dict[str, dict[str, str]] = {}
    for one in labels:
        said.setdefault(one.by, {})[one.trial] = _verdict(one.score)
    for one, other in combinations(sorted(said), 2):
        both = [key for key in said[one] if key in said[other]]
        if both:
            pairs = [Pair(rows[key], said[one][key], said[other][key]) for key in both]
            same = sum(each.one == each.other for each in pairs)
            yield Agreed(one, other, len(pairs), same, kappa(pairs))


def _majority(said: Sequence[Label]) -> str:
    """What more people say; empty where as many say the other."""
    passing = sum(_verdict(one.score) == PASS for one in said)
    return "" if 2 * passing == len(said) else _verdict(passing / len(said))


def _verdict(score: float) -> str:
    return PASS if score >= HALF else FAIL


def _passes(score: Score) -> bool:
    return score.ok if score.ok is not None else (score.score or 0.0) >= HALF


def _kappa(found: Interval | None) -> str:
    if found is None:
        return "kappa says nothing, since all say the same of everything"
    between = f"{found.low:.2f} to {found.high:.2f}" if found.is_told else "unknown"
    return f"kappa {found.value:.2f} ({between})"
