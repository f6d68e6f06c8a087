"""A trial: one run of one variant on one row with one seed; what is asked for, and what came of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice, product
from random import Random
from typing import NamedTuple, overload

from studio.experiments.datasets import Row, digest_of, inputs_of
from studio.experiments.opening import OpenExperiment
from studio.experiments.scores import Score
from studio.experiments.variants import OpenVariant, decided_by
from studio.flow.records import Json

KEY_FORM = 1
"""Raised when trials that had one key may differ from then on."""


class TrialState(StrEnum):
    """How far a trial is. What is `PLANNED` was begun, or is about to be, by a process that is gone."""

    PLANNED = "planned"
    DONE = "done"
    FAILED = "failed"
    """The run failed for the flow's reasons, which counts as the score 0."""
    PROVIDER = "provider"
    """It failed for the provider's reasons: it is no evidence, and is tried again."""
    STOPPED = "stopped"
    """It was cancelled, or the budget of the experiment was used up: it goes on the next time."""

    @property
    def is_over(self) -> bool:
        """Whether it says something of the variant, and is not run again."""
        return self in (TrialState.DONE, TrialState.FAILED)


class Cell(NamedTuple):
    """A place in the table: a variant, a row by its place in the dataset, and which repeat from 1."""

    variant: str
    row: int
    repeat: int
    key: str
    """Names the trial by all that decides it; two cells may have the same one, and then it runs once."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a trial. `cost` in US dollars, `seconds` as its run worked, simulated ones for solvers."""

    key: str
    run: str
    state: TrialState
    outputs: Mapping[str, Json] = field(default_factory=dict[str, Json])
    error: str = ""
    cost: float = 0.0
    unpriced: int = 0
    """Tokens of which nobody knows the price."""
    tokens: int = 0
    chats: int = 0
    steps: int = 0
    seconds: float = 0.0
    made_up: int = 0
    """Answers that nobody gave."""


class Job(NamedTuple):
    """A trial to run, and the scorers to ask; with a `known` outcome it is only scored."""

    cell: Cell
    run: str
    scorers: Sequence[str]
    known: Trial | None = None
    budget: float | None = None
    """US dollars that are left of what the whole experiment may cost."""


class Outcome(NamedTuple):
    """What a job gave: the trial, and scores by the name of their scorer."""

    trial: Trial
    scores: Mapping[str, Score]


class Cells(Sequence[Cell]):
    """The cells of a table, made as they are asked for, so that a million take no more memory than its rows.

    They come repeat by repeat, row by row, variant by variant, so that an early end is balanced.
    """

    def __init__(
        self,
        names: Mapping[str, Sequence[str]],
        lucks: Sequence[str],
        *,
        order: Sequence[int] = (),
        pairs: int | None = None,
    ) -> None:
        """`names` has for each variant what names its trials on each row, `lucks` each repeat's chance.

        `order` has the places of the rows as they come, in each repeat; of all pairs of repeat and row, only
        so many of the first are there.
        """
        self._by_variant = names
        self._variants = list(names)
        self._names = list(zip(*names.values(), strict=True))
        self._lucks = lucks
        self._order = order or range(len(self._names))
        self._places = {row: place for place, row in enumerate(self._order)}
        self._pairs = len(lucks) * len(self._names) if pairs is None else pairs

    def __len__(self) -> int:
        return self._pairs * len(self._variants)

    @property
    def pairs(self) -> int:
        """How many pairs of repeat and row there are."""
        return self._pairs

    def pair_of(self, cell: Cell) -> int:
        """Tell as which pair of repeat and row a cell comes, from 0."""
        return (cell.repeat - 1) * len(self._names) + self._places[cell.row]

    def first(self, pairs: int) -> "Cells":
        """Give the cells of so many of the first pairs of repeat and row."""
        return Cells(self._by_variant, self._lucks, order=self._order, pairs=pairs)

    def after(self, pairs: int) -> Iterator[Cell]:
        """Give the cells that come after so many pairs."""
        return (self[at] for at in range(pairs * len(self._variants), len(self)))

    @overload
    def __getitem__(self, at: int) -> Cell: ...
    @overload
    def __getitem__(self, at: slice) -> list[Cell]: ...
    def __getitem__(self, at: int | slice) -> Cell | list[Cell]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        rest, variant = divmod(at % len(self), len(self._variants))
        repeat, place = divmod(rest, len(self._names))
        row = self._order[place]
        key = f"{self._names[row][variant]}/{self._lucks[repeat]}"
        return Cell(self._variants[variant], row, repeat + 1, key)

    def __iter__(self) -> Iterator[Cell]:
        pairs = product(enumerate(self._lucks, 1), self._order)
        for (repeat, luck), row in islice(pairs, self._pairs):
            for variant, name in zip(self._variants, self._names[row], strict=True):
                yield Cell(variant, row, repeat, f"{name}/{luck}")

    @property
    def lucks(self) -> Sequence[str]:
        """What follows a name in the key of a trial, for each repeat."""
        return self._lucks

    def named(self) -> Iterator[tuple[str, int, str]]:
        """Give for each variant and row what names its trials, whatever the repeat."""
        for row in self._order:
            for variant, name in zip(self._variants, self._names[row], strict=True):
                yield variant, row, name

    def distinct(self) -> Iterator[Cell]:
        """Give the cells without those whose trial is that of a cell before them."""
        twins = self._twins()
        return (cell for cell in self if (cell.row, cell.variant) not in twins) if twins else iter(self)

    @property
    def shared(self) -> int:
        """How many cells have the trial of another one."""
        twins = self._twins()
        return sum((cell.row, cell.variant) in twins for cell in self) if twins else 0

    def _twins(self) -> set[tuple[int, str]]:
        """The rows and variants whose trials are those of others before them, in each repeat."""
        seen: set[str] = set()
        return {(row, variant) for variant, row, name in self.named() if name in seen or seen.add(name)}


def cells_of(opened: OpenExperiment) -> Cells:
    """Give all cells of an experiment; where a rule may end it early, the rows come in a random order."""
    experiment = opened.experiment
    mapping, rows = experiment.dataset.inputs, opened.dataset.rows
    names = {label: [*_names(one, rows, mapping)] for label, one in opened.variants.items()}
    order = list(range(len(rows)))
    if experiment.stop is not None:
        # Files are often sorted, and their first rows would not stand for the others.
        Random(experiment.seed).shuffle(order)  # noqa: S311  # no secret
    lucks = [luck_of(opened, repeat) for repeat in range(1, experiment.repeats + 1)]
    return Cells(names, lucks, order=order)


def luck_of(opened: OpenExperiment, repeat: int) -> str:
    """Name the chance of a repeat, which is the same for all variants: they differ by what they do."""
    return f"{opened.experiment.seed}/{repeat}"


def _names(variant: OpenVariant, rows: Sequence[Row], mapping: Mapping[str, str]) -> Iterator[str]:
    """Name the trials of rows by what decides them.

    Rows that give the same inputs share one, unless they differ in what a scorer may compare with.
    """
    decided = _decided(variant)
    first: dict[str, int] = {}
    for place, row in enumerate(rows):
        name = digest_of([*decided, inputs_of(row, variant.fields, mapping)])
        twin = first.setdefault(name, place)
        is_same = twin == place or _told(row) == _told(rows[twin])
        yield name if is_same else digest_of([name, _told(row)])


def _told(row: Row) -> dict[str, Json]:
    return {name: value for name, value in row.columns.items() if value != row.id}


def _decided(one: OpenVariant) -> list[object]:
    """What of a variant decides its trials."""
    return [KEY_FORM, *decided_by(one)]
