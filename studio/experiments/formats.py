"""Files of rows: JSON lines, CSV and Parquet as they are, and kept cases; each a small function by its name.

A reader gives the columns of each row as plain JSON. It keeps to the order of the file, and tells the line of
what is wrong.
"""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from studio.errors import ExperimentFileError
from studio.extras import missing_library
from studio.flow.records import Json

Columns: TypeAlias = Mapping[str, Json]
"""One row: its values by column."""


class Read(NamedTuple):
    """A row as a file has it, and on which line; 0 where its format has no lines."""

    columns: Columns
    line: int = 0


Reader: TypeAlias = Callable[[Path], Sequence[Read]]


class Format(NamedTuple):
    """How a file is read, what it is, and what of it is not covered."""

    read: Reader
    summary: str
    not_covered: str = ""
    id: str = ""
    """The column that names its rows, where the format says so."""


def read_json_lines(path: Path) -> Sequence[Read]:
    """Read an object a line; blank lines are passed over."""
    found: list[Read] = []
    wrong: list[str] = []
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            plain: object = json.loads(line)
        except (ValueError, RecursionError) as error:
            wrong.append(f"line {number}: this is not JSON: {error}.")
            continue
        if isinstance(plain, dict):
            found.append(Read(cast("Columns", plain), number))
        else:
            wrong.append(f"line {number}: a row is an object: `{{…}}`.")
    if wrong:
        raise ExperimentFileError(f"The dataset `{path.name}` has lines that are not rows.", wrong)
    return found


def read_csv(path: Path) -> Sequence[Read]:
    """Read a table with a line of column names; every cell is text (RFC 4180)."""
    lines = csv.reader(_text(path).splitlines(keepends=True), strict=True)
    found: list[Read] = []
    try:
        names = next(lines, list[str]())
        if len(set(names)) < len(names):
            twice = next(one for one in names if names.count(one) > 1)
            raise ExperimentFileError(f"In `{path.name}`, two columns are called `{twice}`.")
        for cells in lines:
            if not cells:
                continue
            if len(cells) != len(names):
                message = f"`{path.name}` is not a table."
                wrong = f"line {lines.line_num}: {len(cells)} cells, and {len(names)} columns."
                raise ExperimentFileError(message, [wrong])
            found.append(Read(dict(zip(names, cells, strict=True)), lines.line_num))
    except csv.Error as error:
        wrong = f"line {lines.line_num}: {error}."
        raise ExperimentFileError(f"`{path.name}` is not a table.", [wrong]) from error
    return found


def read_parquet(path: Path) -> Sequence[Read]:
    """Read a Parquet file whole; needs the extra `parquet`. Values that JSON lacks (dates) become texts."""
    try:
        from pyarrow import parquet  # type: ignore[import-untyped]
    except ImportError as error:
        hint = missing_library("pyarrow")
        raise ExperimentFileError(f"`{path.name}` is Parquet, which needs a library.", hint=hint) from error
    try:
        rows = cast("Any", parquet).read_table(path).to_pylist()
    except (OSError, ValueError) as error:  # what pyarrow raises for files that are none are both
        raise ExperimentFileError(f"`{path.name}` could not be read as Parquet: {error}.") from error
    return [Read(json.loads(json.dumps(one, default=str))) for one in rows]


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else "this is not UTF-8 text"
        raise ExperimentFileError(f"The dataset `{path}` could not be read: {reason}.") from error


FORMATS: dict[str, Format] = {
    "jsonl": Format(read_json_lines, "JSON lines: an object a row"),
    "csv": Format(
        read_csv, "CSV with a line of column names", "Cells are texts; other inputs read them as JSON."
    ),
    "parquet": Format(read_parquet, "Parquet", "Dates and binary values become texts."),
    "cases": Format(
        read_json_lines,
        "the kept cases of a flow, `cases/FLOW.jsonl`",
        "What a case expects is a column (`expected.PORT.value`); how it compares is left to the scorers.",
        "name",
    ),
}
"""All formats by name; the first three are also known by the ending of a file's name."""

_ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet"}


def format_of(path: Path, name: str = "") -> Format:
    """Give the format called `name`, or else that of the file's ending; raises `ExperimentFileError`."""
    name = name or _ENDINGS.get(path.suffix.lower(), "")
    if name not in FORMATS:
        known = ", ".join(f"`{one}`" for one in FORMATS)
        message = (
            f"There is no format `{name}` for datasets." if name else f"Of which format is `{path.name}`?"
        )
        raise ExperimentFileError(message, hint=f"Formats are {known}; name one as `as`, or with `--as`.")
    return FORMATS[name]
