"""Run a flow and print its outputs."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from studio.errors import UsageError
from studio.terminal.output import say
from studio.terminal.run_report import add_limits, given_limits, run_and_report
from studio.terminal.trust import add_trust

if TYPE_CHECKING:
    from studio.flow.records import Json
    from studio.host.recorded_run import RunMaterials
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
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="FAULT",
        help="let something go wrong on purpose, such as `fail critic`, `delay search: 2`, "
        "`corrupt critic#chat.answer rate=0.2` or `replace notes#memory: nothing`; repeatable",
    )
    add_limits(parser)
    parser.add_argument("--json", action="store_true", help="print the outputs as one JSON object")
    add_trust(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run to the end; the trace goes to standard error, the outputs to standard output."""
    from studio.runtime.gates.faults import fault_of
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
        faults=[fault_of(one) for one in arguments.fault],
    )
    say(f"run {materials.spec.run} of `{loaded.flow.name}`{_asking(materials)}")
    return run_and_report(materials, events=arguments.events, as_json=arguments.json, above=arguments.above)


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


def _asking(materials: "RunMaterials") -> str:
    profile = materials.spec.about.profile
    return f", chat profile `{profile}`" if profile else ""
