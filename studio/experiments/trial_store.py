"""The trials of one experiment, stored beside the project's runs: rows for trials and scores, one writer.

A trial is noted before it is begun, with the name of its run: who comes after a killed process finds the run
by it, takes what it gave or goes on with it, and buys nothing twice.
"""

import fcntl
import json
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from studio.errors import StoreError, UsageError
from studio.experiments.scores import Score
from studio.experiments.trials import Outcome, Trial, TrialState
from studio.flow.records import Json
from studio.store.folder import make_ignored_folder
from studio.store.holds import TABLES
from studio.store.read_only import read_only_uri
from studio.workspace.project import Project

FOLDER = TABLES
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
    # What figures are made of, without outputs and reasons, which may be long.
    """
    CREATE INDEX trial_figures ON trials (
        key, state, cost, tokens, chats, steps, seconds, unpriced, made_up, run
    );
    CREATE INDEX score_figures ON scores (scorer, key, score, cost, tokens);
    """,
    # What of its row a scorer was given, by content; nobody knows it of scores of before, which stay.
    "ALTER TABLE scores ADD COLUMN given TEXT NOT NULL DEFAULT '';",
)
"""How the tables came to their form; a step that was released is never changed.

By the columns `run`, what keeps only so many runs knows those that it leaves alone (`studio.store.holds`).
"""

AT_A_TIME = 500
"""Keys for which the file is asked at a time."""

_TRIAL = "key,run,state,outputs,error,cost,unpriced,tokens,chats,steps,seconds,made_up"
_PUT_TRIAL = f"INSERT OR REPLACE INTO trials ({_TRIAL}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"  # noqa: S608
_SCORE = "key,scorer,score,ok,reason,run,cost,tokens"
_GET_SCORES = f"SELECT {_SCORE} FROM scores"  # noqa: S608
_PUT_SCORE = f"INSERT OR REPLACE INTO scores ({_SCORE},given) VALUES (?,?,?,?,?,?,?,?,?)"  # noqa: S608


def store_path(project: Project, name: str) -> Path:
    """Give the place of the file of an experiment's trials, whether it is there or not."""
    return project.private / FOLDER / f"{name}.db"


def has_trials(project: Project, name: str) -> bool:
    """Tell whether trials of an experiment were begun, in whatever window or by whatever command."""
    path = store_path(project, name)
    if not path.is_file():
        return False
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            return connection.execute("SELECT 1 FROM trials LIMIT 1").fetchone() is not None
        finally:
            connection.close()
    except sqlite3.Error:
        return False


class TrialStore:
    """The one writer of an experiment's trials; use as a context manager.

    Raises `UsageError` where another process runs the experiment, and `StoreError` where nothing can be kept.
    """

    def __init__(self, project: Project, name: str) -> None:
        self.path = store_path(project, name)
        self._name = name
        self._lock: IO[bytes] | None = None
        self._open: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        try:
            make_ignored_folder(self.path.parents[1])
            self.path.parent.mkdir(exist_ok=True)
            self._lock = self.path.with_suffix(".lock").open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._open = sqlite3.connect(self.path.resolve().as_uri(), uri=True, isolation_level=None)
            self._open.execute("PRAGMA journal_mode=WAL").fetchall()
            self._open.execute("PRAGMA synchronous=NORMAL").fetchall()
            _migrate(self._open, self._name)
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

    def trials(self, keys: Sequence[str], *, is_brief: bool = False) -> dict[str, Trial]:
        """Give those of some trials that are stored, by key; where it `is_brief`, without their outputs."""
        return trials_in(self._connection, keys, is_brief=is_brief)

    def scores(self, keys: Sequence[str]) -> dict[tuple[str, str], Score]:
        """Give all scores of some trials, by the trial's key and the scorer's digest."""
        return scores_in(self._connection, keys)

    def plan(self, jobs: Iterable[tuple[str, str]]) -> None:
        """Note which trials begin now, by key and run, unless they were noted; on disk when this returns."""
        rows = [_values(Trial(key, run, TrialState.PLANNED)) for key, run in jobs]
        self._write(_PUT_TRIAL.replace("REPLACE", "IGNORE"), rows)

    def given(self, keys: Sequence[str]) -> dict[tuple[str, str], str]:
        """Give what scorers were given of rows, by content; by the trial's key and the scorer's digest."""
        found = _of_keys(self._connection, "SELECT key, scorer, given FROM scores", keys)
        return {(key, scorer): given for key, scorer, given in found if given}

    def keep(
        self,
        outcomes: Iterable[Outcome],
        digests: Mapping[str, str],
        given: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        """Keep what came of trials, and their scores; `digests` has those of the scorers by name.

        `given` names what each was given of the row, by the trial's key and the scorer's name.
        """
        outcomes, given = list(outcomes), given or {}
        self._write(_PUT_TRIAL, [_values(one.trial) for one in outcomes])
        self._write(
            _PUT_SCORE,
            [
                (one.trial.key, digests[name], *score, given.get((one.trial.key, name), ""))
                for one in outcomes
                for name, score in one.scores.items()
            ],
        )

    def take_over(self, other: Path, keys: Sequence[str]) -> None:
        """Take in those of some trials that are over in the file of another experiment, with their scores.

        What is here stays as it is. A file that cannot be read, or is of another version, has none.
        """
        connection = self._connection
        with suppress(sqlite3.Error):
            connection.execute("ATTACH ? AS other", (read_only_uri(other),))
            try:
                if int(connection.execute("PRAGMA other.user_version").fetchone()[0]) == len(STEPS):
                    self._take_attached(keys)
            finally:
                connection.execute("DETACH other")

    def _take_attached(self, keys: Sequence[str]) -> None:
        over = ",".join(f"'{one}'" for one in TrialState if one.is_over)
        for first in range(0, len(keys), AT_A_TIME):
            some = keys[first : first + AT_A_TIME]
            among = f"key IN ({','.join('?' * len(some))})"
            found = f"SELECT {_TRIAL} FROM other.trials WHERE {among} AND state IN ({over})"  # noqa: S608
            taken = self._connection.execute(found, some).fetchall()
            if not taken:
                continue
            self._write(_PUT_TRIAL.replace("REPLACE", "IGNORE"), taken)
            names = [row[0] for row in taken]
            scored = f"SELECT {_SCORE},given FROM other.scores WHERE key IN ({','.join('?' * len(names))})"  # noqa: S608
            rows = self._connection.execute(scored, names).fetchall()
            self._write(_PUT_SCORE.replace("REPLACE", "IGNORE"), rows)

    def count(self) -> int:
        """Tell how many trials are stored, or were begun."""
        return int(self._connection.execute("SELECT count(*) FROM trials").fetchone()[0])

    def clear(self) -> None:
        """Forget all trials and scores, and give their room back to the disk."""
        try:
            self._connection.executescript("BEGIN; DELETE FROM trials; DELETE FROM scores; COMMIT; VACUUM")
        except sqlite3.Error as error:
            raise self._lost(error) from error

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
                if connection.in_transaction:  # where the disk is full there is none any more
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._lost(error) from error

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _lost(self, error: Exception) -> StoreError:
        reason = getattr(error, "strerror", None) or error  # without the path, which stands here already
        return StoreError(
            f"The trials in `{self.path}` can't be read or kept: {reason}.",
            hint="Make the folder writable, and check whether the disk is full.",
        )


@contextmanager
def reading(path: Path) -> Generator[sqlite3.Connection]:
    """Open the file of an experiment's trials to read it, also while another process writes.

    Where there is none it is empty, and one of before is read from a copy in the present form. Raises
    `StoreError` where it cannot be read.
    """
    with ExitStack() as stack:
        try:
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            stack.callback(connection.close)
            if path.is_file():
                where = f"{path.resolve().as_uri()}?mode=ro"
                file = sqlite3.connect(where, uri=True, isolation_level=None, check_same_thread=False)
                stack.callback(file.close)
                if _version_of(file) >= len(STEPS):
                    connection = file
                else:
                    file.backup(connection)
            _migrate(connection, path.stem)
            yield connection
        except sqlite3.Error as error:
            raise StoreError(
                f"The trials in `{path}` can't be read: {error}.",
                hint="Make the folder writable, and check whether the disk is full.",
            ) from error


def _migrate(connection: sqlite3.Connection, name: str) -> None:
    version = _version_of(connection)
    if version > len(STEPS):
        raise StoreError(f"The trials of `{name}` were stored by a newer Stepwire.", hint="Install that one.")
    for number, step in enumerate(STEPS[version:], version + 1):
        connection.executescript(f"BEGIN; {step}; PRAGMA user_version={number}; COMMIT")


def _version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def trials_in(
    connection: sqlite3.Connection, keys: Sequence[str], *, is_brief: bool = False
) -> dict[str, Trial]:
    """Read those of some trials that are there, by key; where it `is_brief`, without their outputs."""
    columns = _TRIAL.replace("outputs", "'{}'") if is_brief else _TRIAL
    return {row[0]: _trial(row) for row in _of_keys(connection, f"SELECT {columns} FROM trials", keys)}  # noqa: S608


def scores_in(connection: sqlite3.Connection, keys: Sequence[str]) -> dict[tuple[str, str], Score]:
    """Read all scores of some trials, by the trial's key and the scorer's digest."""
    return {
        (key, scorer): Score(score, None if ok is None else bool(ok), reason, run, cost, tokens)
        for key, scorer, score, ok, reason, run, cost, tokens in _of_keys(connection, _GET_SCORES, keys)
    }


def _of_keys(connection: sqlite3.Connection, query: str, keys: Sequence[str]) -> Iterator[Any]:
    for first in range(0, len(keys), AT_A_TIME):
        some = keys[first : first + AT_A_TIME]
        yield from connection.execute(f"{query} WHERE key IN ({','.join('?' * len(some))})", some)


def _values(one: Trial) -> tuple[object, ...]:
    outputs = json.dumps(one.outputs, ensure_ascii=False)
    spent = one.cost, one.unpriced, one.tokens, one.chats, one.steps, one.seconds, one.made_up
    return (one.key, one.run, one.state, outputs, one.error, *spent)


def _trial(row: tuple[object, ...]) -> Trial:
    key, run, state, outputs, *rest = row
    given: dict[str, Json] = json.loads(str(outputs)) if outputs != "{}" else {}
    return Trial(str(key), str(run), TrialState(str(state)), given, *rest)  # type: ignore[arg-type]
