"""What an experiment would be able to tell, before anything is bought."""

from dataclasses import dataclass
from statistics import fmean, stdev

from studio.experiments.opening import OpenExperiment
from studio.experiments.statistics import Rows, detectable, rows_needed, seen_words
from studio.experiments.table import scores_of, table_of

ASSUMED = 0.5
"""The deviation of rows' differences where nothing is stored: one row in four turns out otherwise."""


@dataclass(frozen=True, slots=True)
class Power:
    """Of a paired comparison at 5 %, seen in 8 of 10 experiments; scores and differences from 0 to 1."""

    rows: int
    deviation: float
    is_assumed: bool
    wanted: float
    detectable: float
    needed: int

    @property
    def words(self) -> str:
        """The same in a sentence."""
        whence = (
            "assuming that one row in four turns out otherwise"
            if self.is_assumed
            else "by the stored trials of this experiment"
        )
        return (
            f"{seen_words(self.rows, self.detectable)}; {100 * self.wanted:g} points take "
            f"{self.needed:,} rows ({whence})."
        )


def power_of(opened: OpenExperiment, wanted: float) -> Power:
    """Tell how small a difference the rows show, and how many rows show a difference of `wanted`.

    The deviation is that of stored trials, the largest of all variants; raises `ValueError` where no
    difference is wanted.
    """
    rows, base = len(opened.dataset.rows), opened.experiment.compared_with
    by_variant = next(iter(scores_of(opened, table_of(opened)).values()), dict[str, Rows]())
    first = by_variant.get(base, dict[str, list[float]]())
    found: list[float] = []
    for name, other in by_variant.items():
        apart = [fmean(values) - fmean(first[row]) for row, values in other.items() if row in first]
        if name != base and len(apart) > 1 and any(apart):
            found.append(stdev(apart))
    deviation = max(found, default=ASSUMED)
    return Power(
        rows, deviation, not found, wanted, detectable(deviation, rows), rows_needed(wanted, deviation)
    )
