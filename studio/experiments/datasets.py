"""Rows, from a file of the project to the inputs of flows: named, hashed, checked before anything runs."""

import hashlib
import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import cast

from studio.building_blocks.values.json_paths import value_at
from studio.errors import ExperimentFileError, StepError, StepwireError
from studio.experiments.experiment import DatasetUse
from studio.experiments.formats import Format, format_of
from studio.experiments.readers import Columns, Source
from studio.experiments.spilled import SpilledRows
from studio.flow.records import Json
from studio.workspace.inputs import InputField

SHORT = 12
"""Digits of a hash by which datasets, rows and flows are named."""

SAID = 5
"""How many rows are named that have the same fault."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its name, its values by column, and its line in the file (0: no lines)."""

    id: str
    columns: Columns
    line: int = 0


@dataclass(frozen=True, slots=True)
class Dataset:
    """The rows that an experiment sees; `digest` names them by content, whatever the file is called."""

    name: str
    rows: Sequence[Row]
    digest: str
    form: Format


def digest_of(value: object) -> str:
    """Name a JSON value by its content: SHA-256 of its canonical text, shortened."""
    return hashlib.sha256(_canonical(value)).hexdigest()[:SHORT]


def load_dataset(root: Path, use: DatasetUse) -> Dataset:
    """Read the rows of a project's file; raises `ExperimentFileError` where they are no rows.

    Rows have distinct names, and there is at least one. A file is read no further than to the last row that
    is wanted, and many rows are kept on disk.
    """
    path = (root / use.file).resolve()
    if not path.is_relative_to(root.resolve()):
        raise ExperimentFileError(f"The dataset `{use.file}` is outside the project.")
    form = format_of(path, use.form)
    rows = SpilledRows[Row](_packed, _unpacked)
    names, digest = array("Q"), hashlib.sha256(b"[")
    for row in rows_of(path, use, form):
        digest.update((b"," if len(rows) else b"") + _canonical([row.id, row.columns]))
        names.append(_short_hash(row.id))
        rows.append(row)
    if not rows:
        hint = "Check what `where` asks for." if use.where else "Put one into each line."
        raise ExperimentFileError(f"There are no rows in `{use.file}`.", hint=hint)
    if any(one == other for one, other in pairwise(sorted(names))):
        _refuse_twins(use.file, rows)
    digest.update(b"]")
    return Dataset(use.file, rows, digest.hexdigest()[:SHORT], form)


def rows_of(path: Path, use: DatasetUse, form: Format) -> Iterator[Row]:
    """Read the rows of a file that are wanted, one by one; raises `ExperimentFileError`."""
    folder = Path(use.file).parent.as_posix()
    source = Source(path, "" if folder == "." else folder)
    named = use.id or form.id
    found = (
        Row(_name(read.columns, named, place), read.columns, read.line)
        for place, read in enumerate(form.read(source), 1)
        if all(column_of(read.columns, name) == wanted for name, wanted in use.where.items())
    )
    yield from islice(found, use.first)
    source.refuse()


def column_of(columns: Columns, name: str) -> Json:
    """Give a column, or what stands at a dotted path in one; None where there is nothing."""
    if name in columns:
        return columns[name]
    try:
        return value_at(dict(columns), name)
    except StepError:
        return None


def has_column(columns: Columns, name: str) -> bool:
    """Whether a row has a column, or something at a dotted path."""
    if name in columns:
        return True
    try:
        value_at(dict(columns), name)
    except StepError:
        return False
    return True


def inputs_of(row: Row, fields: Sequence[InputField], mapping: Mapping[str, str]) -> dict[str, Json]:
    """Give the inputs of a flow that a row fills; texts are read as `--input` reads them.

    An input without a column is left to its default. Raises `ExperimentFileError` where a value does not fit.
    """
    given: dict[str, Json] = {}
    for field in fields:
        name = str(field.node)
        column = mapping.get(name, name)
        if not has_column(row.columns, column):
            continue
        value = column_of(row.columns, column)
        try:
            if isinstance(value, str):
                given[name] = field.read(value)
            else:
                field.check(value)
                given[name] = value
        except StepwireError as error:
            raise ExperimentFileError(error.message) from error
    return given


def completed_mapping(
    dataset: Dataset, fields: Sequence[InputField], mapping: Mapping[str, str]
) -> dict[str, str]:
    """Add to a mapping what the format says of inputs that it leaves out.

    An input takes the column of its name; or, where the format keeps inputs in a column, the field of its
    name there; or, where a flow has no other input to fill, the column that the format asks by.
    """
    form, columns = dataset.form, dataset.rows[0].columns
    found = dict(mapping)
    open_ = [str(one.node) for one in fields if str(one.node) not in mapping]
    for name in [one for one in open_ if not has_column(columns, one)]:
        if form.under and has_column(columns, f"{form.under}.{name}"):
            found[name] = f"{form.under}.{name}"
    left = [
        str(one.node)
        for one in fields
        if one.is_required and str(one.node) not in found and not has_column(columns, str(one.node))
    ]
    if form.asks in columns and form.asks not in found.values() and len(left) == 1 and form.asks not in open_:
        found[left[0]] = form.asks
    return found


def mapping_problems(
    dataset: Dataset, fields: Sequence[InputField], mapping: Mapping[str, str]
) -> Iterator[str]:
    """Tell what keeps the rows from filling the inputs of a flow, a sentence for each fault and its rows."""
    known = {str(field.node) for field in fields}
    for name in mapping:
        if name not in known:
            listed = ", ".join(f"`{one}`" for one in sorted(known)) or "none"
            yield f"The flow has no input `{name}`. It has {listed}."
    mapping = completed_mapping(dataset, fields, mapping)
    faults: dict[str, list[Row]] = {}
    for row in dataset.rows:
        for field in fields:
            name = str(field.node)
            column = mapping.get(name, name)
            if not has_column(row.columns, column) and (field.is_required or name in mapping):
                faults.setdefault(f"The input `{name}` has no column `{column}`", []).append(row)
        try:
            inputs_of(row, fields, mapping)
        except ExperimentFileError as error:
            faults.setdefault(error.message.rstrip("."), []).append(row)
    for words, rows in faults.items():
        yield f"{words} ({_places(rows, len(dataset.rows))})."


def _places(rows: Sequence[Row], all_rows: int) -> str:
    if len(rows) == all_rows:
        return "in all rows"
    said = ", ".join(f"`{one.id}`" + (f", line {one.line}" if one.line else "") for one in rows[:SAID])
    more = f" and {len(rows) - SAID} more" if len(rows) > SAID else ""
    return f"{'row' if len(rows) == 1 else 'rows'} {said}{more}"


def _name(columns: Columns, named: str, place: int) -> str:
    if named and not has_column(columns, named):
        raise ExperimentFileError(f"Row {place} has no column `{named}`, which is to name it.")
    value = column_of(columns, named or "id")
    return str(place) if value is None else str(value)


def _refuse_twins(file: str, rows: Sequence[Row]) -> None:
    """Raise `ExperimentFileError` where two rows have one name."""
    seen: dict[str, int] = {}
    for row in rows:
        if row.id in seen:
            places = f"lines {seen[row.id]} and {row.line}" if row.line else "two rows"
            raise ExperimentFileError(
                f"In `{file}`, two rows are called `{row.id}` ({places}).",
                hint="Name a column with distinct values as `id`.",
            )
        seen[row.id] = row.line


def _canonical(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _short_hash(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _packed(row: Row) -> Json:
    return [row.id, dict(row.columns), row.line]


def _unpacked(plain: Json) -> Row:
    return Row(*cast("tuple[str, Columns, int]", plain))
