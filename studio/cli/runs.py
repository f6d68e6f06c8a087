"""The runs of a project: list them, show one, or compare two."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.cli.compare import compare_runs
from studio.cli.printing import print_json, write_line
from studio.cli.trace import ending, summary_line
from studio.errors import ProjectError
from studio.flow.plain_text import excerpt
from studio.trace.figures import duration
from studio.trace.state import RunState

if TYPE_CHECKING:
    from studio.store.reader import RunStore
    from studio.store.summary import RunSummary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire runs`."""
    commands = parser.add_subparsers(metavar="list|show|compare", required=True)
    listing = commands.add_parser("list", help="every run, the latest first")
    showing = commands.add_parser("show", help="one run: its steps, outputs and error")
    showing.add_argument("run", metavar="RUN", help="an id, a unique prefix, or `latest`")
    comparing = commands.add_parser("compare", help="where two runs first differ; 1 where they do")
    comparing.add_argument("runs", nargs=2, metavar="RUN", help="an id, a unique prefix, or `latest`")
    for command, action in ((listing, _list), (showing, _show), (comparing, _compare)):
        command.add_argument(
            "--project", type=Path, default=Path(), metavar="PATH", help="default: this folder"
        )
        command.add_argument("--json", action="store_true", help="print it as JSON")
        command.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
        command.set_defaults(action=action)


def execute(arguments: argparse.Namespace) -> int:
    """List, show or compare."""
    return arguments.action(arguments)


def _list(arguments: argparse.Namespace) -> int:
    from studio.store.family import as_tree

    found = list(store_of(arguments.project).runs())
    if arguments.json:
        print_json([_plain(one) for one in found])
        return 0
    for depth, one in as_tree(found):
        began = "" if one.started is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one.started))
        took = "" if one.started is None or one.ended is None else duration(one.ended - one.started)
        origin = f"  from {one.forked_from}" if one.forked_from else ""
        name = "  " * depth + one.run
        write_line(
            f"{name}  {one.status.value:<11}  {began:<19}  {took:>10}  {one.steps:>4} steps  "
            f"{one.tokens:>8,} tokens  {one.flow_name}{origin}"
        )
    if not found:
        write_line("There are no runs yet.")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    store = store_of(arguments.project)
    state = store.load(store.find(arguments.run))
    if arguments.json:
        print_json({**_plain_state(state), "children": [one.run for one in _children(store, state)]})
    else:
        _print_state(state, _children(store, state))
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    return compare_runs(store_of(arguments.project), arguments.runs, as_json=arguments.json)


def _children(store: "RunStore", state: RunState) -> "list[RunSummary]":
    from studio.store.family import children_of

    return children_of(state.run, store.runs())


def _print_state(state: RunState, children: "Sequence[RunSummary]") -> None:
    write_line(f"{state.run}  {state.flow_name}: {ending(state)}")
    if state.forked_from is not None:
        place = f", forked at {state.forked_from.step}" if state.forked_from.step else ""
        write_line(f"  from     {state.forked_from.run}{place}")
    for one in children:
        write_line(f"  child    {one.run}  {one.status.value}")
    for name, shown in state.inputs.items():
        write_line(f"  input    {name}: {excerpt(shown.data, 100)}")
    for step in state.steps.values():
        if not step.call:
            write_line(summary_line(step))
    for name, shown in state.outputs.items():
        write_line(f"  output   {name}: {excerpt(shown.data, 100)}")
    if state.error is not None:
        write_line(f"  error    {state.error.message}")
        if state.error.hint:
            write_line(f"  remedy   {state.error.hint}")


def store_of(path: Path) -> "RunStore":
    """Give the store of the project that `path` is, belongs to, or stands in."""
    from studio.app.private_folder import private_folder
    from studio.app.project import Project
    from studio.store.reader import RunStore

    target = path.expanduser().resolve()
    for folder in (target, *target.parents):
        if (folder / "project.json").is_file() or private_folder(folder).is_dir():
            return RunStore(private_folder(folder))
    try:
        return RunStore(Project.open(target).private)
    except ProjectError as error:
        hint = "Name the project: `--project PATH`." if path == Path() else error.hint
        raise ProjectError(error.message, hint=hint) from error


def _plain(one: "RunSummary") -> dict[str, object]:
    return {
        "run": one.run,
        "flow_name": one.flow_name,
        "status": one.status.value,
        "started": one.started,
        "ended": one.ended,
        "steps": one.steps,
        "tokens": one.tokens,
        "cost": one.cost,
        "error": one.error,
        "forked_from": one.forked_from,
    }


def _plain_state(state: RunState) -> dict[str, object]:
    return {
        "run": state.run,
        "flow_name": state.flow_name,
        "status": state.status.value,
        "profile": state.profile,
        "forked_from": state.forked_from,
        "started": state.started,
        "ended": state.ended,
        "tokens": state.tokens,
        "cost": state.cost,
        "inputs": state.inputs,
        "outputs": state.outputs,
        "error": state.error,
        "steps": [
            {
                "step": step.id,
                "node": step.node,
                "scope": step.scope,
                "parent": step.parent,
                "status": step.status.value,
                "started": step.started,
                "ended": step.ended,
                "tokens": step.tokens,
                "cost": step.cost,
                "inputs": step.inputs,
                "outputs": step.outputs,
                "error": step.error,
                "edited": step.edited,
                **({"request": step.request} if step.request is not None else {}),
                **({"message": step.message} if step.message is not None else {}),
                **({"tool": step.tool, "arguments": step.arguments, "text": step.text} if step.tool else {}),
            }
            for step in state.steps.values()
        ],
    }
