r"""SQLite query: a SQLite database of the project, as a tool.

Without a query of its own, the agent writes SQL: one tool names the tables with their columns, the other runs
one statement, with values for its `:names` in `parameters`. With a query in the settings, the agent can only
run that, and its `:names` become the arguments of the tool.

The database is only read, unless writing is allowed; other files cannot be reached either way. Rows come as
JSON, the first so many of them, and a statement that takes too long is cut off.

```json
{
  "files": {"birds.db": "CREATE TABLE bird (name, seen); INSERT INTO bird VALUES ('wren', 2), ('heron', 1);"},
  "settings": {"file": "birds.db"},
  "calls": [
    {"tool": "list_tables", "arguments": {}},
    {"tool": "query", "arguments": {
      "query": "SELECT name FROM bird WHERE seen > :least", "parameters": {"least": 1}
    }}
  ],
  "outputs": {"tool": ["bird (name, seen)", {"rows": [{"name": "wren"}]}]}
}
```
"""

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Annotated

from studio.building_blocks.files.queries import (
    column_names,
    given_parameters,
    guard,
    named_rows,
    rows_within,
)
from studio.building_blocks.settings.tools import ToolName
from studio.sdk import Context, Effect, Folder, Setting, Tool, ToolError, Yields, binding

QUOTED = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
NAMED = re.compile(r"(?<!:):([A-Za-z_][A-Za-z0-9_]*)")

LONGEST = 200_000
"""Characters of one answer: more than that no language model reads to the end."""

NOTHING: dict[str, object] = {"type": "object", "properties": {}, "additionalProperties": False}
ANYTHING: dict[str, object] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "One SQL statement"},
        "parameters": {"type": "object", "description": "Values for the :names in it"},
    },
    "required": ["query"],
    "additionalProperties": False,
}

TABLES = (
    "SELECT m.name, group_concat(c.name, ', ') FROM sqlite_schema m, pragma_table_info(m.name) c "
    "WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%' GROUP BY m.name ORDER BY m.name"
)


@binding(
    "tools.sqlite_query",
    title="SQLite query",
    effect=Effect.SIDE_EFFECT,
    accesses={"files": "write=true"},
    keywords=("database", "sql", "table", "select", "rows"),
)
async def sqlite_query(
    context: Context,
    *,
    file: Annotated[str, Setting("Database", editor="file")] = "",
    name: ToolName = "query",
    description: Annotated[
        str, Setting("Description", editor="text", help="Description of the database for the agent")
    ] = "Query the database.",
    query: Annotated[
        str, Setting("Query", editor="code", language="sql", help="Empty: the agent writes its own")
    ] = "",
    write: Annotated[bool, Setting("Allow writing")] = False,
    most: Annotated[int, Setting("Max. rows", minimum=1, maximum=10_000)] = 100,
    seconds: Annotated[float, Setting("Timeout, s", minimum=0.1, maximum=60, help="Approximate")] = 2,
) -> Yields[Sequence[Tool]]:
    """Lend the database."""
    folder = context.folder()

    async def run(arguments: Mapping[str, object]) -> str:
        """Run the statement aside, and stop it when nobody waits for it any more."""
        statement = query or str(arguments["query"])
        values = arguments if query else given_parameters(arguments.get("parameters"))
        is_over = False

        def work() -> str:
            """Open, ask, close."""
            with closing(folder.database(file, write=write)) as database:
                guard(database, write=write, seconds=seconds, is_stopped=lambda: is_over)
                return answer(database, statement, values, most)

        try:
            return await context.aside(work)
        finally:
            is_over = True

    async def list_tables(_: Mapping[str, object]) -> str:
        """Name the tables and their columns."""
        return await context.aside(lambda: tables_of(folder, file))

    effect = Effect.SIDE_EFFECT if write else Effect.PURE
    if query:
        yield [Tool(name, description, parameters_of(query), run, effect)]
    else:
        told = f"{description} {'SQLite.' if write else 'SQLite, one SELECT.'}"
        yield [
            Tool(
                "list_tables" if name == "query" else f"{name[:57]}_tables",
                "Name the tables of the database.",
                NOTHING,
                list_tables,
            ),
            Tool(name, told, ANYTHING, run, effect),
        ]


def answer(database: sqlite3.Connection, statement: str, values: Mapping[str, object], most: int) -> str:
    """Run one statement, and say its rows, or how many it changed."""
    try:
        found = database.execute(statement, dict(values))
        if found.description is None:
            return json.dumps({"changed": max(found.rowcount, 0)})
        names, rows = column_names(found), rows_within(found, most + 1, LONGEST)
    except (sqlite3.Error, sqlite3.Warning, OverflowError, ValueError) as error:
        raise ToolError(f"The query cannot be run: {error}.") from error
    said: dict[str, object] = {"rows": named_rows(names, rows[:most])}
    if len(rows) > most:
        said["more"] = f"There are more than {most} rows."
    return json.dumps(said, ensure_ascii=False)


def tables_of(folder: Folder, file: str) -> str:
    """Name the tables with their columns, a line each."""
    with closing(folder.database(file)) as database:
        try:
            rows = database.execute(TABLES).fetchall()
        except sqlite3.Error as error:
            raise ToolError(f"`{file}` cannot be read: {error}.") from error
    return "\n".join(f"{table} ({columns})" for table, columns in rows) or "There are no tables."


def parameters_of(query: str) -> dict[str, object]:
    """Make the JSON Schema of the `:names` in a query."""
    names = list(dict.fromkeys(NAMED.findall(QUOTED.sub(" ", query))))
    kinds = ["string", "number", "boolean", "null"]
    return {
        "type": "object",
        "properties": {name: {"type": kinds} for name in names},
        "required": names,
        "additionalProperties": False,
    }
