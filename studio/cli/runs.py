"""The runs of a project: list, show, compare, search, bundle, cancel and remove them."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.cli.bundle import bundle_run
from studio.cli.cancel import cancel_run
from studio.cli.compare import compare_runs
from studio.cli.prune import prune_runs
from studio.cli.questions import list_questions, plain_question, print_questions
from studio.cli.search import search_runs
from studio.cli.stored_runs import RUN_HELP, find_run, store_of
from studio.errors import UsageError
from studio.flow.plain_text import excerpt
from studio.terminal.memory_lines import memory_lines, plain_memories
from studio.terminal.output import print_json, write_line
from studio.terminal.part_lines import growth_lines, plain_parts
from studio.terminal.trace import ending, made_up_words, summary_line
from studio.trace.events.calls import MADE_UP_LABEL
from studio.trace.figures import cost, duration, size
from studio.trace.fold.chat_use import cached_words
from studio.trace.fold.idle import status_word
from studio.trace.fold.state import RunState

if TYPE_CHECKING:
    from studio.store.reader import RunStore
    from studio.store.retention import Keeping
    from studio.store.summary import RunSummary
    from studio.trace.fold.chat_use import ChatUse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire runs`."""
    commands = parser.add_subparsers(
        metavar="list|waiting|show|compare|search|keep|bundle|import|cancel|prune", required=True
    )
    listing = commands.add_parser("list", help="every run, latest first")
    waiting = commands.add_parser("waiting", help="what is waiting for a person, and how to answer it")
    showing = commands.add_parser("show", help="one run: its steps, outputs and error")
    showing.add_argument("run", metavar="RUN", help=RUN_HELP)
    comparing = commands.add_parser(
        "compare", help="the first difference between two runs; exits with 1 if there is one"
    )
    comparing.add_argument("runs", nargs=2, metavar="RUN", help=RUN_HELP)
    searching = commands.add_parser("search", help="search the messages of all finished runs")
    searching.add_argument(
        "words", nargs="+", metavar="WORDS", help='the words to find, all of them; "…" for a phrase'
    )
    searching.add_argument(
        "--limit", type=int, default=50, metavar="N", help="list at most so many matches (default: 50)"
    )
    keeping = commands.add_parser(
        "keep", help="save the made-up or typed answers of a run as scripted answers, with a profile"
    )
    keeping.add_argument("run", metavar="RUN", help=RUN_HELP)
    bundling = commands.add_parser("bundle", help="one run as a file to share, without keys")
    bundling.add_argument("run", metavar="RUN", help=RUN_HELP)
    bundling.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the file (default: named after the run)"
    )
    bundling.add_argument("--force", action="store_true", help="overwrite a file that is not a bundle")
    bundling.add_argument(
        "--hide",
        action="append",
        default=[],
        metavar="WORD",
        help="also remove this text; repeatable",
    )
    importing = commands.add_parser("import", help="import what a Python script recorded with --trace FILE")
    importing.add_argument(
        "trace", type=Path, metavar="FILE", help="the trace; runs that are already here stay"
    )
    importing.add_argument(
        "--flow",
        type=Path,
        metavar="FLOW",
        help="the flow that the script was exported from, if it is not found",
    )
    cancelling = commands.add_parser("cancel", help="stop a run of another terminal or a window")
    cancelling.add_argument("run", metavar="RUN", help=RUN_HELP)
    pruning = commands.add_parser("prune", help="remove the oldest finished runs")
    pruning.add_argument("--keep", type=int, metavar="N", help="how many runs to keep")
    pruning.add_argument("--max-mb", type=float, metavar="M", help="how many megabytes to keep")
    pruning.add_argument("--yes", action="store_true", help="remove them (default: only list them)")
    for command, action in (
        (listing, _list),
        (waiting, _waiting),
        (showing, _show),
        (comparing, _compare),
        (searching, _search),
        (keeping, _keep),
        (bundling, _bundle),
        (importing, _import),
        (cancelling, _cancel),
        (pruning, _prune),
    ):
        command.add_argument(
            "--project", type=Path, default=Path(), metavar="PATH", help="the project (default: this folder)"
        )
        command.add_argument("--json", action="store_true", help="print it as JSON")
        command.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
        command.set_defaults(action=action)


def execute(arguments: argparse.Namespace) -> int:
    """Do what was asked with the runs."""
    return arguments.action(arguments)


def _list(arguments: argparse.Namespace) -> int:
    from studio.store.family import as_tree

    store = store_of(arguments.project)
    found, sizes = store.runs(), store.sizes()
    if arguments.json:
        print_json([{**_plain(one), "bytes": sizes.get(one.run, 0)} for one in found])
        return 0
    for depth, one in as_tree(found):
        began = "" if one.started is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one.started))
        took = "" if one.worked is None else duration(one.worked)
        origin = f"  from {one.forked_from}" if one.forked_from else "  from a Python script" * one.is_script
        name = "  " * depth + one.run
        write_line(
            f"{name}  {status_word(one.status):<11}  {began:<19}  {took:>10}  {one.steps:>4} steps  "
            f"{one.tokens:>8,} tokens  {one.flow_name}{origin}{'  waiting for you' * bool(one.asked)}"
            f"{f'  {made_up_words(one.made_up)}' * bool(one.made_up)}"
        )
    if found:
        write_line(f"{len(found)} run{'s' * (len(found) > 1)}, {size(sum(sizes.values()))} on the disk.")
    else:
        write_line("There are no runs yet.")
    return 0


def _waiting(arguments: argparse.Namespace) -> int:
    return list_questions(store_of(arguments.project), arguments.project, as_json=arguments.json)


def _show(arguments: argparse.Namespace) -> int:
    from studio.past.open_runs import waiting_in

    store, run = find_run(arguments.project, arguments.run)
    state, waiting = store.load(run), waiting_in(store, [store.summary(run)])
    if arguments.json:
        children = [one.run for one in _children(store, state)]
        asked = [plain_question(one) for one in waiting]
        print_json({**_plain_state(state), "children": children, "waiting": asked})
    else:
        _print_state(state, _children(store, state))
        print_questions(waiting, arguments.project)
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    found = [find_run(arguments.project, one) for one in arguments.runs]
    return compare_runs(found, as_json=arguments.json)


def _bundle(arguments: argparse.Namespace) -> int:
    store, run = find_run(arguments.project, arguments.run)
    return bundle_run(
        store, run, arguments.output, arguments.hide, force=arguments.force, as_json=arguments.json
    )


def _keep(arguments: argparse.Namespace) -> int:
    from studio.app.reuse.kept_answers import keep_as_script
    from studio.past.replays import OldRun
    from studio.workspace.project import Project, flow_files

    store, run = find_run(arguments.project, arguments.run)
    old = OldRun.read_whole(store, run)
    home = old.project
    if not home.main_flow.is_file():  # a flow of its own, under a name of its own
        home = next(map(Project.open, flow_files(home.root)), home)
    project, name = keep_as_script(home, old.entries)
    script = project.profiles[name].script
    if arguments.json:
        print_json({"run": run, "script": script, "profile": name})
    else:
        write_line(f"{script}  answers with `--chat {name}`")
    return 0


def _children(store: "RunStore", state: RunState) -> "list[RunSummary]":
    from studio.store.family import children_of

    return children_of(state.run, store.runs())


def _search(arguments: argparse.Namespace) -> int:
    # The shell takes the quotes around what it hands over as one.
    words = " ".join(f'"{one}"' if " " in one and '"' not in one else one for one in arguments.words)
    return search_runs(store_of(arguments.project), words, max(arguments.limit, 1), as_json=arguments.json)


def _cancel(arguments: argparse.Namespace) -> int:
    return cancel_run(store_of(arguments.project), arguments.run, as_json=arguments.json)


def _prune(arguments: argparse.Namespace) -> int:
    from studio.store.retention import Keeping

    if (arguments.keep is not None and arguments.keep < 1) or (arguments.max_mb or 0) < 0:
        raise UsageError("So many runs cannot be kept.", hint="Pass numbers above 0.")
    store = store_of(arguments.project)
    keeping = Keeping(arguments.keep, arguments.max_mb)
    if not keeping.is_limited:
        keeping = _keeping_of(store)
    return prune_runs(store, keeping, is_meant=arguments.yes, as_json=arguments.json)


def _import(arguments: argparse.Namespace) -> int:
    from studio.app.scripts.script_entries import read_traces
    from studio.app.scripts.script_traces import open_trace
    from studio.workspace.catalog import builtin_registry
    from studio.workspace.project import Project

    registry, project = builtin_registry(), Project.open(arguments.project)
    found = [open_trace(one, project, registry, arguments.flow) for one in read_traces(arguments.trace)]
    if arguments.json:
        print_json([{"run": one.run, "broken_lines": one.broken} for one in found])
        return 0
    for one in found:
        write_line(f"{one.run}")
        if one.broken:
            write_line(f"  {one.broken} line{'s' * (one.broken > 1)} of the trace could not be read")
    return 0


def _keeping_of(store: "RunStore") -> "Keeping":
    """Give what the project of these runs says; nothing, for one that is a single flow."""
    from studio.store.retention import Keeping
    from studio.workspace.project import Project

    folder = store.root.parent
    return Project.open(folder).keeping if (folder / "project.json").is_file() else Keeping()


def _print_state(state: RunState, children: "Sequence[RunSummary]") -> None:
    write_line(f"{state.run}  {state.flow_name}: {ending(state)}")
    _print_origin(state)
    for one in children:
        write_line(f"  child    {one.run}  {status_word(one.status)}")
    for name, shown in state.inputs.items():
        write_line(f"  input    {name}: {excerpt(shown.data, 100)}")
    for step in state.steps.values():
        if not step.call:
            write_line(summary_line(state, step))
    for line in growth_lines(state):
        write_line(line)
    for name, use in state.uses.items():
        write_line(f"  chats    {name}: {_use_words(use)}")
    for name, shown in state.variables.known.items():
        write_line(f"  variable {name}: {excerpt(shown.data, 100)}")
    for line in memory_lines(state):
        write_line(line)
    for name, shown in state.outputs.items():
        mark = " (made up)" if MADE_UP_LABEL in shown.labels else ""
        write_line(f"  output   {name}{mark}: {excerpt(shown.data, 100)}")
    _print_error(state)


def _print_origin(state: RunState) -> None:
    if state.is_script:
        write_line("  from     a Python script")
    if state.forked_from is not None:
        place = f", forked at {state.forked_from.step}" if state.forked_from.step else ""
        write_line(f"  from     {state.forked_from.run}{place}")
        for line in state.forked_from.changes:
            write_line(f"  changed  {line}")


def _print_error(state: RunState) -> None:
    if state.error is not None:
        write_line(f"  error    {state.error.message}")
        if state.error.hint:
            write_line(f"  remedy   {state.error.hint}")


def _use_words(use: "ChatUse") -> str:
    answers = f"{use.answers} answer{'s' * (use.answers != 1)}"
    parts = [answers, f"{use.input:,} tokens in, {use.output:,} out"]
    if use.cached:
        parts.append(cached_words(use))
    if use.uncounted:
        parts.append(f"{use.uncounted} without a count of tokens")
    return " · ".join([*parts, cost(use.cost, use.unpriced)])


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
        "changes": one.changes.splitlines(),
        "is_script": one.is_script,
        "waiting": len(one.asked.split()),
        "made_up_answers": one.made_up,
    }


def _plain_use(profile: str, use: "ChatUse") -> dict[str, object]:
    return {
        "profile": profile,
        "answers": use.answers,
        "input_tokens": use.input,
        "output_tokens": use.output,
        "cached_tokens": use.cached,
        "cached_share": round(use.cached_share, 4),
        "cost": use.cost,
        "unpriced_tokens": use.unpriced,
        "uncounted_answers": use.uncounted,
    }


def _plain_state(state: RunState) -> dict[str, object]:
    return {
        "run": state.run,
        "flow_name": state.flow_name,
        "status": state.status.value,
        "profile": state.profile,
        "forked_from": state.forked_from,
        "is_script": state.is_script,
        "started": state.started,
        "ended": state.ended,
        "tokens": state.tokens,
        "cost": state.cost,
        "cached_tokens": state.cached,
        "unpriced_tokens": state.unpriced,
        "made_up_answers": state.made_up,
        "profiles": [_plain_use(name, use) for name, use in state.uses.items()],
        "inputs": state.inputs,
        "outputs": state.outputs,
        "variables": state.variables.known,
        "memories": plain_memories(state),
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
                **({"parts": plain_parts(step)} if step.parts else {}),
                **({"request": step.request} if step.request is not None else {}),
                **({"message": step.message} if step.message is not None else {}),
                **({"tool": step.tool, "arguments": step.arguments, "text": step.text} if step.tool else {}),
            }
            for step in state.steps.values()
        ],
    }
