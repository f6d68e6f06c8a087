"""Files of rows, read row by row: JSON lines, JSON arrays, CSV and Parquet, packed by gzip or not.

A reader holds one row at a time, so that a file costs memory only for the rows that somebody keeps. It goes
on after what is wrong, and notes it by file, line and column (`Source.fault`).
"""

import codecs
import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias, cast

from studio.errors import ExperimentFileError
from studio.extras import missing_library
from studio.flow.records import Json

Columns: TypeAlias = Mapping[str, Json]
"""One row: its values by column."""

MOST_FAULTS = 20
"""Faults of a file that are told; with the last of them reading ends."""

LONGEST_CELL = 2**27
"""Characters of a CSV cell, where the library would stop at 131,072."""

PIECE = 2**20
"""Characters of a JSON array that are read at a time."""

_DELIMITERS = ",;\t|"
_ROW_FILES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")


class Read(NamedTuple):
    """A row as a file has it, on which line (0: its format has no lines) and of which file of a folder."""

    columns: Columns
    line: int = 0
    file: str = ""


@dataclass
class Source:
    """A file or folder that is read, and what was found wrong in it.

    `folder` is where it stands in the project, for rows that name files beside it.
    """

    path: Path
    folder: str = ""
    faults: list[str] = field(default_factory=list[str])
    file: str = ""
    """Which file of a folder it is, for what is told of it."""

    def fault(self, line: int, words: str, *, column: int = 0, file: str = "") -> None:
        """Note what is wrong; raises `ExperimentFileError` where that is enough of it."""
        places = [file or self.file, f"line {line}" if line else "", f"column {column}" if column else ""]
        place = ", ".join(one for one in places if one)
        self.faults.append(f"{place}: {words}" if place else words)
        if len(self.faults) == MOST_FAULTS:
            self.refuse()

    def refuse(self) -> None:
        """Raise `ExperimentFileError` where anything was found wrong."""
        if self.faults:
            more = ["There may be more."] if len(self.faults) >= MOST_FAULTS else []
            message = f"The dataset `{self.path.name}` has rows that cannot be read."
            raise ExperimentFileError(message, [*self.faults, *more])

    def inside(self, path: Path) -> "Source":
        """Give a file of this folder, whose faults are those of the folder."""
        name = path.relative_to(self.path).as_posix()
        return Source(path, self.beside(f"{self.path.name}/{name}").rpartition("/")[0], self.faults, name)

    def beside(self, name: str) -> str:
        """Give the path in the project of a file beside this one."""
        return f"{self.folder}/{name}" if self.folder else name


Reader: TypeAlias = Callable[[Source], Iterator[Read]]


class RowError(Exception):
    """Why columns are no row of a format, in words; whoever reads the file knows the line."""


def converted(source: Source, rows: Iterable[Read], make: Callable[[Columns], Columns]) -> Iterator[Read]:
    """Give rows as `make` gives them; what it refuses by `RowError` is noted as a fault."""
    for columns, line, file in rows:
        try:
            yield Read(make(columns), line, file)
        except RowError as error:
            source.fault(line, str(error), file=file)


def read_any(source: Source) -> Iterator[Read]:
    """Read rows by what the file has in it: Parquet, a JSON array or object, JSON lines, or else CSV.

    Of a folder, all files of rows, by name.
    """
    if source.path.is_dir():
        for path in files_of_rows(source.path):
            inner = source.inside(path)
            for one in read_any(inner):
                yield one._replace(file=inner.file)
        return
    yield from _READERS[kind_of(source.path)](source)


def kind_of(path: Path) -> str:
    """Tell what is in a file: `parquet`, a JSON `array`, one JSON `object`, JSON `lines`, or a `table`."""
    with _opened(path) as stream:
        head = stream.peek(4096)[:4096]
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK\x03\x04"):
        raise ExperimentFileError(
            f"`{path.name}` is a ZIP archive.", hint="Unpack it, and name the file or folder that was in it."
        )
    start = head.decode("utf-16" if _is_utf16(head) else "utf-8-sig", "ignore").lstrip()
    if start.startswith("["):
        return "array"
    if not start.startswith("{"):
        return "table"
    return "object" if _is_one_object(start) else "lines"


def files_of_rows(folder: Path) -> Sequence[Path]:
    """List the files of a folder, and of those in it, that may have rows; numbers in names count as such."""
    found = (one for one in folder.rglob("*") if one.is_file() and not _is_hidden(one.relative_to(folder)))
    named = (one for one in found if Path(one.name.removesuffix(".gz")).suffix.lower() in _ROW_FILES)
    return sorted(named, key=lambda one: (one.parent.as_posix(), len(one.stem), one.name))


def read_json_lines(source: Source) -> Iterator[Read]:
    """Read an object a line; blank lines are passed over."""
    for number, line in lines_of(source):
        if not line.strip():
            continue
        try:
            plain: object = json.loads(line, parse_constant=_nothing)
        except json.JSONDecodeError as error:
            source.fault(number, f"this is not JSON: {error.msg}.", column=error.colno)
            continue
        except (ValueError, RecursionError) as error:
            source.fault(number, f"this is not JSON: {error}.")
            continue
        if isinstance(plain, dict):
            yield Read(cast("Columns", plain), number)
        else:
            source.fault(number, "a row is an object: `{…}`.")


def read_json_array(source: Source) -> Iterator[Read]:
    """Read the objects of a JSON array one after the other, each with the line on which it begins."""
    decoder = json.JSONDecoder(parse_constant=_nothing)
    pieces = _pieces(source)
    text, is_whole = next(pieces, ""), True
    at = text.index("[") + 1
    line = 1 + text.count("\n", 0, at)
    while True:
        start = at
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        line += text.count("\n", start, at)
        if at < len(text) and text[at] == "]":
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            place = error.pos if isinstance(error, json.JSONDecodeError) else len(text)
            is_cut = place > len(text) - 64 or str(error).startswith("Unterminated")
            piece = next(pieces, "") if is_cut else ""
            if piece:
                text, at, is_whole = text[at:] + piece, 0, is_whole and not at
                continue
            below = text.count("\n", at, place)
            newline = text.rfind("\n", 0, place)
            column = place - newline if newline >= 0 or is_whole else 0
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            words = f"this is not JSON: {reason}." if text[at:].strip() else "the array has no end."
            source.fault(line + below, words, column=column)
            return
        if isinstance(value, dict):
            yield Read(cast("Columns", value), line)
        else:
            source.fault(line, "a row is an object: `{…}`.")
        line += text.count("\n", at, end)
        at = end
        if at > PIECE or at == len(text):
            text, at, is_whole = text[at:] + next(pieces, ""), 0, False


def read_json_object(source: Source) -> Iterator[Read]:
    """Read a file that is one JSON object: one row, or, where all it has is a list of objects, these."""
    text = "".join(line for _, line in lines_of(source))
    try:
        plain: object = json.loads(text, parse_constant=_nothing)
    except json.JSONDecodeError as error:
        source.fault(error.lineno, f"this is not JSON: {error.msg}.", column=error.colno)
        return
    except (ValueError, RecursionError) as error:
        source.fault(0, f"this is not JSON: {error}.")
        return
    columns = cast("dict[str, Json]", plain)
    only = next(iter(columns.values())) if len(columns) == 1 else None
    if isinstance(only, list) and only and all(isinstance(one, dict) for one in only):
        yield from (Read(cast("Columns", one)) for one in only)
    else:
        yield Read(columns, 1)


def read_csv(source: Source) -> Iterator[Read]:
    """Read a table with a line of column names; every cell is text (RFC 4180).

    Cells are parted by whichever of comma, semicolon, tab and bar the first line has most of.
    """
    names: list[str] = []
    for line, cells in cells_of(source):
        if not names:
            names = cells
            if len(set(names)) < len(names):
                twice = next(one for one in names if names.count(one) > 1)
                source.fault(line, f"two columns are called `{twice}`.")
                return
        elif len(cells) != len(names):
            missing = f"; `{names[len(cells)]}` has none" if len(cells) < len(names) else ""
            source.fault(line, f"{len(cells)} cells, and {len(names)} columns{missing}.")
        else:
            yield Read(dict(zip(names, cells, strict=True)), line)


def cells_of(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Read the cells of each line of a table, with its number; blank ones are passed over."""
    lines = (line for _, line in lines_of(source))
    first, before = "", 0
    for before, first in enumerate(lines):  # noqa: B007  # both are told below
        if first.strip():
            break
    delimiter = max(_DELIMITERS, key=_unquoted(first).count)
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    table = csv.reader(_after(first, lines), strict=True, delimiter=delimiter)
    try:
        for cells in table:
            if cells:
                yield before + table.line_num, cells
    except csv.Error as error:
        source.fault(before + table.line_num, f"this is no line of a table: {error}.")


def read_parquet(source: Source) -> Iterator[Read]:
    """Read a Parquet file in batches; needs the extra `parquet`. Dates and such become texts."""
    try:
        from pyarrow import parquet  # type: ignore[import-untyped]
    except ImportError as error:
        hint = missing_library("pyarrow")
        message = f"`{source.path.name}` is Parquet, which needs a library."
        raise ExperimentFileError(message, hint=hint) from error
    try:
        with closing(cast("Any", parquet).ParquetFile(source.path)) as file:
            for batch in file.iter_batches(batch_size=500):
                for one in batch.to_pylist():
                    text = json.dumps(one, default=str)
                    yield Read(json.loads(text, parse_constant=_nothing))
    except (OSError, ValueError) as error:  # what pyarrow raises for files that are none are both
        message = f"`{source.path.name}` could not be read as Parquet: {error}."
        raise ExperimentFileError(message) from error


_READERS: Mapping[str, Reader] = {
    "parquet": read_parquet,
    "array": read_json_array,
    "object": read_json_object,
    "lines": read_json_lines,
    "table": read_csv,
}


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Read the lines of a text file with their numbers: UTF-8, or UTF-16 that says so.

    A line that is neither is noted as a fault, and left out.
    """
    with _opened(source.path) as stream:
        if _is_utf16(stream.peek(2)[:2]):
            with io.TextIOWrapper(cast("IO[bytes]", stream), "utf-16") as text:
                yield from enumerate(text, 1)
            return
        for number, raw in enumerate(stream, 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                words = f"the byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8."
                source.fault(number, words, column=error.start + 1)
                continue
            yield number, line


@contextmanager
def _opened(path: Path) -> Generator[io.BufferedReader]:
    """Open a file, unpacked where it is packed; raises `ExperimentFileError` where it cannot be read."""
    try:
        with path.open("rb") as stream:
            if stream.peek(2)[:2] == b"\x1f\x8b":
                with gzip.open(stream) as unpacked:
                    yield io.BufferedReader(cast("io.RawIOBase", unpacked))
            else:
                yield stream
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ExperimentFileError(f"The dataset `{path}` could not be read: {reason}.") from error


def _pieces(source: Source) -> Iterator[str]:
    kept: list[str] = []
    size = 0
    for _, line in lines_of(source):
        kept.append(line)
        size += len(line)
        if size > PIECE:
            yield "".join(kept)
            kept, size = [], 0
    if kept:
        yield "".join(kept)


def _after(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines


def _unquoted(line: str) -> str:
    """What of a line stands outside of quotes."""
    return "".join(line.split('"')[::2])


def _is_utf16(head: bytes) -> bool:
    return head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _is_one_object(start: str) -> bool:
    """Whether JSON goes on after its first line, as far as that line tells; a long one is taken for a row."""
    first, newline, _ = start.partition("\n")
    return bool(newline) and first.rstrip().endswith(("{", "[", ","))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _nothing(_: str) -> None:
    """NaN and infinities, which JSON does not have, are nothing."""
