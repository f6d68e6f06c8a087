"""Files of SQLite that are looked at, and left as they are."""

from pathlib import Path


def read_only_uri(path: Path) -> str:
    """Give the address by which SQLite opens a file to read it.

    One that nobody has open for writing can then be read in a folder that nobody may write to, and no journal
    is left behind by those who only look.
    """
    where = f"{path.resolve().as_uri()}?mode=ro"
    return where if Path(f"{path}-wal").exists() else f"{where}&immutable=1"
