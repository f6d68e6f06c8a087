r"""Table: read rows of a CSV, JSON Lines or SQLite file of the project.

CSV has the names of its columns in the first line; each row is an object of texts. JSON Lines has one JSON
value in each line. Of a SQLite database the rows of one query are read: `SELECT name, count FROM birds WHERE
place = :place`, where `:place` is taken from the object at `parameters`, so that no value can become SQL. The
database is only read, and nothing outside of it can be reached; a query has about a second, and 100,000 rows.

The path is relative to the project and cannot leave it. A path that arrives at `path` is read instead of
the one in the settings. Wire the rows into a For each.

```json
{
  "files": {"data/birds.csv": "name,count\nwren,2\n\"heron, grey\",1\n"},
  "settings": {"file": "data/birds.csv"},
  "outputs": {"rows": [{"name": "wren", "count": "2"}, {"name": "heron, grey", "count": "1"}]}
}
```
"""

import sqlite3
from contextlib import closing
from typing import Annotated, Literal

from studio.building_blocks.files.queries import column_names, given_parameters, guard, named_rows
from studio.building_blocks.files.tables import csv_rows, delimiter_of, format_of, jsonl_rows
from studio.building_blocks.settings.files import Delimiter, FilePath, GivenPath
from studio.sdk import Context, Folder, In, Json, Out, Setting, ToolError, node

ROWS = 100_000
"""How many rows a query may give."""


@node(
    "io.table",
    title="Table",
    keywords=("csv", "jsonl", "sqlite", "database", "rows", "query", "spreadsheet"),
    heavy=True,
)
def table(
    context: Context,
    path: GivenPath = "",
    parameters: Annotated[Json, In("For SQLite: values for the :names in the query, as an object")] = None,
    *,
    file: FilePath = "",
    format: Annotated[  # noqa: A002  # what people call it
        Literal["by name", "csv", "jsonl", "sqlite"],
        Setting("Format", help="By name: decided by the file extension"),
    ] = "by name",
    query: Annotated[
        str, Setting("Query", editor="code", language="sql", help="For SQLite: one SELECT statement")
    ] = "",
    delimiter: Delimiter = "",
    most: Annotated[int, Setting("Max. rows", minimum=0, help="0: all")] = 0,
) -> Annotated[list[Json], Out("rows", "The rows, in the order of the file or query")]:
    """Read the rows of the file at `path`, or else at `file`."""
    folder, place, limit = context.folder(), path or file, most or None
    match format_of(place, format):
        case "csv":
            return csv_rows(folder.read_text(place), place, delimiter_of(place, delimiter), limit)
        case "jsonl":
            return jsonl_rows(folder.read_text(place), place, limit)
        case _:
            return queried_rows(database(folder, place), query, parameters, limit)


def database(folder: Folder, path: str) -> bytes:
    """Read a database whole; raises `ToolError` while changes to it lie beside it."""
    for journal in ("-wal", "-journal"):
        if folder.exists(path + journal) and folder.read_bytes(path + journal):
            message = f"`{path}` is in use: `{path}{journal}` contains changes that are not in it yet."
            raise ToolError(message, hint="Close the program that writes it.")
    data = folder.read_bytes(path)
    # Bytes 18 and 19 say that changes go to a file beside it; SQLite refuses that in memory.
    return data[:18] + b"\1\1" + data[20:] if data[18:20] == b"\2\2" else data


def queried_rows(data: bytes, query: str, parameters: Json, most: int | None) -> list[Json]:
    """Run one query on a copy of the database in memory."""
    given = given_parameters(parameters)
    with closing(sqlite3.connect(":memory:")) as copy:
        try:
            copy.deserialize(data)
            guard(copy)
            found = copy.execute(query, given)
            names = column_names(found)
            rows = found.fetchmany(ROWS + 1 if most is None else most)
        except sqlite3.Error as error:
            message = f"The query cannot be run: {error}."
            raise ToolError(message, hint="The database is read-only here, by one SELECT.") from error
    if len(rows) > ROWS:
        message = f"The query returns more than {ROWS} rows."
        raise ToolError(message, hint="Add `LIMIT`, or set the maximum number of rows.")
    return named_rows(names, rows)
