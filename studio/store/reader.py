"""Reading runs: those of the past, those of other processes, and the list of all.

Reading never changes a run's file, and never deletes one; a damaged one is a `StoreError` where it is read,
and a line with a reason in the list.
"""

import os
import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from studio.errors import StoreError, UsageError
from studio.ids import RunId
from studio.store.folder import make_ignored_folder
from studio.store.holds import held_runs
from studio.store.images import IMAGES, ImageFolder
from studio.store.indexes.index import Index
from studio.store.indexes.search import Hit, Search
from studio.store.indexes.texts import texts_of
from studio.store.locks import DAMAGED
from studio.store.read_only import read_only_uri
from studio.store.retention import KEEP_ALL, Keeping, superfluous
from studio.store.run_files.chunks import Chunk, entries_of_chunk
from studio.store.run_files.owner import Owner
from studio.store.run_files.recipes import Recipes
from studio.store.run_files.rows import entries_of_rows
from studio.store.summary import COLUMNS, RunSummary, summary_from_values
from studio.trace.events import Entry, RunFinished
from studio.trace.events.values import Values
from studio.trace.fold.state import RunState, RunStatus, fold

CLOCKS = 60.0
"""Seconds by which the clock of a disk may be behind, when pictures that no run has sent are removed."""

NEAR_THE_END = 20
"""Entries at a run's end among which is what it gave."""

_SELECT = "SELECT first, last, body FROM chunks WHERE last > ? ORDER BY id LIMIT 8"


class RunStore:
    """The runs of one project. `root` is its folder `.stepwire`, made when the first run begins."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._runs = root / "runs"
        self._search = Search(root / "search.db")
        self.images = ImageFolder(root / IMAGES)
        """The pictures that runs have sent."""

    def new_run_path(self, run: RunId, keeping: Keeping = KEEP_ALL, origin: str = "") -> Path:
        """Give the place for the file of a new run, and make its folder; raises `StoreError`.

        Where only so much is kept, old runs make room for it, but not its `origin`, to which it goes back.
        """
        self._make_room(keeping, origin)
        self.make_folder()
        return self.path(run)

    def make_folder(self) -> None:
        """Make the folder of runs where there is none; raises `StoreError`."""
        try:
            make_ignored_folder(self.root)
            self._runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"The folder `{self._runs}` can't be made: {error.strerror or error}.",
                hint="Runs are stored in the project's folder; make it writable, or use a copy of "
                "the project.",
            ) from error

    def path(self, run: RunId) -> Path:
        """Give the place of the file of a run, whether it is there or not."""
        return self._runs / f"{run}.db"

    def runs(self) -> list[RunSummary]:
        """List all runs, newest first. A damaged file is listed too, and says so."""
        names = self._names()
        return self._listed(names, names)

    def find(self, wanted: str) -> RunId:
        """Find a run by its id, the beginning of it, or `latest`; raises `UsageError` for none or several."""
        names = self._names()
        if wanted == "latest" and names:
            return names[0]
        if wanted in names:
            return RunId(wanted)
        found = [run for run in names if wanted and run.startswith(wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f"`{wanted}` matches {len(found)} runs.",
                hint=f"Give more of it: `{found[0]}`, `{found[1]}`, …",
            )
        raise UsageError(f"There is no run `{wanted}`.", hint="`stepwire runs list` shows them.")

    def summary(self, run: RunId) -> RunSummary:
        """Give the run in one line; raises `StoreError`. One whose process died reads as interrupted."""
        summary, owner = self._summary(run)
        if summary.status.is_final or owner.may_write(self.path(run)):
            return summary
        # It may have ended, and its process with it, since its file was read.
        summary, _ = self._summary(run)
        return summary if summary.status.is_final else replace(summary, status=RunStatus.INTERRUPTED)

    def entries(self, run: RunId, after: int = 0) -> Iterator[Entry]:
        """Read the entries with numbers above `after`, a page at a time; raises `StoreError`.

        Between pages nothing is locked, so that a reader who takes long does not keep the writer's journal.
        """
        try:
            with closing(self._open(run)) as connection:
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
                if "entries" in tables:
                    yield from entries_of_rows(run, connection, after)
                if "chunks" in tables:
                    yield from _entries_of_chunks(run, connection, after)
        except DAMAGED as error:
            raise _damaged(run, error) from error

    def load(self, run: RunId) -> RunState:
        """Fold the whole run; raises `StoreError`. One whose process died reads as interrupted."""
        # Asked first: a run that ends meanwhile has its end among the entries.
        status = self.summary(run).status
        state = fold(self.entries(run))
        state.run = run
        if status is RunStatus.INTERRUPTED:
            state.interrupt()
        return state

    def outputs(self, run: RunId) -> Values:
        """Read what a run gave, without reading how: empty where it did not end well; raises `StoreError`."""
        if self.summary(run).status is not RunStatus.FINISHED:
            return {}
        try:
            with closing(self._open(run)) as connection:
                last = _last_number(connection)
        except DAMAGED as error:
            raise _damaged(run, error) from error
        ends = (one.event for one in self.entries(run, max(last - NEAR_THE_END, 0)))
        found = next((event for event in ends if isinstance(event, RunFinished)), RunFinished())
        return found.outputs

    def sizes(self) -> dict[RunId, int]:
        """Tell how many bytes each run has on the disk."""
        return {run: self.size(run) for run in self._names()}

    def size(self, run: RunId) -> int:
        """Tell how many bytes a run has on the disk, its journal included."""
        return sum(stat.st_size for stat in _stats(self.path(run)))

    def superfluous(self, keeping: Keeping, origin: str = "") -> list[RunId]:
        """Name the runs that would have to go, oldest first; `origin` is that of a run which is to come.

        Runs that the table of an experiment names neither count nor go. Raises `StoreError` where such a
        table cannot be read.
        """
        if not keeping.is_limited:
            return []
        held, present = held_runs(self.root), self._names()
        names = [run for run in present if run not in held]
        sizes = {run: self.size(run) for run in names}
        return superfluous(self._listed(names, present), sizes, keeping, origin)

    def remove(self, *runs: RunId) -> None:
        """Remove runs for good; raises `StoreError` where one still goes on, or can't be removed."""
        try:
            for run in runs:
                self._remove(run)
        finally:
            self._forget_images()

    def search(self, words: str, limit: int = 50) -> list[Hit]:
        """Find all of `words` in runs that are over, quoted ones as a phrase; the newest runs come first.

        The first search after many runs takes longer: it reads them. Raises `StoreError` where there is no
        room for what it finds in them.
        """
        if not self._runs.is_dir():
            return []
        over = {one.run: _stamp(self.path(one.run)) for one in self.runs() if one.status.is_final}
        self._search.update(over, lambda run: texts_of(self.entries(run)))
        if over and not self._search.is_there:
            raise StoreError(
                f"The runs in `{self.root}` can't be searched: their index can't be written.",
                hint="Make the folder writable, and check whether the disk is full.",
            )
        return self._search.find(words, limit)

    def _listed(self, names: Sequence[RunId], present: Collection[RunId]) -> list[RunSummary]:
        """Summarize some of the runs that there are."""
        index = Index(self.root / "index.db")
        known = index.read()
        fresh: dict[RunId, tuple[str, RunSummary]] = {}
        summaries: list[RunSummary] = []
        for run in names:
            stamp = _stamp(self.path(run))
            if run in known and known[run][0] == stamp:
                summaries.append(known[run][1])
                continue
            try:
                summary = self.summary(run)
            except StoreError as error:
                summary = RunSummary(run, status=RunStatus.INTERRUPTED, damaged=error.message)
            else:
                if summary.status.is_final:
                    fresh[run] = stamp, summary
            summaries.append(summary)
        if fresh or len(known) > len(present):
            index.write(fresh, set(present))
        return summaries

    def _remove(self, run: RunId) -> None:
        if not self.summary(run).status.is_final:
            raise StoreError(f"The run `{run}` is still running.", hint="Stop it first.")
        path = self.path(run)
        try:
            # The last are files that a kill left half before the run had one.
            for one in (path, *_beside(path), *path.parent.glob(f"{path.name}.*new")):
                one.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(
                f"The run `{run}` can't be removed: {error.strerror or error}.",
                hint=f"Make the folder `{path.parent}` writable.",
            ) from error
        self._search.forget(run)

    def _forget_images(self) -> None:
        """Remove the pictures that none of the runs that are left has sent."""
        if not self.images.is_there:
            return
        started = [one.started for one in self.runs()]
        known = [one for one in started if one is not None]
        if len(known) == len(started):
            self.images.forget(min(known, default=time.time()) - CLOCKS)

    def _make_room(self, keeping: Keeping, origin: str) -> None:
        if not keeping.is_limited:
            return
        before = keeping if keeping.runs is None else replace(keeping, runs=keeping.runs - 1)
        with suppress(StoreError):  # that nothing old can be removed stops no new run
            for run in self.superfluous(before, origin):
                with suppress(StoreError):
                    self.remove(run)

    def _summary(self, run: RunId) -> tuple[RunSummary, Owner]:
        try:
            with closing(self._open(run)) as connection:
                rows = _summary_rows(connection)
            pid, born, *values = rows[0]
            return summary_from_values(run, values), Owner(int(str(pid)), str(born))
        except (sqlite3.Error, ValueError, IndexError) as error:
            raise _damaged(run, error) from error

    def _names(self) -> list[RunId]:
        if not self._runs.is_dir():
            return []
        return [RunId(path.stem) for path in sorted(self._runs.glob("*.db"), reverse=True)]

    def _open(self, run: RunId) -> sqlite3.Connection:
        path = self.path(run)
        if not path.is_file():
            raise StoreError(f"The file of the run `{run}` is missing.")
        return sqlite3.connect(read_only_uri(path), uri=True, isolation_level=None, check_same_thread=False)


def _entries_of_chunks(run: RunId, connection: sqlite3.Connection, after: int) -> Iterator[Entry]:
    recipes = Recipes(connection)
    while page := connection.execute(_SELECT, (after,)).fetchall():
        for chunk in page:
            for entry in entries_of_chunk(run, Chunk(*chunk), recipes.read):
                if entry.number > after:
                    yield entry
        # What has been read may be in a larger chunk by now, with what has not.
        after = page[-1][1]


def _last_number(connection: sqlite3.Connection) -> int:
    """The number of the last entry of a run's file."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    columns = (("entries", "number"), ("chunks", "last"))
    found = [
        connection.execute(f"SELECT max({column}) FROM {table}").fetchone()[0]  # noqa: S608
        for table, column in columns
        if table in tables
    ]
    return max((int(one) for one in found if one is not None), default=0)


def _summary_rows(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Read the summary; files from before there were forks have none of those."""
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(run)")}
    wanted = [column if column in columns else f"'' AS {column}" for column in COLUMNS]
    return connection.execute(f"SELECT pid, born, {','.join(wanted)} FROM run").fetchall()  # noqa: S608


def _damaged(run: RunId, error: Exception) -> StoreError:
    return StoreError(
        f"The file of the run `{run}` is damaged: {error}.",
        hint="It was left unchanged; other runs are not affected.",
    )


def _stamp(path: Path) -> str:
    """Tell whether a run's file has changed."""
    return " ".join(f"{stat.st_mtime_ns}:{stat.st_size}" for stat in _stats(path))


def _stats(path: Path) -> Iterator[os.stat_result]:
    for one in (path, _beside(path)[0]):
        with suppress(OSError):
            yield one.stat()


def _beside(path: Path) -> tuple[Path, ...]:
    """The journal of a run's file, and what SQLite shares between its readers."""
    return Path(f"{path}-wal"), Path(f"{path}-shm")
