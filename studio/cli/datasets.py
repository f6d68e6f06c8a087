"""List the formats of datasets, check a file, and convert one into JSON lines.

A check says whether a file loads as a dataset, and what of its format is not covered.
"""

import argparse
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import UsageError
from studio.terminal.output import print_json, write_line

if TYPE_CHECKING:
    from studio.experiments.formats import Format
    from studio.experiments.readers import Columns


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire datasets`."""
    commands = parser.add_subparsers(metavar="list|check|convert", required=True)
    listing = commands.add_parser("list", help="list the formats, their sources, and what is not covered")
    listing.set_defaults(work=_list)
    checking = commands.add_parser("check", help="load a file and list its columns")
    checking.set_defaults(work=_check)
    converting = commands.add_parser("convert", help="write the rows of a file as JSON lines")
    converting.set_defaults(work=_convert)
    for one in (checking, converting):
        one.add_argument("file", metavar="FILE", type=Path, help="the dataset: a file or a folder")
        one.add_argument(
            "--as", dest="form", default="", metavar="FORMAT", help="its format (default: by its content)"
        )
    converting.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="file to write")
    for one in (listing, checking, converting):
        one.add_argument("--json", action="store_true", help="print it as JSON")
        one.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)


def execute(arguments: argparse.Namespace) -> int:
    """Do what is asked; 2 where a file does not load."""
    return arguments.work(arguments)


def _list(arguments: argparse.Namespace) -> int:
    from studio.experiments.formats import FORMATS

    if arguments.json:
        print_json([_told(one) for one in FORMATS.values()])
        return 0
    width = max(len(one) for one in FORMATS)
    for one in FORMATS.values():
        write_line(f"{one.name:{width}}  {one.summary}")
        for title, text in (("source", one.source), ("not covered", one.not_covered)):
            if text:
                write_line(f"{'':{width}}  {title}: {text}")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from studio.experiments.datasets import load_dataset
    from studio.experiments.experiment import DatasetUse

    path: Path = arguments.file.expanduser().resolve()
    form, is_guessed = _format(path, arguments.form)
    dataset = load_dataset(path.parent, DatasetUse.model_validate({"file": path.name, "as": form.name}))
    columns: dict[str, None] = {}
    for row in dataset.rows:
        columns.update(dict.fromkeys(row.columns))
    figures = [*form.figures([one.columns for one in dataset.rows])] if form.figures else []
    if arguments.json:
        told = {**_told(form), "guessed": is_guessed, "figures": figures}
        print_json(
            {
                "rows": len(dataset.rows),
                "digest": dataset.digest,
                "columns": [*columns],
                **told,
                "format": form.summary,
            }
        )
        return 0
    write_line(f"{len(dataset.rows)} rows ({dataset.digest}), read as {form.summary}")
    if is_guessed:
        write_line(f'guessed from its content; in an experiment, write `"as": "{form.name}"`')
    write_line(f"columns: {', '.join(columns)}")
    if form.scorers:
        write_line(f"scored by: {', '.join(form.scorers)} (where an experiment names no scorers)")
    for one in figures:
        write_line(one)
    if form.not_covered:
        write_line(f"not covered: {form.not_covered}")
    return 0


def _convert(arguments: argparse.Namespace) -> int:
    """Write row by row, so that the size of a file does not matter."""
    from studio.experiments.readers import Source

    path, target = arguments.file.expanduser().resolve(), arguments.output.expanduser()
    form, _ = _format(path, arguments.form)
    source = Source(path)
    rows: Iterator[Columns] = (one.columns for one in form.read(source))
    first = next(rows, None)
    source.refuse()
    count = 0
    try:
        with target.open("x", encoding="utf-8", newline="\n") as file:
            for row in chain([] if first is None else [first], rows):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
            source.refuse()
    except FileExistsError as error:
        raise UsageError(f"`{target}` is already there.", hint="Name another file.") from error
    except OSError as error:
        raise UsageError(f"`{target}` could not be written: {error.strerror or error}.") from error
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    if arguments.json:
        print_json({"rows": count, "format": form.name, "file": str(target)})
    else:
        write_line(f"{count} rows, read as {form.summary}, in {target}")
    return 0


def _format(path: Path, name: str) -> "tuple[Format, bool]":
    """Give the format that is named, or the one that the content looks like, and whether that was guessed."""
    from studio.experiments.formats import ENDINGS, format_of, guessed

    if not name:
        found = guessed(path)
        if found is not None and found.source:
            return found, True
    return format_of(path, name), not name and path.suffix.lower() not in ENDINGS


def _told(form: "Format") -> dict[str, object]:
    return {
        "name": form.name,
        "format": form.summary,
        "source": form.source,
        "not_covered": form.not_covered,
        "scorers": [*form.scorers],
    }
