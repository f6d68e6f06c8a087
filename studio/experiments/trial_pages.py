"""Pages of an experiment's table, as a window shows it: read from index and store, never all of them.

Nothing is written here, and no lock is taken: it may run meanwhile. A row's score is the mean of its repeats.
"""

import json
import sqlite3
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

from studio.errors import StoreError
from studio.experiments.charts import BINS
from studio.experiments.trial_index import index_path, read_about
from studio.experiments.trial_store import store_path
from studio.experiments.trials import TrialState
from studio.workspace.project import Project

Only = Literal["", "apart", "worse", "better", "failed", "unscored"]
"""Which rows: all; where variants differ; where one is worse, or better, than the baseline; where a trial
failed; where one has no score yet."""

_EMPTY = """
    CREATE TABLE t.trials (
        key TEXT, run TEXT, state TEXT, error TEXT, cost REAL, tokens INTEGER, seconds REAL, outputs TEXT
    );
    CREATE TABLE t.scores (key TEXT, scorer TEXT, score REAL, ok INTEGER, reason TEXT, run TEXT);
"""

_MEANS = """
    SELECT c.row AS row, c.variant AS variant, avg(s.score) AS mean,
           sum(t.state IN ('failed', 'provider')) AS wrong, count(s.score) AS scored, count(*) AS cells
    FROM cells c LEFT JOIN t.trials t ON t.key = c.key AND t.state IN ('done', 'failed', 'provider')
    LEFT JOIN t.scores s ON s.key = t.key AND s.scorer = :scorer
    GROUP BY c.row, c.variant
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows are listed, and in which order: by their place (`sort` -2), their name (-1), or a variant.

    `variant` is the one that `worse` and `better` speak of, by its number; `words` are all looked for.
    """

    scorer: str = ""
    words: str = ""
    tag: str = ""
    only: Only = ""
    variant: int = 0
    sort: int = -2
    is_descending: bool = False

    @property
    def is_all(self) -> bool:
        """Whether all rows are listed as they stand in the dataset."""
        return self.sort == -2 and not (self.words.strip() or self.tag or self.only)


class ShownTrial(NamedTuple):
    """A trial as the table shows it; `state` is None where it was not begun."""

    repeat: int
    key: str
    run: str
    state: TrialState | None
    score: float | None
    reason: str
    cost: float
    tokens: int
    seconds: float

    @property
    def is_over(self) -> bool:
        """Whether its run can be looked at."""
        return self.state is not None and self.state is not TrialState.PLANNED


class ShownRow(NamedTuple):
    """A line of the table: a row, and the trials of each variant in the order of repeats."""

    place: int
    id: str
    said: str
    tags: Sequence[str]
    trials: Sequence[Sequence[ShownTrial]]


class TrialPages:
    """Reads pages and counts; a context manager, used on the thread that made it.

    Raises `StoreError` where the index, or the trials, cannot be read.
    """

    def __init__(self, project: Project, name: str) -> None:
        self._index = index_path(project, name)
        self._trials = store_path(project, name)
        self.about: Mapping[str, Any] = {}
        """What the table is of (`trial_index.about_of`), with `tags`, and `report` where one was kept."""
        self.has_trials = False
        """Whether there was a store of trials when this was opened; one that comes later is not seen."""
        self._open: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        self.about = read_about(self._index)
        if not self.about:
            raise StoreError("The table of the experiment is not listed yet.")
        try:
            self._open = sqlite3.connect(self._index)
            self.has_trials = self._trials.is_file()
            if self.has_trials:
                self._open.execute("ATTACH ? AS t", (str(self._trials),))
            else:
                self._open.execute("ATTACH ':memory:' AS t")
                self._open.executescript(_EMPTY)
            self._open.execute("PRAGMA query_only=1")
        except sqlite3.Error as error:
            self._close()
            raise self._lost(error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    @property
    def variants(self) -> Sequence[str]:
        """The variants in the order of the experiment."""
        return list(self.about["variants"])

    @property
    def scorers(self) -> Sequence[str]:
        """The scorers in the order of the experiment."""
        return list(self.about["scorers"])

    def places(self, wanted: Wanted) -> Sequence[int]:
        """Give the places of the rows that are wanted, in their order."""
        if wanted.is_all:
            count = range(int(self.about["rows"]))
            return count[::-1] if wanted.is_descending else count
        conditions, given = self._conditions(wanted)
        order = self._order(wanted)
        joined = ""
        if wanted.only or wanted.sort >= 0:
            base = self.variants.index(self.about["baseline"])
            joined = (
                f"JOIN (SELECT row, max(mean) AS most, min(mean) AS least, sum(wrong) AS wrong, "  # noqa: S608
                "sum(scored < cells) AS missing, "
                "max(CASE WHEN variant = :variant THEN mean END) AS mine, "
                "max(CASE WHEN variant = :sorted THEN mean END) AS sorted, "
                f"max(CASE WHEN variant = :base THEN mean END) AS base FROM ({_MEANS}) GROUP BY row) m "
                "ON m.row = r.place"
            )
            given |= {"variant": wanted.variant, "sorted": wanted.sort, "base": base}
        found = self._rows(
            f"SELECT r.place FROM rows r {joined} WHERE {conditions} ORDER BY {order}",  # noqa: S608
            {**given, "scorer": self._digest(wanted.scorer)},
        )
        return array("L", (place for (place,) in found))

    def page(self, places: Sequence[int], scorer: str) -> list[ShownRow]:
        """Read the rows at these places, in this order, scored by a scorer; unknown places are left out."""
        marks = ",".join("?" * len(places))
        heads: dict[int, tuple[str, str, Sequence[str]]] = {
            place: (name, said, json.loads(tags))
            for place, name, said, tags in self._rows(
                f"SELECT place, id, said, tags FROM rows WHERE place IN ({marks})",  # noqa: S608
                tuple(places),
            )
        }
        trials = {one: _columns(len(self.variants)) for one in heads}
        query = f"""
            SELECT c.row, c.variant, c.repeat, c.key, t.run, t.state, t.error, s.score, s.reason, t.cost,
                   t.tokens, t.seconds
            FROM cells c LEFT JOIN t.trials t ON t.key = c.key
            LEFT JOIN t.scores s ON s.key = t.key AND s.scorer = ?
            WHERE c.row IN ({marks}) ORDER BY c.row, c.variant, c.repeat
        """  # noqa: S608
        for row, variant, repeat, key, run, state, error, score, reason, *spent in self._rows(
            query, (self._digest(scorer), *places)
        ):
            found = TrialState(state) if state else None
            why = reason or error or ""
            cost, tokens, seconds = (one or 0 for one in spent)
            shown = ShownTrial(repeat, key, run or "", found, score, why, cost, tokens, seconds)
            trials[row][int(variant)].append(shown)
        return [ShownRow(place, *heads[place], trials[place]) for place in places if place in heads]

    def histograms(self, scorer: str) -> dict[str, list[int]]:
        """Count for each variant the rows of each mean score, in ten steps from 0 to 1."""
        names = list(self.variants)
        found = {name: [0] * BINS for name in names}
        query = f"""
            SELECT variant, min(CAST(mean * {BINS} AS INTEGER), {BINS - 1}) AS bin, count(*)
            FROM ({_MEANS}) WHERE mean IS NOT NULL GROUP BY variant, bin
        """  # noqa: S608
        for variant, place, count in self._rows(query, {"scorer": self._digest(scorer)}):
            found[names[variant]][max(place, 0)] = count
        return found

    def counts(self) -> tuple[int, int]:
        """Count the trials that are over, and all cells that differ from one another."""
        query = """
            SELECT count(t.key), count(*) FROM (SELECT DISTINCT key FROM cells) c
            LEFT JOIN t.trials t ON t.key = c.key AND t.state IN ('done', 'failed')
        """
        ((over, every),) = self._rows(query, ())
        return over, every

    def finished(self) -> list[tuple[str, int]]:
        """List the trials whose run finished, by key and the place of a row; each once."""
        query = """
            SELECT c.key, min(c.row) FROM cells c JOIN t.trials t ON t.key = c.key AND t.state = 'done'
            GROUP BY c.key ORDER BY c.key
        """
        return [(str(key), int(row)) for key, row in self._rows(query, ())]

    def outputs(self, key: str) -> Mapping[str, Any]:
        """Give what the run of a trial returned."""
        found = self._rows("SELECT outputs FROM t.trials WHERE key = ?", (key,))
        for (outputs,) in found:
            return json.loads(outputs)
        return {}

    def runs_of(self, places: Sequence[int], variant: int) -> list[str]:
        """Name the runs of a variant on the rows at these places, as far as they are over."""
        marks = ",".join("?" * len(places))
        query = f"""
            SELECT t.run FROM cells c JOIN t.trials t ON t.key = c.key
            WHERE c.variant = ? AND c.row IN ({marks}) AND t.state IN ('done', 'failed')
            ORDER BY c.row, c.repeat
        """  # noqa: S608
        return [run for (run,) in self._rows(query, (variant, *places))]

    def _conditions(self, wanted: Wanted) -> tuple[str, dict[str, object]]:
        told: list[str] = []
        given: dict[str, object] = {}
        for number, word in enumerate(wanted.words.split()):
            told.append(f"(r.id || ' ' || r.said || ' ' || r.tags) LIKE :word{number} ESCAPE '\\'")
            given[f"word{number}"] = f"%{_plain(word)}%"
        if wanted.tag:
            told.append("r.tags LIKE :tag ESCAPE '\\'")
            given["tag"] = f"%{_plain(json.dumps(wanted.tag, ensure_ascii=False))}%"
        only = {
            "apart": "m.most > m.least",
            "worse": "m.mine < m.base",
            "better": "m.mine > m.base",
            "failed": "m.wrong > 0",
            "unscored": "m.missing > 0",
        }
        if wanted.only:
            told.append(only[wanted.only])
        return " AND ".join(told) or "1", given

    def _order(self, wanted: Wanted) -> str:
        way = "DESC" if wanted.is_descending else "ASC"
        if wanted.sort >= 0:
            return f"m.sorted IS NULL, m.sorted {way}, r.place"
        return f"r.place {way}" if wanted.sort == -2 else f"r.id {way}"

    def _digest(self, scorer: str) -> str:
        return self.about["scorers"].get(scorer or next(iter(self.about["scorers"]), ""), "")

    def _rows(self, query: str, given: Mapping[str, object] | tuple[object, ...]) -> Iterator[Any]:
        if self._open is None:
            raise StoreError("The table is not open.")
        try:
            yield from self._open.execute(query, given)
        except sqlite3.Error as error:
            raise self._lost(error) from error

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _lost(self, error: Exception) -> StoreError:
        return StoreError(f"The trials in `{self._trials}` can't be read: {error}.")


def _plain(text: str) -> str:
    """A text in which LIKE finds nothing but itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _columns(count: int) -> list[list[ShownTrial]]:
    return [[] for _ in range(count)]
