"""Rows, from a file of the project to the inputs of flows: named, hashed, checked before anything runs."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.building_blocks.values.json_paths import value_at
from studio.errors import ExperimentFileError, StepError, StepwireError
from studio.experiments.experiment import DatasetUse
from studio.experiments.formats import format_of
from studio.experiments.readers import Columns
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


def digest_of(value: object) -> str:
    """Name a JSON value by its content: SHA-256 of its canonical text, shortened."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:SHORT]


def load_dataset(root: Path, use: DatasetUse) -> Dataset:
    """Read the rows of a project's file; raises `ExperimentFileError` where they are no rows.

    Rows have distinct names, and there is at least one.
    """
    path = (root / use.file).resolve()
    if not path.is_relative_to(root.resolve()):
        raise ExperimentFileError(f"The dataset `{use.file}` is outside the project.")
    form = format_of(path, use.form)
    rows: list[Row] = []
    named = use.id or form.id
    for place, read in enumerate(form.read(path), 1):
        if all(column_of(read.columns, name) == wanted for name, wanted in use.where.items()):
            rows.append(Row(_name(read.columns, named, place), read.columns, read.line))
        if use.first is not None and len(rows) == use.first:
            break
    if not rows:
        hint = "Check what `where` asks for." if use.where else "Put one into each line."
        raise ExperimentFileError(f"There are no rows in `{use.file}`.", hint=hint)
    seen: dict[str, int] = {}
    for row in rows:
        if row.id in seen:
            places = f"lines {seen[row.id]} and {row.line}" if row.line else "two rows"
            raise ExperimentFileError(
                f"In `{use.file}`, two rows are called `{row.id}` ({places}).",
                hint="Name a column with distinct values as `id`.",
            )
        seen[row.id] = row.line
    return Dataset(use.file, rows, digest_of([[one.id, one.columns] for one in rows]))


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


def mapping_problems(
    dataset: Dataset, fields: Sequence[InputField], mapping: Mapping[str, str]
) -> Iterator[str]:
    """Tell what keeps the rows from filling the inputs of a flow, a sentence for each fault and its rows."""
    known = {str(field.node) for field in fields}
    for name in mapping:
        if name not in known:
            listed = ", ".join(f"`{one}`" for one in sorted(known)) or "none"
            yield f"The flow has no input `{name}`. It has {listed}."
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
