"""Which runs a chosen cell stands for, and which two of them are compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication

from studio.experiments.trial_pages import ShownRow, ShownTrial

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the table: a row, a variant with its flow (a path in the project), and its trials."""

    row: str
    variant: str
    flow: str
    trials: Sequence[ShownTrial]

    @property
    def over(self) -> list[ShownTrial]:
        """The trials whose runs can be looked at."""
        return [one for one in self.trials if one.is_over]

    @property
    def telling(self) -> ShownTrial:
        """The trial that tells most: the first that did not reach the full score, else the first."""
        return next((one for one in self.over if (one.score or 0.0) < 1), self.over[0])


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs to compare; the second is shown on the canvas of its flow. `words` name both cells."""

    first: str
    second: str
    flow: str
    words: tuple[str, str]


def cell_at(about: Mapping[str, Any], row: ShownRow, variant: int) -> Cell:
    """Give a cell of a table (`about` is `trial_index.about_of`)."""
    return Cell(row.id, about["variants"][variant], about["flows"][variant], row.trials[variant])


def pair_of(first: Cell, second: Cell) -> Pair | None:
    """Give the runs of two cells to compare: of the first repeat that they score apart, else of the first."""
    theirs = {one.repeat: one for one in second.over}
    both = [(one, theirs[one.repeat]) for one in first.over if one.repeat in theirs]
    if not both:
        return None
    one, other = next((pair for pair in both if pair[0].score != pair[1].score), both[0])
    if one.run == other.run:  # equal cells have one trial
        return None
    return Pair(one.run, other.run, second.flow, (_named(first), _named(second)))


def regular_pair(about: Mapping[str, Any], row: ShownRow, variant: int) -> Pair | None:
    """Give what one chosen cell is compared with: the baseline, or for that the variant most apart."""
    if variant < 0:
        return None
    base = list(about["variants"]).index(about["baseline"])
    cell = cell_at(about, row, variant)
    if variant != base:
        return pair_of(cell, cell_at(about, row, base))
    others = [cell_at(about, row, one) for one in range(len(row.trials)) if one != base]
    apart = sorted(others, key=lambda one: -abs(_mean(one) - _mean(cell)))
    return next((pair for one in apart if (pair := pair_of(cell, one)) is not None), None)


def _mean(cell: Cell) -> float:
    scores = [one.score for one in cell.over if one.score is not None]
    return sum(scores) / len(scores) if scores else 0.0


def _named(cell: Cell) -> str:
    return f"{cell.row}, {cell.variant}"


def trial_place(cell: Cell, trial: ShownTrial) -> str:
    """Say of which row, variant and repeat a trial is."""
    if len(cell.trials) == 1:
        return _named(cell)
    repeat = translate("experiments", "repeat {number}").format(number=trial.repeat)
    return f"{_named(cell)}, {repeat}"
