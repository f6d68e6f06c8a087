"""An index of an experiment's table: rows and cells by place, so that one page of it is read alone.

It is derived from the experiment and made anew whenever that is another one; who reads it (`trial_pages.py`)
needs neither the rows of the dataset nor the flows.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.errors import StoreError
from studio.experiments.datasets import Row, digest_of
from studio.experiments.opening import OpenExperiment
from studio.experiments.trial_store import FOLDER
from studio.experiments.trials import cells_of
from studio.experiments.variants import decided_by
from studio.flow.records import Json
from studio.store.folder import make_ignored_folder
from studio.workspace.project import Project

FORM = 1
"""Raised when an index of before is to be made anew."""

SAID = 600
"""Characters of a row's inputs by which it is shown and found."""

TAGS = 24
"""A column with at most so many distinct short values tags its rows."""

TAG_LENGTH = 40

SCHEMA = """
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE rows (place INTEGER PRIMARY KEY, id TEXT NOT NULL, said TEXT NOT NULL, tags TEXT NOT NULL);
    CREATE TABLE cells (
        row INTEGER NOT NULL, variant INTEGER NOT NULL, repeat INTEGER NOT NULL, key TEXT NOT NULL,
        PRIMARY KEY (row, variant, repeat)
    ) WITHOUT ROWID;
"""


def index_path(project: Project, name: str) -> Path:
    """Where the index of an experiment is; beside its trials, out of version control."""
    return project.private / FOLDER / f"{name}.index"


def write_index(opened: OpenExperiment) -> bool:
    """Write the index of an opened experiment, unless it is there already; tells whether it was written.

    Raises `StoreError` where that is not possible.
    """
    path, about = index_path(opened.project, opened.name), about_of(opened)
    if read_about(path).get("mark") == about["mark"]:
        return False
    fresh = path.with_suffix(".index-new")
    try:
        make_ignored_folder(path.parents[1])
        path.parent.mkdir(exist_ok=True)
        fresh.unlink(missing_ok=True)
        connection = sqlite3.connect(fresh, isolation_level=None)
        try:
            connection.executescript(f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN; {SCHEMA}")
            _fill(connection, opened, about)
            connection.execute("COMMIT")
        finally:
            connection.close()
        fresh.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"The table in `{path}` can't be written: {getattr(error, 'strerror', None) or error}.",
            hint="Make the folder writable, and check whether the disk is full.",
        ) from error
    return True


def keep_report(path: Path, report: Mapping[str, Any]) -> None:
    """Keep the plain report of a table in its index, so that the next who opens it reads it at once."""
    try:
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            text = json.dumps(report, ensure_ascii=False)
            connection.execute("INSERT OR REPLACE INTO about VALUES ('report', ?)", (text,))
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StoreError(f"The report in `{path}` can't be kept: {error}.") from error


def read_about(path: Path) -> dict[str, Any]:
    """Read what an index says of itself; empty where there is none that this Stepwire reads."""
    if not path.is_file():
        return {}
    try:
        connection = sqlite3.connect(path)
        try:
            found = {name: json.loads(value) for name, value in connection.execute("SELECT * FROM about")}
        finally:
            connection.close()
    except (sqlite3.Error, ValueError):
        return {}
    return found if found.get("form") == FORM else {}


def about_of(opened: OpenExperiment) -> dict[str, Any]:
    """Tell what a table is of: variants, scorers, rows; `mark` changes with all that its cells hang on."""
    experiment = opened.experiment
    versions = [[name, *decided_by(one)] for name, one in opened.variants.items()]
    flows = [one.flow or opened.project.main_flow.name for one in experiment.tried.values()]
    scorers = {name: one.digest for name, one in opened.scorers.items()}
    plain = experiment.dataset.model_dump(mode="json")
    decided = [FORM, versions, scorers, opened.dataset.digest, plain, experiment.repeats, experiment.seed]
    return {
        "form": FORM,
        "mark": digest_of([decided, experiment.compared_with, experiment.name, flows]),
        "title": experiment.name or opened.name,
        "variants": list(opened.variants),
        "flows": flows,
        "baseline": experiment.compared_with,
        "scorers": scorers,
        "dataset": opened.dataset.name,
        "rows": len(opened.dataset.rows),
        "repeats": experiment.repeats,
    }


def _fill(connection: sqlite3.Connection, opened: OpenExperiment, about: Mapping[str, Any]) -> None:
    tagged = _tag_columns(opened.dataset.rows)
    connection.executemany(
        "INSERT INTO rows VALUES (?,?,?,?)",
        (
            (place, one.id, _said(one, opened), _tags(one, tagged))
            for place, one in enumerate(opened.dataset.rows)
        ),
    )
    numbers = {name: number for number, name in enumerate(opened.variants)}
    connection.executemany(
        "INSERT INTO cells VALUES (?,?,?,?)",
        ((one.row, numbers[one.variant], one.repeat, one.key) for one in cells_of(opened)),
    )
    used = Counter(tag for (tags,) in connection.execute("SELECT tags FROM rows") for tag in json.loads(tags))
    told = {**about, "tags": sorted(used)}
    connection.executemany(
        "INSERT INTO about VALUES (?,?)",
        ((name, json.dumps(value, ensure_ascii=False)) for name, value in told.items()),
    )


def _said(row: Row, opened: OpenExperiment) -> str:
    """What is shown of a row: the columns that fill inputs; of a row without such, all of them."""
    mapping = opened.experiment.dataset.inputs
    names = [
        mapping.get(str(field.node), str(field.node))
        for one in opened.variants.values()
        for field in one.fields
    ]
    told = [row.columns[name] for name in dict.fromkeys(names) if row.columns.get(name) not in (None, "")]
    return " · ".join(map(_text, told or list(row.columns.values())))[:SAID]


def _tag_columns(rows: Sequence[Row]) -> list[str]:
    """The columns whose values group rows: few, short, and each of several rows."""
    found: list[str] = []
    for name in dict.fromkeys(name for row in rows for name in row.columns):
        values = [value for row in rows if _is_tag(value := row.columns.get(name))]
        distinct = set(map(_text, values))
        if len(values) * 2 >= len(rows) and 1 < len(distinct) <= min(TAGS, len(rows) // 2):
            found.append(name)
    return found


def _tags(row: Row, columns: Sequence[str]) -> str:
    return json.dumps(list(_tags_of(row, columns)), ensure_ascii=False)


def _tags_of(row: Row, columns: Sequence[str]) -> Iterator[str]:
    for name in columns:
        if _is_tag(value := row.columns.get(name)):
            yield f"{name}: {_text(value)}"


def _is_tag(value: Json) -> bool:
    return isinstance(value, bool | int | str) and 0 < len(_text(value)) <= TAG_LENGTH


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
