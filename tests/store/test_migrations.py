import sqlite3
from pathlib import Path

from studio.store.migrations import empty_run_file, migrate_run_file


def test_a_new_file_is_a_sound_database_in_wal_mode(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(empty_run_file())
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert {"entries", "blobs", "run"} <= tables
    connection.close()


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(empty_run_file())
    connection = sqlite3.connect(path)
    before = list(connection.iterdump())
    migrate_run_file(connection)
    assert list(connection.iterdump()) == before
    connection.close()
