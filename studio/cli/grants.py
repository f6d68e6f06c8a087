"""Show what a flow would start or reach that needs your approval, and approve or withdraw it."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.terminal.output import print_json, write_line

if TYPE_CHECKING:
    from studio.workspace.grants import KeptGrants
    from studio.workspace.servers import NamedCommand, NamedReach

    Wanted = NamedCommand | NamedReach


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire grants`."""
    parser.add_argument("flow", metavar="FLOW", type=Path, help="a flow file or project folder")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--approve", action="store_true", help="approve everything shown, as it is now")
    choice.add_argument(
        "--revoke", action="store_true", help="withdraw approval: everything shown is asked about again"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Print what is wanted, that of flows that are called included; nothing is started."""
    from studio.flow.subflows.calls import reachable
    from studio.workspace.catalog import builtin_registry
    from studio.workspace.grants import KeptGrants
    from studio.workspace.problems import read_flow
    from studio.workspace.project import Project
    from studio.workspace.project_flows import project_registry
    from studio.workspace.servers import commands_in, reaches_in

    project = Project.open(arguments.flow)
    registry = project_registry(project, builtin_registry())
    flow = read_flow(project.main_flow).flow
    flows = (flow, *reachable(flow, registry).values())
    found: list[Wanted] = [one for each in flows for one in commands_in(each, registry, project.root)]
    found += [one for each in flows for one in reaches_in(each, registry, project.root)]
    grants = KeptGrants(os.environ)
    for one in found:
        if arguments.approve:
            grants.add(one.grants[0])
        elif arguments.revoke:
            for grant in one.grants:
                grants.remove(grant)
    if arguments.json:
        print_json([_described(one, grants) for one in found])
    else:
        _print(found, grants)
    return 0


def _described(one: "Wanted", grants: "KeptGrants") -> dict[str, object]:
    from studio.workspace.servers import NamedReach

    is_allowed = grants.has(one.grants[0])
    if isinstance(one, NamedReach):
        return {"node": one.node, "private": list(one.hosts), "allowed": is_allowed}
    return {
        "node": one.node,
        "command": list(one.server.command),
        "folder": one.server.folder,
        "variables": list(one.server.variables),
        "scripts": scripts_in(one),
        "allowed": is_allowed,
    }


def _print(found: "Sequence[Wanted]", grants: "KeptGrants") -> None:
    import shlex

    from studio.workspace.servers import NamedReach

    if not found:
        write_line("Nothing in this flow needs approval.")
    for one in found:
        write_line(f"{one.node}: {'allowed' if grants.has(one.grants[0]) else 'asks a person first'}")
        if isinstance(one, NamedReach):
            hosts = ", ".join(one.hosts)
            write_line(f"  reaches {hosts}, on this machine or in private networks as well")
            continue
        write_line(f"  {shlex.join(one.server.command)}\n  in {one.server.folder}")
        write_line(f"  environment variables: {', '.join(one.server.variables) or 'none'}")
        if scripts := scripts_in(one):
            write_line(f"  including the contents of: {', '.join(scripts)}")


def scripts_in(one: "NamedCommand") -> list[str]:
    """The files that a command names, whose contents are allowed with it."""
    from studio.servers.grants import ENVIRONMENT

    return [name for name in one.grants[0].seen if name != ENVIRONMENT]
