"""The tables of a run's file in their newest form, as `migrations.py` makes them from none.

A new file needs no migrations, and what applies them takes longer to import than a small run takes. A test
makes the tables in both ways, and compares them.
"""

import sqlite3
from datetime import UTC, datetime

STEPS = (
    "hold_entries",
    "hold_large_values",
    "hold_a_summary",
    "tell_where_a_run_comes_from",
    "hold_batches",
    "hold_large_values_as_recipes",
    "forget_tables_that_hold_nothing",
    "tell_runs_of_scripts",
    "tell_what_forks_changed",
    "tell_what_waits_for_a_person",
    "tell_which_answers_were_made_up",
    "tell_how_long_runs_were_idle",
)
"""The steps by which files of before come to this form, as such a file names those that it has behind it."""

_TABLES = """
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE TABLE "run" (
   "id" INTEGER PRIMARY KEY,
   "pid" INTEGER,
   "born" TEXT,
   "flow_name" TEXT,
   "project" TEXT,
   "profile" TEXT,
   "status" TEXT,
   "started" REAL,
   "ended" REAL,
   "tokens" INTEGER,
   "cost" REAL,
   "steps" INTEGER,
   "error" TEXT
, "forked_from" TEXT NOT NULL DEFAULT '', "is_script" INTEGER NOT NULL DEFAULT 0,\
 "changes" TEXT NOT NULL DEFAULT '', "asked" TEXT NOT NULL DEFAULT '',\
 "made_up" INTEGER NOT NULL DEFAULT 0, "idle" REAL NOT NULL DEFAULT 0.0);
CREATE TABLE "chunks" (
   "id" INTEGER PRIMARY KEY,
   "first" INTEGER,
   "last" INTEGER,
   "body" BLOB
);
CREATE TABLE "large_values" (
   "id" INTEGER PRIMARY KEY,
   "digest" BLOB,
   "parts" TEXT,
   "new" BLOB,
   "is_packed" INTEGER
);
"""


def make_run_file(connection: sqlite3.Connection) -> None:
    """Make the tables of a run's file in a database that has none."""
    connection.executescript(_TABLES)
    now = str(datetime.now(UTC))
    rows = [("run", step, now) for step in STEPS]
    with connection:
        connection.executemany(
            'INSERT INTO "_sqlite_migrations" ("migration_set", "name", "applied_at") VALUES (?, ?, ?)', rows
        )


def is_newest(connection: sqlite3.Connection) -> bool:
    """Whether a run's file has all steps behind it."""
    try:
        found = connection.execute("SELECT name FROM _sqlite_migrations WHERE migration_set = 'run'")
        return set(STEPS) <= {name for (name,) in found}
    except sqlite3.OperationalError:  # a file without any tables
        return False
