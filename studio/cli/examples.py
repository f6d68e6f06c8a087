"""List the example projects that come with Stepwire."""

import argparse
import json
from pathlib import Path
from typing import cast

from studio import places
from studio.terminal.output import print_json, write_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire examples`."""
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Print each example's folder, with what its flow says of itself."""
    found = [_describe(folder) for folder in places.example_projects()]
    if arguments.json:
        print_json(found)
        return 0
    for one in found:
        write_line(f"{one['path']}\n    {one['name']}: {one['description']}")
    return 0


def _describe(folder: Path) -> dict[str, str]:
    document: object = json.loads((folder / "flow.json").read_text("utf-8"))
    flow = cast("dict[str, object]", document) if isinstance(document, dict) else {}
    return {
        "path": str(folder),
        "name": str(flow.get("name", folder.name)),
        "description": _joined(flow.get("description", "")),
    }


def _joined(text: object) -> str:
    if isinstance(text, dict):
        lines = cast("dict[str, object]", text).get("$lines", [])
        return " ".join(str(line) for line in cast("list[object]", lines))
    return str(text)
