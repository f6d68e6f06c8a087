"""Append row: add one row to a CSV or JSON Lines file of the project.

In CSV, an object is put under the columns of the file: a column that it lacks stays empty, and a field that
the file has no column for is an error. A new file takes its columns from its first row. Texts are written as
they are, everything else as JSON. In JSON Lines, every value is a line.

The path is relative to the project and cannot leave it; missing folders are made.

```json
{
  "inputs": {"row": {"name": "wren", "count": 2}},
  "settings": {"file": "out/birds.csv"},
  "outputs": {"file": "out/birds.csv"}
}
```
"""

import json
from pathlib import Path
from typing import Annotated, Literal

from studio.building_blocks.files.tables import csv_line, delimiter_of, format_of, header_of
from studio.building_blocks.settings.files import Delimiter, FilePath
from studio.building_blocks.values.json_kinds import is_object
from studio.sdk import Context, Effect, In, Json, Out, Setting, ToolError, node
from studio.sdk.templates import as_text


@node(
    "io.append_row",
    title="Append row",
    effect=Effect.SIDE_EFFECT,
    accesses={"files": ""},
    keywords=("csv", "jsonl", "log", "table", "save", "record"),
)
def append_row(
    context: Context,
    row: Annotated[Json, In("An object; for JSON Lines, any value")],
    *,
    file: FilePath = "out/rows.csv",
    format: Annotated[  # noqa: A002  # what people call it
        Literal["by name", "csv", "jsonl"], Setting("Format", help="By name: decided by the file extension")
    ] = "by name",
    delimiter: Delimiter = "",
) -> Annotated[Path, Out("file", "The file that was written")]:
    """Add `row` at the end of `file`."""
    folder = context.folder()
    text = folder.read_text(file) if folder.exists(file) else ""
    gap = "\n" if text and not text.endswith("\n") else ""
    match format_of(file, format):
        case "csv":
            lines = csv_lines(text, row, file, delimiter_of(file, delimiter))
        case "jsonl":
            lines = json.dumps(row, ensure_ascii=False) + "\n"
        case other:
            message = f"No row can be appended to a file of the format `{other}`."
            raise ToolError(message, hint="Choose a .csv or .jsonl file.")
    return Path(folder.append_text(file, gap + lines))


def csv_lines(text: str, row: Json, file: str, delimiter: str) -> str:
    """Write a row under the columns that `text` has, or else with a header of its own."""
    if not is_object(row) or not row:
        message = "A CSV row must be an object with a field for each column."
        raise ToolError(message, hint="Build one with Set fields, or write JSON Lines.")
    header = header_of(text, delimiter)
    unknown = [name for name in row if name not in header]
    if header and unknown:
        message = f"`{file}` has no column `{unknown[0]}`."
        raise ToolError(message, hint=f"Its columns are {', '.join(header)}.")
    cells = csv_line([as_text(row.get(name)) for name in header or row], delimiter)
    return cells if header else csv_line(list(row), delimiter) + cells
