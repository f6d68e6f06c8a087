"""Resume a run that ended early: its process died, it failed, reached a limit, or waits for a person."""

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from studio.cli.earlier_run import add_earlier_run, go_on, read_earlier_run
from studio.cli.script_runs import add_approval, script_of
from studio.errors import UsageError
from studio.ids import StepId, own_step
from studio.terminal.output import say
from studio.terminal.run_report import given_limits
from studio.terminal.trust import add_trust

if TYPE_CHECKING:
    from studio.flow.records import Json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire resume`."""
    add_earlier_run(parser, may_follow=True)
    parser.add_argument(
        "--repeat-in-doubt",
        nargs="*",
        metavar="STEP",
        help="repeat side effects that may already have happened: of these steps, or of all",
    )
    parser.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="STEP=JSON",
        help="the answer to a step that asks a person; `happened` or `again` for a step in doubt; repeatable",
    )
    add_approval(parser)
    add_trust(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Go on to the end; the trace goes to standard error, the outputs to standard output."""
    from studio.past.doubts import doubts_of
    from studio.past.open_runs import named_in_full, refuse_answers
    from studio.past.replays import Terms
    from studio.past.resumption import prepare_resume, refuse_unknown_steps
    from studio.workspace.catalog import builtin_registry

    answers = read_answers(arguments.answer)
    again = arguments.repeat_in_doubt
    if arguments.run is None and not again:
        raise UsageError("No run to resume was named.", hint="Pass the RUN, or `latest`.")
    if arguments.run is None:
        arguments.run = again.pop()  # what follows that option may be steps, and the last of them is none
    store, old = read_earlier_run(arguments)
    registry = builtin_registry()
    is_script = old.started.source is not None
    if not is_script:  # which steps a script has, nobody knows before it has run
        refuse_unknown_steps(old, registry, answers)
    repeated, happened = decisions(again, answers, doubts_of(old, store, registry))
    limits = given_limits(arguments)
    terms = Terms(os.environ, True, again == [], arguments.chat, limits, repeated=repeated, happened=happened)
    answers = named_in_full(old.entries, answers)
    refuse_answers(old.entries, answers)
    if is_script:
        from studio.script import execution

        flow = script_of(old, is_approved=arguments.approve_script)
        materials = execution.resume(flow, store, old, replace(terms, is_trusted=True))  # as the script is
    else:
        materials = prepare_resume(old, store, registry, terms)
    say(f"resuming run {old.run}")
    return go_on(arguments, materials, answers)


def decisions(
    again: Sequence[str] | None, answers: "dict[StepId, Json]", doubts: Sequence[StepId]
) -> tuple[frozenset[StepId], frozenset[StepId]]:
    """Take of the answers those for steps in doubt; gives what is done again, and what counts as done.

    `again` are the steps after `--repeat-in-doubt`, none of them meaning all, which are then named. Raises
    `UsageError` for a step that is not in doubt.
    """
    from studio.past.open_runs import AGAIN, HAPPENED
    from studio.runtime.replay.past import listed

    known = {*doubts, *map(own_step, doubts)}
    said = {step: answers.pop(step) for step in list(answers) if step in known}
    said |= {StepId(step): AGAIN for step in again or ()}
    for step, answer in said.items():
        if step not in known:
            hint = f"In doubt: {listed(doubts)}." if doubts else "No step of this run is in doubt."
            raise UsageError(f"`{step}` is not in doubt.", hint=hint)
        if answer not in {AGAIN, HAPPENED}:
            hint = f"Answer `{step}={HAPPENED}` or `{step}={AGAIN}`."
            raise UsageError(f"`{step}` may have happened; this is not an answer to that.", hint=hint)
    if again == [] and doubts:
        say(f"repeating what may have happened: {listed(doubts)}")
    return (
        frozenset(step for step, answer in said.items() if answer == AGAIN),
        frozenset(step for step, answer in said.items() if answer == HAPPENED),
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
        except ValueError as error:
            if written.lstrip().startswith("{"):
                hint = "Quote it for your shell, with names and texts in double quotes."
                raise UsageError(f"The answer to `{step}` is not JSON: {error}.", hint=hint) from error
            answers[StepId(step)] = written  # a bare word is a text
    return answers
