"""Show what a project executes, reaches and writes, and approve or withdraw it."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import UntrustedError, UsageError
from studio.terminal.output import print_json, write_line
from studio.terminal.trust import lines_of, said_yes

if TYPE_CHECKING:
    from studio.workspace.project import Project
    from studio.workspace.trust import Executable, Trust


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire trust`."""
    parser.add_argument("project", metavar="PATH", type=Path, help="a project folder or a flow file")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--approve", action="store_true", help="approve everything shown, as it is now")
    choice.add_argument(
        "--hash", default="", metavar="HASH", help="approve everything shown if this is its hash; for CI"
    )
    choice.add_argument(
        "--revoke", action="store_true", help="withdraw approval, also of what was made on this computer"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Print what all flows of a project execute; 5 while some of it is not approved. Nothing is started."""
    from studio.workspace.catalog import builtin_registry
    from studio.workspace.project import Project
    from studio.workspace.project_flows import project_registry
    from studio.workspace.trust import Trust, executables_of, hash_of

    project = Project.open(arguments.project)
    found = executables_of(project, project_registry(project, builtin_registry()))
    trust = Trust(os.environ)
    if arguments.revoke:
        trust.revoke(project, found)
    elif arguments.hash and arguments.hash != hash_of(found):
        raise UsageError(
            f"The hash is `{hash_of(found)}`, not `{arguments.hash}`: what the project executes has changed.",
            hint="Look at it with `stepwire trust`, and pass the new hash if it is right.",
        )
    elif arguments.approve or arguments.hash:
        trust.approve(project, found)
    if arguments.json:
        print_json(_described(project, trust, found))
    else:
        _print(project, trust, found)
    left = trust.unapproved(project, found)
    if not left or arguments.revoke:
        return 0
    if not arguments.json and said_yes("Approve all of this, as it is now?"):
        trust.approve(project, found)
        return 0
    return UntrustedError.exit_code


def _described(project: "Project", trust: "Trust", found: "Sequence[Executable]") -> dict[str, object]:
    from studio.workspace.trust import hash_of

    left = trust.unapproved(project, found)
    return {
        "made_here": trust.is_made_here(project),
        "hash": hash_of(found),
        "parts": [
            {
                "where": one.where,
                "what": one.what,
                "accesses": list(one.accesses),
                "seen": dict(one.seen),
                "approved": one not in left,
            }
            for one in found
        ],
    }


def _print(project: "Project", trust: "Trust", found: "Sequence[Executable]") -> None:
    from studio.workspace.trust import UnapprovedError, hash_of

    if not found:
        write_line("It executes, reaches and writes nothing: it runs without approval.")
        return
    left = trust.unapproved(project, found)
    error = UnapprovedError(trust, project, left)
    for one in found:
        for line in lines_of(one, error.changes(one) if one in left else ""):
            write_line(line.removeprefix("  "))
    state = "approved"
    if left:
        state = f"{len(left)} of {len(found)} parts are not approved"
    elif trust.is_made_here(project):
        state = "made on this computer: it runs without approval"
    write_line(f"hash {hash_of(found)}: {state}")
