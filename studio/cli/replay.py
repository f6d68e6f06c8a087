"""Execute a run again from its recording, or fork it at a step with other values."""

import argparse
import os
from pathlib import Path

from studio.cli.printing import say
from studio.cli.run import run_and_report
from studio.cli.runs import store_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire replay`."""
    parser.add_argument("run", metavar="RUN", help="an id, a unique prefix, or `latest`")
    parser.add_argument(
        "--from",
        dest="step",
        default="",
        metavar="STEP",
        help="fork: run again what depends on STEP",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="STEP.PORT=JSON",
        help="fork with another value at an input or output of a step; may be given often",
    )
    parser.add_argument(
        "--repeat-in-doubt",
        action="store_true",
        help="in a fork: do side effects once more",
    )
    parser.add_argument(
        "--live", action="store_true", help="ask what the recording does not answer, instead of stopping"
    )
    parser.add_argument(
        "--project", type=Path, default=Path(), metavar="PATH", help="where the run is; default: this folder"
    )
    parser.add_argument(
        "--events", action="store_true", help="print every entry as one JSON line as it happens"
    )
    parser.add_argument("--json", action="store_true", help="print the outputs as one JSON object")


def execute(arguments: argparse.Namespace) -> int:
    """Replay; the trace goes to standard error, the outputs to standard output."""
    from studio.app.catalog import builtin_registry
    from studio.app.forks import Setting, prepare_fork
    from studio.app.replays import OldRun, prepare_replay

    store = store_of(arguments.project)
    old = OldRun.read(store, store.find(arguments.run))
    settings = [Setting.read(text) for text in arguments.set]
    if arguments.step or settings:
        again = prepare_fork(
            old,
            builtin_registry(),
            arguments.step,
            settings,
            environ=os.environ,
            is_live=arguments.live,
            repeats=arguments.repeat_in_doubt,
        )
    else:
        again = prepare_replay(old, builtin_registry(), environ=os.environ, is_live=arguments.live)
    is_fork = bool(arguments.step or settings)
    say(f"run {again.materials.spec.run}, {'a fork' if is_fork else 'a replay'} of {old.run}")
    return run_and_report(
        again.materials, events=arguments.events, as_json=arguments.json, make_gate=again.make_gate
    )
