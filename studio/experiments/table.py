"""The table of an experiment, read from its file a page at a time, so that it takes no memory to speak of."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from studio.experiments.distributions import StatisticsMissingError
from studio.experiments.figures.sequential import Look, decided, looks_at
from studio.experiments.opening import OpenExperiment
from studio.experiments.scores import Score
from studio.experiments.statistics import Scores
from studio.experiments.trial_store import AT_A_TIME, reading, scores_in, store_path, trials_in
from studio.experiments.trials import Cell, Cells, Trial, TrialState, cells_of

PAGES = 64
"""Pages that are kept, of 500 trials each."""


class Told(NamedTuple):
    """A cell with its trial, where it was begun, and what scorers said of it, by their names."""

    cell: Cell
    trial: Trial | None
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Table:
    """All cells of an experiment, its stored trials by key, and scores by key and name of the scorer.

    `reused` trials were there before, and `shared` cells have the trial of another cell.
    """

    cells: Cells
    """Those that there are when a rule ended it early."""
    trials: Mapping[str, Trial]
    scores: Mapping[tuple[str, str], Score]
    ran: int = 0
    reused: int = 0
    shared: int = 0
    stopped: str = ""
    """Why it is not whole; empty where it is."""
    look: Look | None = None
    """The look at which a sequential rule ended it, or else the last that it had; None without a rule."""

    def trial(self, cell: Cell) -> Trial | None:
        """Give the trial of a cell, where there is one that is over."""
        found = self.trials.get(cell.key)
        return found if found is not None and found.state.is_over else None

    def walk(self, cells: Iterable[Cell] | None = None, *, is_brief: bool = True) -> Iterator[Told]:
        """Go through cells of the table, or through all; what is stored is read once and not kept.

        Where it `is_brief`, trials are without their outputs.
        """
        cells = self.cells if cells is None else cells
        if isinstance(self.trials, _StoredTrials):
            yield from self.trials.pages.walk(cells, is_brief=is_brief)
            return
        names = dict.fromkeys(name for _, name in self.scores)
        for cell in cells:
            said = ((name, self.scores.get((cell.key, name))) for name in names)
            scores = {name: score for name, score in said if score is not None}
            yield Told(cell, self.trials.get(cell.key), scores)


def table_of(opened: OpenExperiment, cells: Cells | None = None) -> Table:
    """Give the table as far as it is stored, and as far as a sequential rule let it go.

    It may be read while a process runs the experiment; `cells` are all of them, where they are known.
    """
    cells = cells if cells is not None else cells_of(opened)
    digests = {name: one.digest for name, one in opened.scorers.items()}
    pages = _Pages(cells, store_path(opened.project, opened.name), digests)
    table = Table(cells, _StoredTrials(pages), _StoredScores(pages))
    looks = looks_of(opened)
    look = _look_of(opened, table, looks) if looks else None
    if look is not None and look.is_end:
        cells = cells.first(look.pairs)
    return replace(table, cells=cells, shared=cells.shared, look=look or next(iter(looks), None))


def scores_of(opened: OpenExperiment, table: Table, *, pairs: int | None = None) -> Scores:
    """Give all scores but those that nobody could give, in one walk: a large table is read from the disk.

    With `pairs`, those of so many of the first pairs of repeat and row alone.
    """
    found: dict[str, dict[str, dict[str, list[float]]]] = {
        scorer: {variant: {} for variant in opened.variants} for scorer in opened.scorers
    }
    for cell, trial, said in table.walk(None if pairs is None else table.cells.first(pairs)):
        if trial is None or not trial.state.is_over:
            continue
        row = opened.dataset.rows[cell.row].id
        for scorer, score in said.items():
            if score.score is not None:
                found[scorer][cell.variant].setdefault(row, []).append(score.score)
    return found


def looks_of(opened: OpenExperiment) -> Sequence[Look]:
    """Give the looks of an experiment's rule; none without one, and none where nothing tells of chances."""
    experiment = opened.experiment
    if experiment.stop is None:
        return []
    pairs = len(opened.dataset.rows) * experiment.repeats
    try:
        return looks_at(pairs, experiment.stop.looks, experiment.stop.spending, len(opened.variants) - 1)
    except StatisticsMissingError:
        return []


def _look_of(opened: OpenExperiment, table: Table, looks: Sequence[Look]) -> Look | None:
    """Give the look at which it ended, or else the last that was reached; None where none was.

    A look that was passed, so that trials after it are over, is not an end any more.
    """
    reached: list[Look] = []
    for look in looks:
        before = reached[-1].pairs if reached else 0
        if not all(_is_said(table, cell) for cell in table.cells.first(look.pairs).after(before)):
            break
        reached.append(look)
        if look.number < look.of and not _went_on(table, look) and _is_decided(opened, table, reached):
            return replace(look, is_end=True)
    return reached[-1] if reached else None


def _is_said(table: Table, cell: Cell) -> bool:
    """Whether a look need not wait for a cell: also where only the provider failed, which may stay so."""
    found = table.trials.get(cell.key)
    return found is not None and (found.state.is_over or found.state is TrialState.PROVIDER)


def _went_on(table: Table, look: Look) -> bool:
    """Whether a trial is over that only comes after a look."""
    before = {cell.key for cell in table.cells.first(look.pairs)}
    return any(cell.key not in before and table.trial(cell) for cell in table.cells.after(look.pairs))


def _is_decided(opened: OpenExperiment, table: Table, looks: Sequence[Look]) -> bool:
    """Whether each comparison was decided at one of the looks so far."""
    experiment, scorer = opened.experiment, next(iter(opened.scorers))
    within = experiment.stop.within if experiment.stop is not None else None
    left = [name for name in opened.variants if name != experiment.compared_with]
    for look in reversed(looks):
        by_variant = scores_of(opened, table, pairs=look.pairs)[scorer]
        base = by_variant[experiment.compared_with]
        left = [one for one in left if not decided(by_variant[one], base, experiment.rows, look, within)]
        if not left:
            return True
    return not left


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

    def walk(self, cells: Iterable[Cell], *, is_brief: bool) -> Iterator[Told]:
        """Go through cells, as many at a time as a page has."""
        left = iter(cells)
        with reading(self._path) as connection:
            while some := list(islice(left, AT_A_TIME)):
                keys = [cell.key for cell in some]
                trials, said = trials_in(connection, keys, is_brief=is_brief), scores_in(connection, keys)
                for cell in some:
                    scores = {
                        name: score
                        for name, digest in self.digests.items()
                        if (score := said.get((cell.key, digest))) is not None
                    }
                    yield Told(cell, trials.get(cell.key), scores)

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
        self.pages = pages

    def __getitem__(self, key: str) -> Trial:
        page = self.pages.with_key(key)
        if page is None:
            raise KeyError(key)
        return page.trials[key]

    def __iter__(self) -> Iterator[str]:
        for page in self.pages.each():
            yield from page.trials

    def __len__(self) -> int:
        return sum(len(page.trials) for page in self.pages.each())


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
