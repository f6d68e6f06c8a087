"""The trials of one experiment, stored beside the project's runs: rows for trials and scores, one writer.

A trial is noted before it is begun, with the name of its run: who comes after a killed process finds the run
by it, takes what it gave or goes on with it, and buys nothing twice.
"""

import fcntl
import json
import sqlite3
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import IO, Self

from studio.errors import StoreError, UsageError
from studio.experiments.scorers import Score
from studio.experiments.trials import Outcome, Trial, TrialState
from studio.store.folder import make_ignored_folder
from studio.workspace.project import Project

FOLDER = "experiments"
"""Below the project's own folder of runs, which is kept out of version control."""

STEPS = (
    """
    CREATE TABLE trials (
        key TEXT PRIMARY KEY, run TEXT NOT NULL, state TEXT NOT NULL, outputs TEXT NOT NULL,
        error TEXT NOT NULL,
        cost REAL NOT NULL, unpriced INTEGER NOT NULL, tokens INTEGER NOT NULL, chats INTEGER NOT NULL,
        steps INTEGER NOT NULL, seconds REAL NOT NULL, made_up INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE scores (
        key TEXT NOT NULL, scorer TEXT NOT NULL, score REAL, ok INTEGER, reason TEXT NOT NULL,
        run TEXT NOT NULL, cost REAL NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (key, scorer)
    ) WITHOUT ROWID;
    """,
)
"""How the tables came to their form; a step that was released is never changed."""

_TRIAL = "key,run,state,outputs,error,cost,unpriced,tokens,chats,steps,seconds,made_up"
_PUT_TRIAL = f"INSERT OR REPLACE INTO trials ({_TRIAL}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"  # noqa: S608
_PUT_SCORE = "INSERT OR REPLACE INTO scores VALUES (?,?,?,?,?,?,?,?)"


class TrialStore:
    """The one writer of an experiment's trials; use as a context manager.

    Raises `UsageError` where another process runs the experiment, and `StoreError` where nothing can be kept.
    """

    def __init__(self, project: Project, name: str) -> None:
        self.path = project.private / FOLDER / f"{name}.db"
        self._name = name
        self._lock: IO[bytes] | None = None
        self._open: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        try:
            make_ignored_folder(self.path.parents[1])
            self.path.parent.mkdir(exist_ok=True)
            self._lock = self.path.with_suffix(".lock").open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._open = sqlite3.connect(self.path, isolation_level=None)
            self._open.execute("PRAGMA journal_mode=WAL").fetchall()
            self._open.execute("PRAGMA synchronous=NORMAL").fetchall()
            self._migrate(self._open)
        except BlockingIOError as error:
            self._close()
            raise UsageError(
                f"The experiment `{self._name}` is already running in another process.",
                hint="Wait until it ends there, or stop it.",
            ) from error
        except (OSError, sqlite3.Error) as error:
            self._close()
            raise self._lost(error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def trials(self) -> dict[str, Trial]:
        """Give all trials by key."""
        rows = self._connection.execute(f"SELECT {_TRIAL} FROM trials").fetchall()  # noqa: S608
        return {row[0]: _trial(row) for row in rows}

    def scores(self) -> dict[tuple[str, str], Score]:
        """Give all scores by the trial's key and the scorer's digest."""
        rows = self._connection.execute("SELECT * FROM scores").fetchall()
        return {
            (key, scorer): Score(score, None if ok is None else bool(ok), reason, run, cost, tokens)
            for key, scorer, score, ok, reason, run, cost, tokens in rows
        }

    def plan(self, jobs: Iterable[tuple[str, str]]) -> None:
        """Note which trials begin now, by key and run, unless they were noted; on disk when this returns."""
        rows = [_values(Trial(key, run, TrialState.PLANNED)) for key, run in jobs]
        self._write(_PUT_TRIAL.replace("REPLACE", "IGNORE"), rows)

    def keep(self, outcomes: Iterable[Outcome], digests: Mapping[str, str]) -> None:
        """Keep what came of trials, and their scores; `digests` has those of the scorers by name."""
        outcomes = list(outcomes)
        self._write(_PUT_TRIAL, [_values(one.trial) for one in outcomes])
        self._write(
            _PUT_SCORE,
            [
                (one.trial.key, digests[name], *score)
                for one in outcomes
                for name, score in one.scores.items()
            ],
        )

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            raise StoreError("The store of trials is not open.")
        return self._open

    def _write(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(statement, rows)
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._lost(error) from error

    def _migrate(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(STEPS):
            raise StoreError(
                f"The trials of `{self._name}` were stored by a newer Stepwire.", hint="Install that one."
            )
        for number, step in enumerate(STEPS[version:], version + 1):
            connection.executescript(f"BEGIN; {step}; PRAGMA user_version={number}; COMMIT")

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _lost(self, error: Exception) -> StoreError:
        return StoreError(
            f"The trials in `{self.path}` can't be read or kept: {error}.",
            hint="Make the folder writable, and check whether the disk is full.",
        )


def _values(one: Trial) -> tuple[object, ...]:
    outputs = json.dumps(one.outputs, ensure_ascii=False)
    spent = one.cost, one.unpriced, one.tokens, one.chats, one.steps, one.seconds, one.made_up
    return (one.key, one.run, one.state, outputs, one.error, *spent)


def _trial(row: tuple[object, ...]) -> Trial:
    key, run, state, outputs, *rest = row
    return Trial(str(key), str(run), TrialState(str(state)), json.loads(str(outputs)), *rest)  # type: ignore[arg-type]
