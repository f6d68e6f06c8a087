"""The calls of a profile in all processes of a user: runs of windows and command lines share what it bears.

A file has what is under way and what began in the last minute. Each process that has calls waiting looks
into it several times a second; the first by priority, and then whoever was served longest ago, may begin. A
process that died is found out by its id.

Each run of a window has a host of its own, and the command line is a process too. Without the file each
process counts its own calls.
"""

import asyncio
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from studio import process_tree
from studio.llm.rate_limits.rates import MINUTE, Rates, Spent
from studio.llm.rate_limits.rations import OwnRation, QueueLimits

LOOK = 0.1
"""Seconds between two looks of a process that waits."""

STALE = 1.0
"""Seconds after which a process that has not looked does not wait any more."""

LONGEST_CALL = 1200.0
"""Seconds after which a call is over for certain, even if its process seems to live: ids are used again."""

BUSY = 0.1
"""Seconds for which the file may be in others' hands; what is longer is tried again."""

TABLES = """
create table if not exists calls (
    number integer primary key, profile text, pid integer, began real, tokens integer, is_working integer);
create index if not exists calls_of on calls (profile, began);
create table if not exists waiting (
    profile text, holder text, rank integer, seen real, served real, primary key (profile, holder));
create table if not exists pauses (profile text primary key, until real);
"""


class SharedRation:
    """One profile as this process sees it; implements `Ration`.

    Where the file cannot be used, the calls of this process are counted alone.
    """

    def __init__(
        self,
        path: Path,
        profile: str,
        limits: QueueLimits,
        *,
        clock: Callable[[], float] = time.time,
        is_alive: Callable[[int], bool] | None = None,
    ) -> None:
        """Make it; `profile` says what is asked, the same in all processes."""
        self._path = path
        self._profile = profile
        self._limits = limits
        self._clock = clock
        self._is_alive = is_alive or process_tree.is_alive
        self._holder = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._own = OwnRation(limits)
        self._is_ready = False
        self._owed: list[tuple[str, tuple[object, ...]]] = []

    def begin(self, now: float, tokens: int, rank: int) -> Spent | float:
        """Count a call in the file, or say when to look again."""
        wait = self._own.wait(now, tokens)
        if wait > 0:
            return wait
        number: int | None = 0
        try:
            with self._file() as file:
                number = self._enter(file, tokens, rank)
        except sqlite3.Error as error:
            if _is_busy(error):
                return LOOK
            self._is_ready = False
        if number is None:
            return LOOK
        spent = self._own.begin(now, tokens, rank)
        if isinstance(spent, Spent):
            spent.number = number
        return spent

    def end(self, spent: Spent) -> None:
        """Make room for calls of any process."""
        self._own.end(spent)
        if spent.number:
            self._change(
                "update calls set is_working = 0, tokens = ? where number = ?", (spent.tokens, spent.number)
            )

    def pause(self, now: float, seconds: float) -> None:
        """Let no process begin a call for so long."""
        self._own.pause(now, seconds)
        self._change(
            "insert into pauses values (?, ?) on conflict do update set until = max(until, excluded.until)",
            (self._profile, self._clock() + seconds),
        )

    def rest(self) -> None:
        """Let the others go on, for nobody waits here."""
        self._change(
            "update waiting set seen = 0 where profile = ? and holder = ? and seen > 0",
            (self._profile, self._holder),
        )

    def _enter(self, file: sqlite3.Connection, tokens: int, rank: int) -> int | None:
        """Write a call down if it may begin; else that this process waits for it."""
        now, mine = self._clock(), (self._profile, self._holder)
        file.execute(
            "insert into waiting values (?, ?, ?, ?, 0) "
            "on conflict do update set rank = excluded.rank, seen = excluded.seen",
            (*mine, rank, now),
        )
        first = file.execute(
            "select holder from waiting where profile = ? and seen > ? order by rank, served, holder limit 1",
            (self._profile, now - STALE),
        ).fetchone()
        if first[0] != self._holder or not self._has_room(file, now, tokens):
            return None
        file.execute("update waiting set served = ? where profile = ? and holder = ?", (now, *mine))
        row = (self._profile, os.getpid(), now, tokens)
        return file.execute(
            "insert into calls (profile, pid, began, tokens, is_working) values (?, ?, ?, ?, 1)", row
        ).lastrowid

    def _has_room(self, file: sqlite3.Connection, now: float, tokens: int) -> bool:
        (until,) = file.execute(
            "select coalesce(max(until), 0) from pauses where profile = ?", (self._profile,)
        ).fetchone()
        if until > now:
            return False
        file.execute("delete from calls where is_working = 0 and began <= ?", (now - MINUTE,))
        file.execute("delete from waiting where max(seen, served) <= ?", (now - MINUTE,))
        pids = file.execute("select distinct pid from calls where is_working = 1").fetchall()
        dead = [(pid,) for (pid,) in pids if not self._is_alive(pid)]
        file.executemany("update calls set is_working = 0 where pid = ?", dead)
        file.execute("update calls set is_working = 0 where began <= ?", (now - LONGEST_CALL,))
        rows = file.execute(
            "select began, tokens, is_working from calls where profile = ? order by began", (self._profile,)
        ).fetchall()
        limits = self._limits
        if limits.at_once and sum(working for *_, working in rows) >= limits.at_once:
            return False
        rates = Rates(limits.requests_per_minute, limits.tokens_per_minute)
        for began, spent, _ in rows:
            rates.begin(began, spent)
        return rates.wait(now, tokens) <= 0

    def _change(self, statement: str, values: tuple[object, ...]) -> None:
        """Write something down, now or together with what is written next."""
        self._owed.append((statement, values))
        self._settle()

    def _settle(self) -> None:
        """Write down what is owed; while the file is in others' hands, try again a moment later."""
        try:
            with self._file():
                return
        except sqlite3.Error as error:
            if not _is_busy(error):
                self._owed.clear()
                return
        with suppress(RuntimeError):  # no loop goes on, so the next call does it
            asyncio.get_running_loop().call_later(LOOK, self._settle)

    @contextmanager
    def _file(self) -> Generator[sqlite3.Connection]:
        """Open the file for one change; nobody else changes it meanwhile."""
        if not self._is_ready:
            with suppress(OSError):  # which the next line tells as well
                self._path.parent.mkdir(parents=True, exist_ok=True)
        file = sqlite3.connect(self._path, timeout=BUSY, isolation_level=None)
        try:
            file.execute("pragma synchronous = off")  # what is lost with the power is a minute old at most
            if not self._is_ready:
                file.execute("pragma journal_mode = wal")
                file.executescript(TABLES)
                self._is_ready = True
            file.execute("begin immediate")
            for statement, values in self._owed:
                file.execute(statement, values)
            yield file
            file.execute("commit")
            self._owed.clear()
        finally:
            file.close()


def _is_busy(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
