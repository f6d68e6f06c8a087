"""Go on with a run that ended too early: its process died, it failed, or it waits for somebody."""

import argparse
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.cli.going_back import add_earlier_run, go_on, read_earlier_run
from studio.cli.printing import say
from studio.cli.run import given_limits
from studio.errors import UsageError
from studio.ids import StepId

if TYPE_CHECKING:
    from studio.flow.records import Json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire resume`."""
    add_earlier_run(parser)
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


def execute(arguments: argparse.Namespace) -> int:
    """Go on to the end; the trace goes to standard error, the outputs to standard output."""
    from studio.app.catalog import builtin_registry
    from studio.app.replays import Terms
    from studio.app.resumption import prepare_resume, refuse_unknown_steps
    from studio.app.waiting import named_in_full, refuse_answers

    answers = read_answers(arguments.answer)
    store, old = read_earlier_run(arguments)
    terms = Terms(os.environ, True, arguments.repeat_in_doubt, arguments.chat, given_limits(arguments))
    registry = builtin_registry()
    refuse_unknown_steps(old, registry, answers)
    answers = named_in_full(old.entries, answers)
    refuse_answers(old.entries, answers)
    materials = prepare_resume(old, store, registry, terms)
    say(f"run {old.run} goes on")
    return go_on(arguments, materials, answers)


def read_answers(pairs: Sequence[str]) -> "dict[StepId, Json]":
    """Read what `--answer` gives; raises `UsageError`."""
    answers: dict[StepId, Json] = {}
    for pair in pairs:
        step, equals, written = pair.partition("=")
        if not equals:
            raise UsageError(f"`--answer {pair}` has no `=`.", hint="Write `--answer STEP=JSON`.")
        try:
            answers[StepId(step)] = json.loads(written)
        except ValueError as error:
            if written.lstrip().startswith("{"):
                hint = "Quote it for your shell, names and texts in double quotes."
                raise UsageError(f"The answer to `{step}` is not JSON: {error}.", hint=hint) from error
            answers[StepId(step)] = written  # a bare word is a text
    return answers
