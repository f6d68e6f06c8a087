"""What `replay` and `resume` share: which earlier run, from which project, and how its end is told."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from studio.cli.stored_runs import RUN_HELP, find_run
from studio.terminal.run_report import add_limits, run_and_report

if TYPE_CHECKING:
    from studio.flow.records import Json
    from studio.host.recorded_run import RunMaterials
    from studio.ids import StepId
    from studio.past.replays import OldRun
    from studio.store.reader import RunStore


def add_earlier_run(parser: argparse.ArgumentParser, *, may_follow: bool = False) -> None:
    """Declare the earlier run, what may be spent, and what is printed.

    The run `may_follow` an option that takes any number of words; then it is the last of these.
    """
    parser.add_argument("run", metavar="RUN", help=RUN_HELP, nargs="?" if may_follow else None)
    parser.add_argument(
        "--chat", default="", metavar="PROFILE", help="use another chat profile than the run did"
    )
    add_limits(parser)
    parser.add_argument(
        "--project",
        type=Path,
        default=Path(),
        metavar="PATH",
        help="the project of the run (default: this folder)",
    )
    parser.add_argument(
        "--events", action="store_true", help="print every entry as one JSON line as it happens"
    )
    parser.add_argument("--json", action="store_true", help="print the outputs as one JSON object")


def read_earlier_run(arguments: argparse.Namespace) -> "tuple[RunStore, OldRun]":
    """Read the run that is named, of a script as well; raises `UsageError` and `StoreError`."""
    from studio.past.replays import OldRun

    store, run = find_run(arguments.project, arguments.run)
    return store, OldRun.read_whole(store, run)


def go_on(
    arguments: argparse.Namespace,
    materials: "RunMaterials",
    answers: "Mapping[StepId, Json] | None" = None,
) -> int:
    """Run to the end; the trace goes to standard error, the outputs to standard output."""
    return run_and_report(
        materials,
        events=arguments.events,
        as_json=arguments.json,
        answers=answers,
        above=arguments.above,
    )
