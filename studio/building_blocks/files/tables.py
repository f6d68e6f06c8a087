"""Rows in files of text: CSV with a header, and JSON Lines."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Literal

from studio.sdk import Json, ToolError

TextTable = Literal["csv", "jsonl"]
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".db": "sqlite",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
}


def format_of(path: str, wanted: str) -> str:
    """Name the format of a file: the one that is wanted, or else the one that its ending says."""
    if wanted != "by name":
        return wanted
    found = SUFFIXES.get(PurePosixPath(path).suffix.lower())
    if found is None:
        message = f"The file extension of `{path}` does not show its format."
        raise ToolError(message, hint="Choose the format in the settings.")
    return found


def delimiter_of(path: str, wanted: str) -> str:
    """What stands between the cells: what is wanted, or else a tab in `.tsv` and a comma elsewhere."""
    if wanted:
        return wanted
    return "\t" if path.lower().endswith(".tsv") else ","


def one_character(text: str) -> str:
    """Validate a delimiter; raises `ValueError`."""
    if len(text) > 1 or text in {"\n", "\r", '"'}:
        message = "a delimiter must be one character, but not a quote or a line break"
        raise ValueError(message)
    return text


def csv_rows(text: str, path: str, delimiter: str, most: int | None) -> list[Json]:
    """Read CSV as objects by the names in its first line; raises `ToolError` where a row has more cells."""
    reader = csv.reader(
        io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True
    )
    try:
        names = next(reader, list[str]())
        if len(set(names)) < len(names):
            message = f"Two columns of `{path}` have the same name."
            raise ToolError(message)
        return list(islice(named_cells(reader, names, path), most))
    except csv.Error as error:
        message = f"Line {reader.line_num} of `{path}` is not CSV: {error}."
        raise ToolError(message) from error


def named_cells(reader: Iterator[list[str]], names: Sequence[str], path: str) -> Iterator[Json]:
    """Put the cells of each row under their names; cells that are missing are empty, blank lines left out."""
    for number, cells in enumerate(reader, 1):
        if len(cells) > len(names):
            message = f"Row {number} of `{path}` has {len(cells)} cells, and the header {len(names)}."
            raise ToolError(message, hint="Check the delimiter, and quote cells that contain it.")
        if cells:
            yield {name: cells[at] if at < len(cells) else "" for at, name in enumerate(names)}


def jsonl_rows(text: str, path: str, most: int | None) -> list[Json]:
    """Read one JSON value from each line; raises `ToolError` naming the line that is none."""
    rows: list[Json] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if len(rows) == most:
            break
        if line.strip():
            try:
                rows.append(json.loads(line, parse_constant=_refuse))
            except (ValueError, RecursionError) as error:
                message = f"Line {number} of `{path}` is not JSON: {error}."
                raise ToolError(message) from error
    return rows


def header_of(text: str, delimiter: str) -> list[str]:
    """Read the names in the first line of CSV."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter)
    return next(reader, list[str]())


def csv_line(cells: Sequence[str], delimiter: str) -> str:
    """Write one line of CSV."""
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator="\n").writerow(cells)
    return written.getvalue()


def _refuse(constant: str) -> object:
    message = f"`{constant}` is not a JSON number"
    raise ValueError(message)
