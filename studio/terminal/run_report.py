"""A run from a command line: what it may spend, what is printed of it, its exit code.

What only a run needs is loaded with it: to declare arguments takes no time.
"""

import argparse
import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from studio.terminal.output import print_json, say, say_failure, write_line

if TYPE_CHECKING:
    from studio.flow.records import Json
    from studio.host.recorded_run import RunMaterials
    from studio.ids import StepId
    from studio.supervisor import Supervised
    from studio.trace.events import Entry
    from studio.trace.fold.state import RunState


Listen: TypeAlias = "Callable[[Sequence[Entry]], None]"
"""Told entries as they come."""


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
    from studio.runtime.limits.budget import LIMITS
    from studio.runtime.limits.slots import AT_ONCE

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
    listen: "Listen | None" = None,
    remedy: Callable[[str], str] = str,
) -> int:
    """Run to the end and print what came of it; gives the exit code.

    The process `above` hears of limits; `listen` is given entries as they come, on the thread that writes.
    `remedy` says a hint with the options that whoever called has.
    """
    from studio.terminal.signals import run_until_signal

    if above is not None:
        above.begin(materials.spec.run)
    running = _run(materials, above, listen, events=events, answers=answers or {})
    ended = run_until_signal(running, is_supervised=above is not None)
    if ended.result is None:
        say(f"interrupted; the run {materials.spec.run} is recorded as cancelled")
        say(f"  remedy: {remedy(f'`stepwire resume {materials.spec.run}` resumes it.')}")
        return ended.code
    return _report(ended.result, remedy, as_json=as_json, has_events=events)


async def _run(
    materials: "RunMaterials",
    above: "Supervised | None",
    listen: "Listen | None",
    *,
    events: bool,
    answers: "Mapping[StepId, Json]",
) -> "RunState":
    from studio.runtime.limits.budget import not_watched
    from studio.runtime.resources.people import GivenAnswers, NoPeople, People
    from studio.terminal.people import TerminalPeople, terminal
    from studio.terminal.runs import run_at_terminal
    from studio.terminal.screen import Screen, Watcher, prompt

    descriptor = terminal()
    screen = Screen()
    people: People = NoPeople(materials.spec.run)
    if descriptor is not None:
        people = TerminalPeople(prompt, descriptor, screen.held)
    people = GivenAnswers(answers, people)
    watcher = Watcher(asyncio.get_running_loop(), asyncio.current_task(), screen, events=events)

    def see(entries: "Sequence[Entry]", state: "RunState") -> None:
        if listen is not None:
            listen(entries)
        watcher.see(entries, state)

    try:
        due = above.due if above is not None else not_watched
        return await run_at_terminal(materials, see, people, os.environ, screen.tell, due)
    except asyncio.CancelledError:
        if watcher.lost is not None:
            raise watcher.lost from None
        raise


def _report(state: "RunState", remedy: Callable[[str], str], *, as_json: bool, has_events: bool) -> int:
    from studio.terminal.trace import ending

    if state.error is not None:
        say_failure(replace(state.error, hint=remedy(state.error.hint)))
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
    from studio.flow.plain_text import pretty

    if len(outputs) == 1:
        write_line(pretty(next(iter(outputs.values()))), exact=True)
        return
    for name, value in outputs.items():
        text = pretty(value)
        write_line(f"{name}:\n{text}\n" if "\n" in text else f"{name}: {text}", exact=True)
