"""Show which commands a flow would start for its servers of tools, and allow them or take that back."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.cli.printing import print_json, write_line

if TYPE_CHECKING:
    from studio.app.servers import KeptGrants, NamedCommand


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire grants`."""
    parser.add_argument("flow", metavar="FLOW", type=Path, help="a flow file or project folder")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--approve", action="store_true", help="let all that is shown start, as it is now")
    choice.add_argument("--revoke", action="store_true", help="have all that is shown asked about again")
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Print the commands, those of flows that are called included; nothing is started."""
    from studio.app.catalog import builtin_registry
    from studio.app.problems import read_flow
    from studio.app.project import Project
    from studio.app.project_flows import project_registry
    from studio.app.servers import KeptGrants, commands_in
    from studio.flow.calls import reachable

    project = Project.open(arguments.flow)
    registry = project_registry(project, builtin_registry())
    flow = read_flow(project.main_flow).flow
    flows = (flow, *reachable(flow, registry).values())
    found = [one for each in flows for one in commands_in(each, registry, project.root)]
    grants = KeptGrants(os.environ)
    for one in found:
        if arguments.approve:
            grants.add(one.server)
        elif arguments.revoke:
            grants.remove(one.server)
    if arguments.json:
        print_json([_described(one, grants) for one in found])
    else:
        _print(found, grants)
    return 0


def _described(one: "NamedCommand", grants: "KeptGrants") -> dict[str, object]:
    return {
        "node": one.node,
        "command": list(one.server.command),
        "folder": one.server.folder,
        "variables": list(one.server.variables),
        "allowed": grants.has(one.server),
    }


def _print(found: "Sequence[NamedCommand]", grants: "KeptGrants") -> None:
    import shlex

    if not found:
        write_line("The flow starts no command.")
    for one in found:
        state = "allowed" if grants.has(one.server) else "asks before it starts"
        write_line(f"{one.node}: {state}")
        write_line(f"  {shlex.join(one.server.command)}\n  in {one.server.folder}")
        write_line(f"  given of the environment: {', '.join(one.server.variables) or 'nothing'}")
