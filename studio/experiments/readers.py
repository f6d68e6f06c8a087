"""Files of rows, read: JSON lines, CSV and Parquet as they are.

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


def read_json_lines(path: Path) -> Sequence[Read]:
    """Read an object a line; blank lines are passed over."""
    found: list[Read] = []
    wrong: list[str] = []
    for number, line in enumerate(text_of(path).split("\n"), 1):
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
    lines = csv.reader(text_of(path).splitlines(keepends=True), strict=True)
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


def text_of(path: Path) -> str:
    """Give the text of a file; raises `ExperimentFileError` where it cannot be read."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else "this is not UTF-8 text"
        raise ExperimentFileError(f"The dataset `{path}` could not be read: {reason}.") from error
