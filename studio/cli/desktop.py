"""Add Stepwire to the menu of this desktop, with its file types, or remove it."""

import argparse
import os
import sys

from studio.terminal.output import print_json, say, write_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire desktop`."""
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument(
        "--install", action="store_true", help="add the menu entry, the icon and the file types"
    )
    wanted.add_argument("--uninstall", action="store_true", help="remove them")
    parser.add_argument("--json", action="store_true", help="print the files that changed as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Install or remove, and print each file that changed."""
    from studio.app.desktop_entry import install, program_path, refuse_other_systems, uninstall

    refuse_other_systems(sys.platform)
    outcome = install(os.environ, program_path(os.environ)) if arguments.install else uninstall(os.environ)
    if arguments.json:
        print_json({"changed": [str(one) for one in outcome.changed]})
        return 0
    for path in outcome.changed:
        write_line(f"{'Wrote' if arguments.install else 'Removed'} {path}")
    if not outcome.changed:
        write_line("Nothing to change: it is installed." if arguments.install else "Nothing to remove.")
    for tool in outcome.missing_tools:
        say(f"note: `{tool}` is not installed, so the desktop may notice only at the next login.")
    return 0
