"""A script as a command: its arguments from the function's signature, its run as `stepwire run` makes one."""

import argparse
import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import StepwireError
from studio.script.parameters import input_of
from studio.terminal.output import say, told

if TYPE_CHECKING:
    from argparse import _ArgumentGroup as Group  # pyright: ignore[reportPrivateUsage]

    from studio.flow.records import Json
    from studio.host.recorded_run import RunMaterials
    from studio.script.written_flow import WrittenFlow


def run_command(flow: "WrittenFlow", arguments: Sequence[str]) -> int:
    """Run a flow on what a command line gives; gives the exit code.

    0 where it finished, 1 where it failed, 2 for wrong arguments, 3 at a limit, 4 where a person is waited
    for, 130 where it was interrupted.
    """
    parser, options = _parser(flow)
    parsed = parser.parse_args(arguments)
    given_texts = {name: text for name in options if (text := getattr(parsed, f"input_{name}")) is not None}
    _refuse_idle(parser, parsed, list(given_texts))
    from studio.script.trace_file import TraceFile
    from studio.script.written_flow import registry
    from studio.terminal.run_report import run_and_report
    from studio.workspace.inputs import InputsMissingError, input_fields

    document = flow.document
    fields = {str(one.node): one for one in input_fields(document, registry())}
    try:
        given = {name: fields[name].read(text) for name, text in given_texts.items()}
        trace = TraceFile(parsed.trace) if parsed.trace is not None else None
        materials = _materials(flow, parsed, given)
        say(f"run {materials.spec.run} of `{document.name}`")
        listen = None if trace is None else trace.add
        code = run_and_report(
            materials, events=parsed.events, as_json=True, listen=listen, remedy=_own_remedy
        )
    except (StepwireError, KeyboardInterrupt, BrokenPipeError) as error:
        if isinstance(error, InputsMissingError):
            error.hint = f"Give it with `{options[error.first]} VALUE`, or set a default in the script."
        return told(error)
    if trace is not None and trace.trouble:
        say(trace.trouble)
    return code


def _materials(
    flow: "WrittenFlow", parsed: argparse.Namespace, given: "Mapping[str, Json]"
) -> "RunMaterials":
    from studio.kit import Tools
    from studio.script import execution
    from studio.terminal.run_report import given_limits

    tools = Tools(parsed.chat, given_limits(parsed), is_offline=parsed.offline)
    if not parsed.replay and not parsed.resume:
        return execution.new_run(flow, given, tools)
    store, old = execution.earlier(flow, parsed.replay or parsed.resume)
    terms = replace(execution.terms_of(tools), is_live=parsed.live, repeats=parsed.repeat_in_doubt)
    if parsed.resume:
        return execution.resume(flow, store, old, terms)
    if parsed.step:
        return execution.fork(flow, old, parsed.step, terms)
    return execution.replay(flow, old, terms)


def _refuse_idle(parser: argparse.ArgumentParser, parsed: argparse.Namespace, inputs: Sequence[str]) -> None:
    """End the command, with 2, at what would do nothing beside the other arguments."""
    if parsed.step and not parsed.replay:
        parser.error("--from STEP needs --replay RUN")
    if parsed.live and not parsed.replay:
        parser.error("--live needs --replay RUN; any other run calls the model")
    if parsed.repeat_in_doubt and not (parsed.step or parsed.resume):
        parser.error("--repeat-in-doubt needs --resume RUN, or --replay RUN with --from STEP")
    if inputs and (parsed.replay or parsed.resume):
        parser.error("an earlier run keeps its inputs: leave them out")


def _own_remedy(hint: str) -> str:
    """A remedy of the engine's with the options that a script has."""
    from studio.runtime.replay.past import GO_ON, REPEAT

    if hint == GO_ON:
        return "Pass `--live` to call it now."
    if hint == REPEAT:
        return "Check whether it has happened: `--repeat-in-doubt` repeats it, and all else in doubt."
    if (run := re.match(r"Answer with `stepwire resume (\S+) --answer ", hint)) is not None:
        return f"Pass `--resume {run[1]}` in a terminal, and answer there."
    return re.sub("^`stepwire resume ", "`--resume ", hint)


def _parser(flow: "WrittenFlow") -> tuple[argparse.ArgumentParser, Mapping[str, str]]:
    """What is to be read, and the option of each input."""
    from studio.terminal.run_report import add_limits

    summary = (flow.description or flow.title).replace("%", "%%")
    parser = argparse.ArgumentParser(description=summary)
    parser.add_argument(
        "--chat", default="", metavar="PROFILE", help="the chat profile; made-up and person need no key"
    )
    parser.add_argument("--offline", action="store_true", help="forbid everything that needs a network")
    parser.add_argument(
        "--events", action="store_true", help="print every entry as one JSON line as it happens"
    )
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="add every entry to a file that Stepwire opens as a run"
    )
    again = parser.add_mutually_exclusive_group()
    again.add_argument(
        "--replay", default="", metavar="RUN", help="execute an earlier run again, asking nobody"
    )
    parser.add_argument(
        "--from",
        dest="step",
        default="",
        metavar="STEP",
        help="with --replay: run STEP again, and everything that came later",
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="with --replay: call the model where the recording has no answer, instead of stopping",
    )
    parser.add_argument(
        "--repeat-in-doubt",
        action="store_true",
        help="with --resume or --from: repeat side effects that the earlier run began",
    )
    again.add_argument("--resume", default="", metavar="RUN", help="resume a run that ended too early")
    add_limits(parser)
    parameters = {str(input_of(name)): one for name, one in inspect.signature(flow.body).parameters.items()}
    group = parser.add_argument_group("inputs")
    options: dict[str, str] = {}
    for name, parameter in parameters.items():
        default = parameter.default
        has_default = default is not inspect.Parameter.empty
        told = f"default: {default}".replace("%", "%%") if has_default else "required"
        options[name] = _add_input(group, name, told)
    return parser, options


def _add_input(group: "Group", name: str, told: str) -> str:
    """Add an input by its name, or as `--input-NAME` where an option is called so; gives the option."""
    plain = name.replace("_", "-")
    for flag in (f"--{plain}", f"--input-{plain}"):
        try:
            group.add_argument(flag, dest=f"input_{name}", metavar="VALUE", help=told)
        except argparse.ArgumentError:
            continue
        return flag
    return ""
