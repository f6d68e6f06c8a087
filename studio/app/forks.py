"""From a step of an old run, with other values, to a new run."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.app.problems import refuse_errors
from studio.app.replays import Again, OldRun, run_again
from studio.errors import UsageError, ValueTypeError
from studio.flow.ports import Structure
from studio.flow.records import Json, Socket
from studio.ids import PortName, StepId, step_parts
from studio.runtime.edited_gate import edits_of
from studio.runtime.edits import held_type, read_edits
from studio.runtime.fork import Dependence, Root
from studio.runtime.gate import Phase
from studio.runtime.takeover import forked
from studio.sdk.registry import Registry
from studio.trace.events import Origin


@dataclass(frozen=True, slots=True)
class Setting:
    """One value that is to be another: `rounds.2/critic.prompt` and what to put there."""

    step: StepId
    port: PortName
    value: Json

    @staticmethod
    def read(text: str) -> "Setting":
        """Read `STEP.PORT=JSON`; raises `UsageError`."""
        place, equals, written = text.partition("=")
        step, dot, port = place.rpartition(".")
        if not equals or not dot:
            message = f"`--set {text}` is no `STEP.PORT=JSON`."
            raise UsageError(message, hint="Such as `critic.reply='\"No.\"'`.")
        try:
            value: Json = json.loads(written)
        except ValueError as error:
            message = f"What `--set {place}` puts there is not JSON: {error}."
            raise UsageError(message, hint="A text has quotes: `'\"Yes.\"'`.") from error
        return Setting(StepId(step), PortName(port), value)


def prepare_fork(
    old: OldRun,
    registry: Registry,
    step: str,
    settings: Sequence[Setting],
    *,
    environ: Mapping[str, str],
    is_live: bool = False,
    repeats: bool = False,
) -> Again:
    """Make ready a new run that starts at `step` of an old one (of the first setting, if it is empty).

    Raises `UsageError` for a step that the run does not have, and for a value that fits nowhere.
    """
    refuse_errors(old.flow, registry)
    inputs: dict[str, Json] = {}
    edits: dict[tuple[StepId, Phase], dict[str, Json]] = {}
    for one in settings:
        _require(old, one.step)
        if _is_flow_input(old, registry, one.step):
            inputs[one.step] = one.value
        else:
            edits.setdefault((one.step, _phase(old, registry, one)), {})[one.port] = one.value
    start = StepId(step) if step else settings[0].step
    _require(old, start)
    places = {start, *(one.step for one in settings)}
    roots = [
        Root(place, runs_again=(place, "before") in edits or (place, "after") not in edits)
        for place in places
    ]
    past = forked(old.entries, old.flow, registry, roots, is_live=is_live, repeats=repeats)
    dependence = Dependence(old.flow, registry)
    earlier = {
        place: values
        for place, values in edits_of(old.entries, old.flow).items()
        if not dependence.is_touched(place[0], roots)
    }
    origin = Origin(old.run, start)
    return run_again(old, registry, past, {**earlier, **edits}, environ=environ, origin=origin, inputs=inputs)


def _require(old: OldRun, step: StepId) -> None:
    is_there = any(entry.step == step for entry in old.entries) and not step_parts(step)[2]
    if not is_there or step_parts(step)[1] not in old.flow.nodes:
        message = f"The run `{old.run}` has no step `{step}`."
        raise UsageError(message, hint=f"`stepwire runs show {old.run}` lists its steps.")


def _is_flow_input(old: OldRun, registry: Registry, step: StepId) -> bool:
    signature = registry.signature(old.flow.nodes[step_parts(step)[1]])
    return signature is not None and signature.structure is Structure.FLOW_INPUT


def _phase(old: OldRun, registry: Registry, setting: Setting) -> Phase:
    """Tell an input from an output, and see whether the value fits there."""
    node = step_parts(setting.step)[1]
    phases: tuple[Phase, Phase] = ("before", "after")
    for phase in phases:
        if held_type(old.flow, registry, Socket(node, setting.port), phase) is None:
            continue
        try:
            read_edits(old.flow, registry, node, phase, {setting.port: setting.value})
        except ValueTypeError as error:
            message = f"The value for `{setting.step}.{setting.port}` does not fit: {error.message}"
            raise UsageError(message, hint=error.hint) from error
        return phase
    message = f"`{node}` has no `{setting.port}` that could be set."
    raise UsageError(message, hint="`stepwire nodes` tells the ports of each kind.")
