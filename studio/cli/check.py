"""Check flows: list every problem with its node and remedy."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import FlowFileError, UsageError
from studio.terminal.output import print_json, write_line

if TYPE_CHECKING:
    from studio.sdk.registry import Registry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire check`."""
    parser.add_argument("flows", metavar="FLOW", nargs="+", type=Path, help="flow files or project folders")
    parser.add_argument("--json", action="store_true", help="print the problems as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Check every flow; 2 when any of them has an error."""
    from studio.workspace.catalog import builtin_registry

    registry = builtin_registry()
    found = {str(path): _problems(path, registry) for path in arguments.flows}
    if arguments.json:
        print_json(found)
    else:
        for path, problems in found.items():
            _print(path, problems)
    return 2 if any(one["severity"] == "error" for problems in found.values() for one in problems) else 0


def _problems(path: Path, registry: "Registry") -> list[dict[str, object]]:
    from studio.flow.checks.check import check
    from studio.flow.files.source import line_of_node
    from studio.workspace.problems import read_flow, remedy_of
    from studio.workspace.project import Project
    from studio.workspace.project_flows import project_registry

    try:
        project = Project.open(path)
        loaded = read_flow(project.main_flow)
    except FlowFileError as error:
        details: Sequence[str] = error.details or [""]
        return [_said("error", "unreadable", f"{error.message} {one}".strip(), error.hint) for one in details]
    except UsageError as error:
        return [_said("error", "unreadable", error.message, error.hint)]
    flow = loaded.flow
    text = project.main_flow.read_text("utf-8")
    registry = project_registry(project, registry)
    notices = [_said("warning", "notice", notice) for notice in loaded.notices]
    return notices + [
        {
            "severity": one.severity,
            "code": one.code,
            "node": one.node,
            "line": line_of_node(text, one.node) if one.node is not None else 0,
            "message": one.message,
            "wires": [str(wire) for wire in one.wires],
            "remedy": remedy_of(one, flow, registry),
        }
        for one in check(flow, registry)
    ]


def _said(severity: str, code: str, message: str, remedy: str = "") -> dict[str, object]:
    """A problem of the file rather than of a node in it."""
    return {
        "severity": severity,
        "code": code,
        "node": None,
        "line": 0,
        "message": message,
        "wires": [],
        "remedy": remedy,
    }


def _print(path: str, problems: Sequence[dict[str, object]]) -> None:
    if not problems:
        write_line(f"{path}: no problems")
        return
    write_line(f"{path}:")
    for one in problems:
        line = f"line {one['line']}: " if one["line"] else ""
        place = f"{line}`{one['node']}`: " if one["node"] is not None else ""
        write_line(f"  {one['severity']}: {place}{one['message']}")
        if one["remedy"]:
            write_line(f"    remedy: {one['remedy']}")
