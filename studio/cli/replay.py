"""Replay a run from its recording, or fork it with other values, settings or another flow."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from studio.cli.earlier_run import add_earlier_run, go_on, read_earlier_run
from studio.cli.script_runs import add_approval, refuse_changes, script_of
from studio.terminal.output import say
from studio.terminal.run_report import given_limits
from studio.terminal.trust import add_trust

if TYPE_CHECKING:
    from studio.past.replays import OldRun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire replay`."""
    add_earlier_run(parser)
    parser.add_argument(
        "--from",
        dest="step",
        default="",
        metavar="STEP",
        help="fork: run everything again that depends on STEP",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="STEP.PORT=JSON",
        help="fork: set an input or output of a step; repeatable",
    )
    parser.add_argument(
        "--setting",
        action="append",
        default=[],
        metavar="NODE.NAME=JSON",
        help="fork: change a setting of a node; repeatable",
    )
    parser.add_argument(
        "--flow",
        type=Path,
        metavar="FILE",
        help="fork: use an edited flow; everything its changes affect runs again",
    )
    parser.add_argument(
        "--repeat-in-doubt",
        action="store_true",
        help="in a fork: repeat side effects",
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="call the model where the recording has no answer, instead of stopping",
    )
    add_approval(parser)
    add_trust(parser)


def _execute_script(arguments: argparse.Namespace, old: "OldRun") -> int:
    """Execute the script of a run again, from its top; what came before `--from` answers from the record."""
    from studio.past.replays import Terms
    from studio.script import execution

    refuse_changes(old, ["--set"] * bool(arguments.set) + ["--setting"] * bool(arguments.setting))
    terms = Terms(
        os.environ,
        arguments.live,
        arguments.repeat_in_doubt,
        arguments.chat,
        given_limits(arguments),
        is_trusted=True,  # as the script is, which is asked about
    )
    flow = script_of(old, is_approved=arguments.approve_script)
    if arguments.step:
        materials = execution.fork(flow, old, arguments.step, terms)
    else:
        materials = execution.replay(flow, old, terms)
    say(f"run {materials.spec.run}, {'a fork' if arguments.step else 'a replay'} of {old.run}")
    return go_on(arguments, materials)


def execute(arguments: argparse.Namespace) -> int:
    """Replay or fork; the trace goes to standard error, the outputs to standard output."""
    _, old = read_earlier_run(arguments)
    if old.started.source is not None and arguments.flow is None:
        return _execute_script(arguments, old)
    from studio.app.reuse.fork_plan import plan_fork
    from studio.flow.subflows.calls import reachable
    from studio.past.fork_wishes import Fork, Setting, with_settings
    from studio.past.forks import prepare_fork
    from studio.past.replays import Terms, prepare_replay
    from studio.workspace.catalog import builtin_registry
    from studio.workspace.problems import read_flow
    from studio.workspace.project import Project
    from studio.workspace.project_flows import project_registry

    values = [Setting.read(text) for text in arguments.set]
    registry = builtin_registry()
    flow, flows = None, None
    if arguments.flow is not None:
        project = Project.open(arguments.flow)
        flow = read_flow(project.main_flow).flow
        flows = reachable(flow, project_registry(project, registry))
        if old.started.source is not None:  # whose steps are named as this flow's nodes are
            old = old.on(flow, flows)
    if arguments.setting:
        flow = with_settings(flow or old.flow, arguments.setting)
    terms = Terms(
        os.environ, arguments.live, arguments.repeat_in_doubt, arguments.chat, given_limits(arguments)
    )
    is_fork = bool(arguments.step or values or flow is not None)
    if is_fork:
        fork = Fork(arguments.step, values, flow, flows=flows)
        materials = prepare_fork(old, registry, fork, terms)
        say(plan_fork(old, registry, fork, terms.profile).words(is_live=arguments.live))
    else:
        materials = prepare_replay(old, registry, terms)
    say(f"run {materials.spec.run}, {'a fork' if is_fork else 'a replay'} of {old.run}")
    return go_on(arguments, materials)
