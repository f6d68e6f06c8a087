"""Write a flow as a Python script that runs without the studio."""

import argparse
import shlex
from pathlib import Path

from studio.cli.printing import say, write_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire export`."""
    parser.add_argument("flow", metavar="FLOW", type=Path, help="a flow file, or a project folder")
    parser.add_argument("-o", "--output", metavar="FILE.py", type=Path, required=True, help="the script")


def execute(arguments: argparse.Namespace) -> int:
    """Write the script and print where it is."""
    from studio.app.catalog import builtin_registry
    from studio.app.exporting import export_flow, save_script
    from studio.app.problems import read_flow
    from studio.app.project import Project
    from studio.app.project_flows import project_registry
    from studio.app.unguarded import unguarded

    project = Project.open(arguments.flow)
    script = export_flow(project.main_flow, name=project.name_of(project.main_flow))
    save_script(arguments.output, script)
    write_line(str(arguments.output))
    for sentence in unguarded(
        read_flow(project.main_flow).flow, project_registry(project, builtin_registry())
    ):
        say(sentence)
    say(f"Run it with `python {shlex.quote(str(arguments.output))}`; `--help` lists its arguments.")
    return 0
