"""Write a flow as a Python script that runs without Stepwire."""

import argparse
import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from studio.terminal.output import print_json, say, write_line

if TYPE_CHECKING:
    from studio.app.scripts.verification import Verified
    from studio.export.statements.parts import Script
    from studio.workspace.project import Project


NO_SANDBOX = (
    "The sandbox is not among what was written, so code of the flow will not run elsewhere. Run: "
    "stepwire sandbox --component resources/sandbox, and export again."
)
FEW = 3
"""How many libraries are named one by one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire export`."""
    parser.add_argument("flow", metavar="FLOW", type=Path, help="a flow file, or a project folder")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE.py",
        type=Path,
        required=True,
        help="the script; FILE.pyz with --pyz, a folder with --package",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--kit",
        action="store_true",
        help="write the script alone, to run where stepwire-kit is installed; without it, the modules that "
        "the script needs are written to a folder stepwire_kit beside it",
    )
    form.add_argument(
        "--pyz", action="store_true", help="write the script and the modules that it needs as one file"
    )
    form.add_argument(
        "--package",
        action="store_true",
        help="write a small package that can be installed, named after its folder",
    )
    parser.add_argument(
        "--wheel",
        metavar="FILE.whl",
        type=Path,
        help="with --kit: the wheel of stepwire-kit that the script's header names",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="overwrite an exported script that was edited, or a file of another kind",
    )
    parser.add_argument(
        "--verify",
        metavar="RUN",
        default="",
        help="execute the script against the recording of a run, offline, and report the first difference",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Write the script and print where it is; 1 where it does something else than the run to verify it by."""
    from studio.app.scripts.flow_export import export_package, other_memories, script_of
    from studio.app.scripts.package_files import package_name, save_package
    from studio.app.scripts.script_files import lacks_sandbox
    from studio.app.scripts.verification import refuse_incomparable, verify_script
    from studio.errors import UsageError
    from studio.export.forms.package import command_of
    from studio.past.replays import OldRun
    from studio.store.reader import RunStore
    from studio.workspace.catalog import builtin_registry
    from studio.workspace.problems import read_flow
    from studio.workspace.project import Project
    from studio.workspace.project_flows import project_registry

    if arguments.wheel is not None and not arguments.kit:
        raise UsageError("`--wheel` only goes with `--kit`.", hint="Add `--kit`, or leave out `--wheel`.")
    if arguments.pyz and arguments.verify:
        raise UsageError(
            "`--verify` plays a script, not a `.pyz` file.", hint="Verify the script without `--pyz`."
        )
    project = Project.open(arguments.flow)
    store = RunStore(project.private)
    run = store.find(arguments.verify) if arguments.verify else None
    old = OldRun.read_whole(store, run) if run is not None else None
    if old is not None:
        refuse_incomparable(old)
    source, name, output = project.main_flow, project.name_of(project.main_flow), arguments.output
    registry = project_registry(project, builtin_registry())
    read = [source, *([store.path(run)] if run is not None else [])]
    package = package_name(output) if arguments.package else ""
    if package:
        made, notes = export_package(source, package, name=name), ()
        save_package(output, made, force=arguments.force)
        text = str(made.files.get(f"{package}/script.py", ""))
        start = f"`uv run --project {shlex.quote(str(output))} {command_of(package)}`"
    else:
        script = script_of(source, name=name)
        notes = (*script.notes, *other_memories(script, registry, project))
        text, start = script.text, _save(arguments, script, project, read)
    flow = read_flow(source).flow
    verified = None
    if old is not None:
        verified = verify_script(output / package, old, flow, registry)
    _tell(arguments, verified)
    if not arguments.kit and lacks_sandbox(text):
        say(f"warning: {NO_SANDBOX}")
    for note in notes:
        say(note)
    say(f"Run it with {start}; `--help` lists its arguments.")
    return 0 if verified is None or verified.difference is None else 1


def _save(arguments: argparse.Namespace, script: "Script", project: "Project", read: Sequence[Path]) -> str:
    """Write a script in the form that is wanted; gives what starts it."""
    from studio.app.scripts.script_files import ScriptToSave, libraries_of

    output, libraries = arguments.output, libraries_of(project)
    saving = ScriptToSave(output, script.text, libraries, read, force=arguments.force)
    place = shlex.quote(str(output))
    if arguments.pyz:
        saving.save_archive()
        return f"`python {place}`"
    if arguments.kit:
        saving.save_alone(arguments.wheel)
        return f"`python {place}` where stepwire-kit is installed (`stepwire kit` writes it)"
    return _start(place, saving.save().requirements)


def _start(place: str, needed: Sequence[str]) -> str:
    """Say what starts a script, and what has to be installed for it."""
    names = [re.split("[<>=]", one)[0] for one in needed]
    if not names:
        return f"`python {place}`"
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    if len(names) > FEW:
        return f"`uv run {place}`, or with `python {place}` where the dependencies at its top are installed"
    return f"`uv run {place}`, or with `python {place}` where {listed} can be imported"


def _tell(arguments: argparse.Namespace, verified: "Verified | None") -> None:
    if arguments.json:
        told = (
            {}
            if verified is None
            else {"verified": {**asdict(verified), "same": verified.difference is None}}
        )
        print_json({"script": str(arguments.output), **told})
        return
    write_line(str(arguments.output))
    if verified is not None:
        write_line(verified.sentence)
        for note in verified.notes:
            write_line(note)
