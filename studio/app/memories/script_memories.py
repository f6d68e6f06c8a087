"""The memory files of scripts that were exported before scripts ran on the kit: `NAME.memory.sqlite`.

Scripts now use the memories of their project. What an older one remembers is taken in with `stepwire memory
import`.
"""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from studio.errors import UsageError
from studio.sdk.items import Item

HEAD = b"SQLite format 3\0"
READ = "SELECT id, text, data, at, by, vector FROM items ORDER BY place"


def is_memory_of_script(path: Path) -> bool:
    """Tell whether a file is such a memory, or at least a database."""
    try:
        with path.open("rb") as file:
            return file.read(len(HEAD)) == HEAD
    except OSError:
        return False


def read_memory_of_script(path: Path) -> Sequence[Item]:
    """Read all items, the oldest first; raises `UsageError` for a database that is no such memory."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            rows = file.execute(READ).fetchall()
        return [
            Item(name, text, json.loads(data), at, by, vector or b"")
            for name, text, data, at, by, vector in rows
        ]
    except (sqlite3.Error, ValueError) as error:
        raise UsageError(
            f"`{path}` is not a memory of an exported script: {error}.", hint="Choose another file."
        ) from error
