"""The table of an experiment, read from its file a page at a time, so that it takes no memory to speak of."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from studio.experiments.opening import OpenExperiment
from studio.experiments.scorers import Score
from studio.experiments.trial_store import AT_A_TIME, reading, scores_in, store_path, trials_in
from studio.experiments.trials import Cell, Cells, Trial, cells_of

PAGES = 64
"""Pages that are kept, of 500 trials each."""


@dataclass(frozen=True, slots=True)
class Table:
    """All cells of an experiment, its stored trials by key, and scores by key and name of the scorer.

    `reused` trials were there before, and `shared` cells have the trial of another cell.
    """

    cells: Cells
    trials: Mapping[str, Trial]
    scores: Mapping[tuple[str, str], Score]
    ran: int = 0
    reused: int = 0
    shared: int = 0
    stopped: str = ""
    """Why it is not whole; empty where it is."""

    def trial(self, cell: Cell) -> Trial | None:
        """Give the trial of a cell, where there is one that is over."""
        found = self.trials.get(cell.key)
        return found if found is not None and found.state.is_over else None


def table_of(opened: OpenExperiment, cells: Cells | None = None) -> Table:
    """Give the table as far as it is stored; it may be read while a process runs the experiment."""
    cells = cells if cells is not None else cells_of(opened)
    digests = {name: one.digest for name, one in opened.scorers.items()}
    pages = _Pages(cells, store_path(opened.project, opened.name), digests)
    return Table(cells, _StoredTrials(pages), _StoredScores(pages), shared=cells.shared)


class _Page(NamedTuple):
    trials: Mapping[str, Trial]
    scores: Mapping[tuple[str, str], Score]


class _Pages:
    """Trials and scores in the order of the cells, the pages that were looked at last kept."""

    def __init__(self, cells: Cells, path: Path, digests: Mapping[str, str]) -> None:
        self.digests = digests
        self._path = path
        self._names = list(dict.fromkeys(name for _, _, name in cells.named()))
        self._places = {name: place for place, name in enumerate(self._names)}
        self._repeats = {luck: repeat for repeat, luck in enumerate(cells.lucks)}
        self._lucks = cells.lucks
        self._kept: OrderedDict[int, _Page] = OrderedDict()
        self._last: tuple[str, _Page | None] = ("", None)

    @property
    def count(self) -> int:
        """How many trials there can be."""
        return len(self._names) * len(self._lucks)

    def each(self) -> Iterator[_Page]:
        """Give all pages in turn."""
        for first in range(0, self.count, AT_A_TIME):
            yield self._page(first // AT_A_TIME)

    def with_key(self, key: str) -> _Page | None:
        """Give the page of a trial; None for one that the table has not."""
        if key == self._last[0]:
            return self._last[1]
        name, _, luck = key.partition("/")
        place, repeat = self._places.get(name), self._repeats.get(luck)
        if place is None or repeat is None:
            return None
        page = self._page((repeat * len(self._names) + place) // AT_A_TIME)
        self._last = key, page  # a trial is asked for, and then its scores
        return page

    def _page(self, number: int) -> _Page:
        found = self._kept.get(number)
        if found is None:
            keys = [self._key(at) for at in range(number * AT_A_TIME, (number + 1) * AT_A_TIME)]
            keys = [one for one in keys if one]
            with reading(self._path) as connection:
                found = _Page(trials_in(connection, keys), scores_in(connection, keys))
            self._kept[number] = found
            if len(self._kept) > PAGES:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(number)
        return found

    def _key(self, place: int) -> str:
        repeat, name = divmod(place, len(self._names))
        return f"{self._names[name]}/{self._lucks[repeat]}" if repeat < len(self._lucks) else ""


class _StoredTrials(Mapping[str, Trial]):
    def __init__(self, pages: _Pages) -> None:
        self._pages = pages

    def __getitem__(self, key: str) -> Trial:
        page = self._pages.with_key(key)
        if page is None:
            raise KeyError(key)
        return page.trials[key]

    def __iter__(self) -> Iterator[str]:
        for page in self._pages.each():
            yield from page.trials

    def __len__(self) -> int:
        return sum(len(page.trials) for page in self._pages.each())


class _StoredScores(Mapping[tuple[str, str], Score]):
    def __init__(self, pages: _Pages) -> None:
        self._pages = pages

    def __getitem__(self, which: tuple[str, str]) -> Score:
        key, name = which
        page, digest = self._pages.with_key(key), self._pages.digests.get(name)
        if page is None or digest is None:
            raise KeyError(which)
        return page.scores[key, digest]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for page in self._pages.each():
            for key in dict.fromkeys(key for key, _ in page.scores):
                for name, digest in self._pages.digests.items():
                    if (key, digest) in page.scores:
                        yield key, name

    def __len__(self) -> int:
        return sum(1 for _ in self)
