"""Check whether a file loads as a dataset, and what of its format is not covered."""

import argparse
from pathlib import Path

from studio.terminal.printing import print_json, write_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire datasets`."""
    commands = parser.add_subparsers(metavar="check", required=True)
    checking = commands.add_parser("check", help="load a file and list its columns")
    checking.add_argument("file", metavar="FILE", type=Path, help="the dataset")
    checking.add_argument(
        "--as",
        dest="form",
        default="",
        metavar="FORMAT",
        help="its format (default: by the ending of its name)",
    )
    checking.add_argument("--json", action="store_true", help="print it as JSON")
    checking.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)


def execute(arguments: argparse.Namespace) -> int:
    """Load the file and print rows, columns and content hash; 2 where it does not load."""
    from studio.experiments.datasets import load_dataset
    from studio.experiments.experiment import DatasetUse
    from studio.experiments.formats import format_of

    path: Path = arguments.file.expanduser().resolve()
    form = format_of(path, arguments.form)
    use = DatasetUse.model_validate({"file": path.name, "as": arguments.form})
    dataset = load_dataset(path.parent, use)
    columns = list(dict.fromkeys(name for row in dataset.rows for name in row.columns))
    if arguments.json:
        print_json(
            {
                "rows": len(dataset.rows),
                "digest": dataset.digest,
                "columns": columns,
                "format": form.summary,
                "not_covered": form.not_covered,
            }
        )
        return 0
    write_line(f"{len(dataset.rows)} rows ({dataset.digest}), read as {form.summary}")
    write_line(f"columns: {', '.join(columns)}")
    if form.not_covered:
        write_line(f"not covered: {form.not_covered}")
    return 0
