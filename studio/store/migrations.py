"""The tables of the store, as append-only lists of small named steps.

A step, once released, is never changed: what is wrong with it is mended by the next one. What the steps of a
run's file lead to is written down in `newest.py` as well.
"""

import sqlite3
from functools import cache
from typing import TYPE_CHECKING

from studio.store.newest import is_newest, make_run_file

if TYPE_CHECKING:
    from sqlite_utils import Database
    from sqlite_utils.migrations import Migrations

PAGE = 4096
"""Bytes of a page, as SQLite has them."""


def migrate_run_file(connection: sqlite3.Connection) -> None:
    """Bring the file of a run to the newest form."""
    if not is_newest(connection):
        _migrate(connection, _run_file())


def migrate_index(connection: sqlite3.Connection) -> None:
    """Bring the index to the newest form."""
    _migrate(connection, _index())


def migrate_search(connection: sqlite3.Connection) -> None:
    """Bring the index for full-text search to the newest form."""
    _migrate(connection, _search())


@cache
def empty_run_file(page: int = PAGE) -> bytes:
    """Give the bytes of a run's file before its first entry, in pages of so many bytes.

    Writing them is some twenty times cheaper than to make the tables again for each run.
    """
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"PRAGMA page_size={page}")
        make_run_file(connection)
        connection.execute("VACUUM")
        return connection.serialize()
    finally:
        connection.close()


def in_wal_mode(file: bytes) -> bytes:
    """Give the bytes of a database with a journal of the kind that readers do not wait for."""
    # Write and read version 2 is WAL: https://sqlite.org/fileformat2.html
    return file[:18] + b"\x02\x02" + file[20:]


def _migrate(connection: sqlite3.Connection, migrations: "Migrations") -> None:
    from sqlite_utils import Database  # slow to import

    migrations.apply(Database(connection))


def _run_file() -> "Migrations":
    from sqlite_utils.migrations import Migrations

    migrations = Migrations("run")

    @migrations()
    def hold_entries(db: "Database") -> None:
        columns = {"number": int, "step": str, "parent": str, "time": float, "kind": str, "event": bytes}
        db.table("entries").create({**columns, "large": bytes}, pk="number")

    @migrations()
    def hold_large_values(db: "Database") -> None:
        db.table("blobs").create({"hash": str, "value": bytes}, pk="hash")

    @migrations()
    def hold_a_summary(db: "Database") -> None:
        db.table("run").create({"id": int, "pid": int, "born": str, **_SUMMARY}, pk="id")

    @migrations()
    def tell_where_a_run_comes_from(db: "Database") -> None:
        db.table("run").add_column("forked_from", str, not_null_default="")

    @migrations()
    def hold_batches(db: "Database") -> None:
        db.table("chunks").create({"id": int, "first": int, "last": int, "body": bytes}, pk="id")

    @migrations()
    def hold_large_values_as_recipes(db: "Database") -> None:
        columns = {"id": int, "digest": bytes, "parts": str, "new": bytes, "is_packed": int}
        db.table("large_values").create(columns, pk="id")

    @migrations()
    def forget_tables_that_hold_nothing(db: "Database") -> None:
        for name in ("entries", "blobs"):
            if not db.table(name).count:
                db.table(name).drop()

    _tell_scripts(migrations, "run")
    _tell_changes(migrations, "run")
    _tell_questions(migrations, "run")
    _tell_made_up_answers(migrations, "run")
    _tell_idle(migrations, "run")
    return migrations


def _index() -> "Migrations":
    from sqlite_utils.migrations import Migrations

    migrations = Migrations("index")

    @migrations()
    def list_runs(db: "Database") -> None:
        db.table("runs").create({"run": str, "stamp": str, **_SUMMARY}, pk="run")

    @migrations()
    def tell_where_runs_come_from(db: "Database") -> None:
        db.table("runs").add_column("forked_from", str, not_null_default="")

    _tell_scripts(migrations, "runs")
    _tell_changes(migrations, "runs")
    _tell_questions(migrations, "runs")
    _tell_made_up_answers(migrations, "runs")
    _tell_idle(migrations, "runs")
    return migrations


def _tell_scripts(migrations: "Migrations", table: str) -> None:
    @migrations()
    def tell_runs_of_scripts(db: "Database") -> None:
        db.table(table).add_column("is_script", int, not_null_default=0)


def _tell_changes(migrations: "Migrations", table: str) -> None:
    @migrations()
    def tell_what_forks_changed(db: "Database") -> None:
        db.table(table).add_column("changes", str, not_null_default="")


def _tell_idle(migrations: "Migrations", table: str) -> None:
    @migrations()
    def tell_how_long_runs_were_idle(db: "Database") -> None:
        db.table(table).add_column("idle", float, not_null_default=0.0)


def _tell_questions(migrations: "Migrations", table: str) -> None:
    @migrations()
    def tell_what_waits_for_a_person(db: "Database") -> None:
        db.table(table).add_column("asked", str, not_null_default="")


def _tell_made_up_answers(migrations: "Migrations", table: str) -> None:
    @migrations()
    def tell_which_answers_were_made_up(db: "Database") -> None:
        db.table(table).add_column("made_up", int, not_null_default=0)


def _search() -> "Migrations":
    from sqlite_utils.migrations import Migrations

    migrations = Migrations("search")

    @migrations()
    def hold_texts(db: "Database") -> None:
        db.table("runs").create({"id": int, "run": str, "stamp": str}, pk="id").create_index(
            ["run"], unique=True
        )
        columns = {"id": int, "run": int, "number": int, "step": str, "text": str}
        db.table("texts").create(columns, pk="id").create_index(["run"])

    @migrations()
    def hold_words(db: "Database") -> None:
        db.conn.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, content='texts', content_rowid='id',"
            " tokenize='unicode61 remove_diacritics 2', prefix='3')"
        )

    return migrations


_SUMMARY: dict[str, type] = {
    "flow_name": str,
    "project": str,
    "profile": str,
    "status": str,
    "started": float,
    "ended": float,
    "tokens": int,
    "cost": float,
    "steps": int,
    "error": str,
}
