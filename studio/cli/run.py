"""Run a flow and print its outputs."""

import argparse
import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from studio.cli.printing import print_json, say, say_failure, write_line
from studio.cli.screen import Screen, Watcher, prompt
from studio.cli.signals import run_until_signal
from studio.cli.trace import ending
from studio.errors import UsageError
from studio.flow.plain_text import pretty
from studio.trace.state import RunState

if TYPE_CHECKING:
    from studio.flow.records import Json
    from studio.host.recorded import RunMaterials
    from studio.ids import StepId
    from studio.supervisor import Supervised
    from studio.workspace.inputs import InputField


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire run`."""
    parser.add_argument("flow", metavar="FLOW", type=Path, help="a flow file, or a project folder")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an input: plain text, or JSON for any other type; repeatable",
    )
    parser.add_argument("--inputs", type=Path, metavar="FILE", help="a JSON object of inputs")
    parser.add_argument(
        "--chat",
        default="",
        metavar="PROFILE",
        help="the chat profile; made-up, and person (you answer), need no key",
    )
    parser.add_argument(
        "--priority",
        choices=("interactive", "batch"),
        default="interactive",
        help="batch: let the calls of other runs go first where a chat profile limits them",
    )
    parser.add_argument("--offline", action="store_true", help="forbid everything that needs a network")
    parser.add_argument(
        "--events", action="store_true", help="print every entry as one JSON line as it happens"
    )
    add_limits(parser)
    parser.add_argument("--json", action="store_true", help="print the outputs as one JSON object")


def execute(arguments: argparse.Namespace) -> int:
    """Run to the end; the trace goes to standard error, the outputs to standard output."""
    from studio.workspace.catalog import builtin_registry
    from studio.workspace.inputs import input_fields
    from studio.workspace.problems import read_flow
    from studio.workspace.project import Project
    from studio.workspace.project_flows import project_registry
    from studio.workspace.runs import prepare

    project = Project.open(arguments.flow)
    registry = project_registry(project, builtin_registry())
    loaded = read_flow(project.main_flow)
    for notice in loaded.notices:
        say(f"note: {notice}")
    inputs = read_inputs(arguments.input, arguments.inputs, input_fields(loaded.flow, registry))
    materials = prepare(
        project,
        loaded.flow,
        registry,
        environ=os.environ,
        inputs=inputs,
        profile=arguments.chat,
        offline=arguments.offline,
        limits=given_limits(arguments),
        priority=arguments.priority,
    )
    say(f"run {materials.spec.run} of `{loaded.flow.name}`{_asking(materials)}")
    return run_and_report(materials, events=arguments.events, as_json=arguments.json, above=arguments.above)


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Declare what a run may spend."""
    parser.add_argument("--limit-cost", type=float, metavar="N", help="stop at this cost, in US dollars")
    parser.add_argument(
        "--limit-tokens", type=float, metavar="N", help="stop at so many tokens, input and output"
    )
    parser.add_argument("--limit-seconds", type=float, metavar="N", help="stop after so many seconds")
    parser.add_argument("--limit-steps", type=float, metavar="N", help="stop after so many steps")
    parser.add_argument(
        "--limit-calls", type=float, metavar="N", help="stop after so many model and tool calls"
    )
    parser.add_argument("--at-once", type=int, metavar="N", help="run at most so many steps in parallel")


def given_limits(arguments: argparse.Namespace) -> dict[str, float]:
    """Give the limits that were named in a call."""
    from studio.runtime.budget import LIMITS
    from studio.runtime.turns import AT_ONCE

    named = {name: getattr(arguments, f"limit_{name}") for name in LIMITS if name != AT_ONCE}
    named[AT_ONCE] = arguments.at_once
    return {name: value for name, value in named.items() if value is not None}


def run_and_report(
    materials: "RunMaterials",
    *,
    events: bool,
    as_json: bool,
    answers: "Mapping[StepId, Json] | None" = None,
    above: "Supervised | None" = None,
) -> int:
    """Run to the end and print what came of it; gives the exit code. The process `above` hears of limits."""
    if above is not None:
        above.begin(materials.spec.run)
    running = _run(materials, above, events=events, answers=answers or {})
    ended = run_until_signal(running, is_supervised=above is not None)
    if ended.result is None:
        say(f"interrupted; the run {materials.spec.run} is recorded as cancelled")
        say(f"  remedy: `stepwire resume {materials.spec.run}` resumes it.")
        return ended.code
    return _report(ended.result, as_json=as_json, has_events=events)


def read_inputs(pairs: Sequence[str], file: Path | None, fields: "Sequence[InputField]") -> "dict[str, Json]":
    """Put together what `--inputs` and `--input` give, the latter winning; raises `UsageError`."""
    given = _read_file(file) if file is not None else {}
    by_name = {str(field.node): field for field in fields}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise UsageError(f"`--input {pair}` has no `=`.", hint="Write `--input NAME=VALUE`.")
        field = by_name.get(name)
        given[name] = text if field is None else field.read(text)
    return given


def _read_file(file: Path) -> "dict[str, Json]":
    try:
        found: object = json.loads(file.read_text("utf-8"), object_pairs_hook=_unique)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"The inputs in `{file}` could not be read: {reason.lower()}.") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The inputs in `{file}` are not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise UsageError(f"`{file}` is not a JSON object.", hint='Write {"NAME": VALUE, …}.')
    return cast("dict[str, Json]", found)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys occur once each; which of two values was meant is nobody's to guess."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for at, (name, _) in enumerate(pairs) if name in dict(pairs[:at]))
        reason = f"the key `{twice}` occurs twice"
        raise ValueError(reason)
    return found


async def _run(
    materials: "RunMaterials",
    above: "Supervised | None",
    *,
    events: bool,
    answers: "Mapping[StepId, Json]",
) -> RunState:
    from studio.app.terminal_runs import run_at_terminal
    from studio.cli.people import TerminalPeople, terminal
    from studio.runtime.budget import not_watched
    from studio.runtime.people import GivenAnswers, NoPeople, People

    descriptor = terminal()
    screen = Screen()
    people: People = NoPeople(materials.spec.run)
    if descriptor is not None:
        people = TerminalPeople(prompt, descriptor, screen.held)
    people = GivenAnswers(answers, people)
    watcher = Watcher(asyncio.get_running_loop(), asyncio.current_task(), screen, events=events)
    try:
        due = above.due if above is not None else not_watched
        return await run_at_terminal(materials, watcher.see, people, os.environ, screen.tell, due)
    except asyncio.CancelledError:
        if watcher.lost is not None:
            raise watcher.lost from None
        raise


def _report(state: RunState, *, as_json: bool, has_events: bool) -> int:
    if state.error is not None:
        say_failure(state.error)
        say(ending(state))
        return state.error.exit_code
    outputs = {name: shown.data for name, shown in state.outputs.items()}
    say(ending(state))
    if as_json:
        if has_events:
            write_line(json.dumps(outputs, ensure_ascii=False), exact=True)
        else:
            print_json(outputs)
    elif not has_events:
        _print_outputs(outputs)
    return 0


def _print_outputs(outputs: Mapping[str, object]) -> None:
    """Print one output as it stands, several under their names."""
    if len(outputs) == 1:
        write_line(pretty(next(iter(outputs.values()))), exact=True)
        return
    for name, value in outputs.items():
        text = pretty(value)
        write_line(f"{name}:\n{text}\n" if "\n" in text else f"{name}: {text}", exact=True)


def _asking(materials: "RunMaterials") -> str:
    profile = materials.spec.about.profile
    return f", chat profile `{profile}`" if profile else ""
