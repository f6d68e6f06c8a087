"""Create a project that asks a model one question and runs at once."""

import argparse
import os
import shlex
from pathlib import Path

from studio.terminal.output import say, write_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire new`."""
    parser.add_argument("name", metavar="NAME", type=Path, help="the folder to create")


def execute(arguments: argparse.Namespace) -> int:
    """Make it, print where it is, and say what to do with it."""
    from studio.app.projects.new_project import create_project
    from studio.workspace.trust import Trust

    project = create_project(arguments.name)
    Trust(os.environ).note_made_here(project.root)
    write_line(str(project.root))
    name = shlex.quote(str(arguments.name))
    say(f'Run it with `stepwire run {name} --input question="…"`, or open it with `stepwire {name}`.')
    return 0
