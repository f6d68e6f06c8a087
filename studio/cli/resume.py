"""Go on with a run that ended too early: its process died, it failed, or it waits for somebody."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.cli.printing import say
from studio.cli.run import add_limits, given_limits, run_and_report
from studio.cli.runs import store_of
from studio.errors import UsageError
from studio.ids import StepId

if TYPE_CHECKING:
    from studio.flow.records import Json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire resume`."""
    parser.add_argument("run", metavar="RUN", help="an id, a unique prefix, or `latest`")
    parser.add_argument(
        "--repeat-in-doubt",
        action="store_true",
        help="do again what changes something outside and may have happened",
    )
    parser.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="STEP=JSON",
        help="what a person answers to a step that asks; may be given often",
    )
    add_limits(parser)
    parser.add_argument(
        "--project", type=Path, default=Path(), metavar="PATH", help="where the run is; default: this folder"
    )
    parser.add_argument(
        "--events", action="store_true", help="print every entry as one JSON line as it happens"
    )
    parser.add_argument("--json", action="store_true", help="print the outputs as one JSON object")


def execute(arguments: argparse.Namespace) -> int:
    """Go on to the end; the trace goes to standard error, the outputs to standard output."""
    from studio.app.catalog import builtin_registry
    from studio.app.replays import OldRun
    from studio.app.resumption import prepare_resume

    answers = read_answers(arguments.answer)
    store = store_of(arguments.project)
    old = OldRun.read(store, store.find(arguments.run))
    again = prepare_resume(
        old,
        store,
        builtin_registry(),
        environ=os.environ,
        repeats=arguments.repeat_in_doubt,
        limits=given_limits(arguments),
    )
    say(f"run {old.run} goes on")
    return run_and_report(
        again.materials,
        events=arguments.events,
        as_json=arguments.json,
        make_gate=again.make_gate,
        answers=answers,
    )


def read_answers(pairs: Sequence[str]) -> "dict[StepId, Json]":
    """Read what `--answer` gives; raises `UsageError`."""
    answers: dict[StepId, Json] = {}
    for pair in pairs:
        step, equals, written = pair.partition("=")
        if not equals:
            raise UsageError(f"`--answer {pair}` has no `=`.", hint="Write `--answer STEP=JSON`.")
        try:
            answers[StepId(step)] = json.loads(written)
        except ValueError:
            answers[StepId(step)] = written  # a bare word is a text
    return answers
