"""Trials that another experiment of the project has run already: equal ones are not run again."""

from collections.abc import Iterator
from itertools import islice

from studio.experiments.trial_store import AT_A_TIME, TrialStore
from studio.experiments.trials import Cell, Cells


def take_over_equal(store: TrialStore, cells: Cells) -> None:
    """Take in what other experiments have of the trials of a table that are not here.

    A trial's key names all that decides it, and its run is one of the project's. Its scores come along, and
    count where a scorer would be given the same of the row.
    """
    others = [path for path in sorted(store.path.parent.glob("*.db")) if path != store.path]
    for page in by_page(cells.distinct()) if others else ():
        keys = [cell.key for cell in page]
        there = store.trials(keys, is_brief=True)
        missing = [key for key in keys if key not in there]
        for other in others if missing else ():
            store.take_over(other, missing)


def by_page(cells: Iterator[Cell]) -> Iterator[list[Cell]]:
    """Give cells by as many as the file is asked for at a time."""
    while page := list(islice(cells, AT_A_TIME)):
        yield page
