"""From an old run to a new one, with other values, settings, inputs or another flow from some step on."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.app.call_forks import CallForks, is_call, owner_of
from studio.app.inputs import check_inputs, input_fields
from studio.app.pins import pins_of_run
from studio.app.problems import refuse_errors
from studio.app.replays import OldRun, Terms, run_again
from studio.app.runs import bound
from studio.errors import UsageError, ValueTypeError
from studio.flow import edits
from studio.flow.calls import calls_of, changed_flows, node_at
from studio.flow.divergence import changed_nodes, renamed_nodes, renamed_step
from studio.flow.records import Flow, Json
from studio.host.recorded import RunMaterials
from studio.ids import NodeId, PortName, StepId, own_scope, own_step, seen_from_outside, step_parts
from studio.runtime.edited_gate import edits_of
from studio.runtime.edits import read_edits, settable, type_at
from studio.runtime.fork import Dependence, Root
from studio.runtime.gate import Phase
from studio.runtime.pins import Pins
from studio.runtime.takeover import forked
from studio.sdk.registry import Registry
from studio.trace.events import ChatRequested, EmbedRequested, Origin

PROFILE = "profile"
"""The setting by which a node names its chat profile."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One value that is to be another: `rounds.2/critic.prompt` and what to put there."""

    step: StepId
    port: PortName
    value: Json

    @staticmethod
    def read(text: str) -> "Setting":
        """Read `STEP.PORT=JSON`; raises `UsageError`."""
        step, port, value = _read(text, "--set", "STEP.PORT", "critic.reply='\"No.\"'")
        return Setting(StepId(step), PortName(port), value)


@dataclass(frozen=True, slots=True)
class Fork:
    """What is to be different in a fork.

    It starts at `step`, or where something is different first. `flow` is the edited flow, None for the one
    that ran; `inputs` are those of the flow that are to be others.
    """

    step: str = ""
    values: Sequence[Setting] = ()
    flow: Flow | None = None
    inputs: Mapping[str, Json] = field(default_factory=dict[str, Json])
    flows: Mapping[str, Flow] | None = None
    """The flows that it may call, by name; None for those of the run."""
    pins: Pins | None = None
    """What is given without being executed; None for what was in the run."""


def with_settings(flow: Flow, texts: Iterable[str]) -> Flow:
    """Give the flow with settings of nodes changed, each `NODE.NAME=JSON`; raises `UsageError`."""
    for text in texts:
        node, name, value = _read(text, "--setting", "NODE.NAME", "critic.instructions='\"Be kind.\"'")
        if NodeId(node) not in flow.nodes:
            hint = f"There are {', '.join(flow.nodes)}. Flows that are called are edited: `--flow`."
            raise UsageError(f"The flow has no node `{node}`.", hint=hint)
        flow = edits.set_setting(flow, NodeId(node), name, value).applied_to(flow)
    return flow


def prepare_fork(old: OldRun, registry: Registry, fork: Fork, terms: Terms) -> RunMaterials:
    """Make ready a new run that does again what depends on what is different, and takes the rest over.

    Raises `UsageError` for a step that the run does not have, and for a value that fits nowhere.
    """
    before, flow = old, fork.flow or old.flow
    flows = old.flows if fork.flows is None else {**old.flows, **fork.flows}
    registry = bound(registry, flows)
    for one in (flow, *flows.values()):
        refuse_errors(one, registry)
    names = renamed_nodes(old.flow, flow)
    old = old.with_names(names)
    values = [Setting(renamed_step(one.step, names), one.port, one.value) for one in fork.values]
    inputs = {**_other_inputs(old, fork.inputs), **_set_inputs(flow, registry, values)}
    placed: dict[tuple[StepId, Phase], dict[str, Json]] = {}
    for one in values:
        if one.step not in inputs:
            _require(old, one.step, flow, registry)
            placed.setdefault((one.step, _phase(flow, registry, one)), {})[one.port] = one.value
    start = renamed_step(StepId(fork.step), names)
    if start:
        _require(old, start, flow, registry)
    changed = {
        **changed_nodes(old.flow, flow, registry),
        **dict.fromkeys(calls_of(flow, registry, changed_flows(old.flows, flows, registry)), True),
    }
    pins = pins_of_run(flow, flows, registry, old.pins if fork.pins is None else fork.pins)
    repinned = {place for place in {*pins, *old.pins} if pins.get(place) != old.pins.get(place)}
    changed |= {NodeId(place): True for place in repinned if ":" not in place}
    repinned_flows = {place.rpartition(":")[0] for place in repinned} - {""}
    changed |= dict.fromkeys(calls_of(flow, registry, repinned_flows), True)
    others = [
        *(Root(step, (step, "before") in placed) for step, _ in placed if not is_call(step)),
        *(Root(StepId(name)) for name in inputs),
        *_changed_steps(old, changed),
        *([Root(start)] if start and not is_call(start) and (start, "after") not in placed else []),
    ]
    before_calls = [step for step, phase in placed if is_call(step) and phase == "before"]
    after_calls = [step for step, phase in placed if is_call(step) and phase == "after"]
    if is_call(start) and start not in after_calls:
        before_calls.append(start)
    forks = CallForks(old.entries, before_calls, after_calls, others, Dependence(flow, registry))
    roots = forks.roots

    def is_asked_anew(step: StepId, asked: ChatRequested | EmbedRequested) -> bool:
        """Whether the same words go to another language model now."""
        if asked.profile == "" and terms.profile not in {"", old.started.profile}:
            return True
        scope, node, _, _ = step_parts(step)
        if own_scope(scope) != scope or node not in changed:  # a called flow's nodes are not this flow's
            return False
        return old.flow.nodes[node].settings.get(PROFILE) != flow.nodes[node].settings.get(PROFILE)

    past = forked(
        old.entries,
        flow,
        registry,
        roots,
        is_live=terms.is_live,
        repeats=terms.repeats,
        is_asked_anew=is_asked_anew,
        done=forks.done,
    )
    earlier = {
        place: values
        for place, values in edits_of(old.entries, flow, registry).items()
        if forks.has_edit(*place)
    }
    known = {str(one.node) for one in input_fields(flow, registry)}
    kept = {name: value for name, value in old.inputs.items() if name in known}
    given = check_inputs(flow, registry, {**kept, **inputs})
    again = {str(root.step): root.runs_again for root in roots}
    origin = Origin(old.run, start or _first(old, roots), again)
    return run_again(
        before,
        registry,
        terms,
        past,
        {**earlier, **placed},
        origin,
        flow=flow,
        flows=flows,
        inputs=given,
        pins=pins,
    )


def _read(text: str, option: str, form: str, example: str) -> tuple[str, str, Json]:
    place, equals, written = text.partition("=")
    owner, dot, name = place.rpartition(".")
    if not equals or not dot:
        message = f"`{option} {text}` is no `{form}=JSON`."
        raise UsageError(message, hint=f"Such as `{example}`.")
    try:
        return owner, name, json.loads(written)
    except ValueError as error:
        message = f"What `{option} {place}` puts there is not JSON: {error}."
        raise UsageError(message, hint="A text has quotes: `'\"Yes.\"'`.") from error


def _other_inputs(old: OldRun, given: Mapping[str, Json]) -> dict[str, Json]:
    """Those of the given inputs that the old run did not have."""
    known = {name: one.data for name, one in old.started.inputs.items()}
    return {name: value for name, value in given.items() if name not in known or known[name] != value}


def _set_inputs(flow: Flow, registry: Registry, values: Sequence[Setting]) -> dict[str, Json]:
    names = {str(one.node) for one in input_fields(flow, registry)}
    return {one.step: one.value for one in values if one.step in names}


def _changed_steps(old: OldRun, changed: Mapping[NodeId, bool]) -> list[Root]:
    """The steps that changed nodes had."""
    steps = dict.fromkeys(own_step(entry.step) for entry in old.entries if entry.step)
    return [
        Root(step, changed[node])
        for step in steps
        if (node := step_parts(step)[1]) in changed and seen_from_outside(step) == step
    ]


def _first(old: OldRun, roots: Sequence[Root]) -> str:
    """The root that came first in the old run."""
    wanted = {root.step for root in roots}
    return next((entry.step for entry in old.entries if entry.step in wanted), "")


def _require(old: OldRun, step: StepId, flow: Flow, registry: Registry) -> None:
    scope, node, _, _ = step_parts(owner_of(step))
    is_there = any(entry.step == step for entry in old.entries)
    if not is_there or node_at(flow, registry, scope, node) is None:
        message = f"The run `{old.run}` has no step `{step}`."
        raise UsageError(message, hint=f"`stepwire runs show {old.run}` lists its steps.")


def _phase(flow: Flow, registry: Registry, setting: Setting) -> Phase:
    """Tell an input from an output, and see whether the value fits there."""
    phases: tuple[Phase, Phase] = ("before", "after")
    for phase in phases:
        if type_at(flow, registry, setting.step, setting.port, phase) is None:
            continue
        try:
            read_edits(flow, registry, setting.step, phase, {setting.port: setting.value})
        except ValueTypeError as error:
            message = f"The value for `{setting.step}.{setting.port}` does not fit: {error.message}"
            raise UsageError(message, hint=error.hint) from error
        return phase
    message = f"`{setting.step}` has no `{setting.port}` that could be set."
    names = settable(flow, registry, setting.step)
    hint = (
        f"It has {', '.join(f'`{one}`' for one in names)}." if names else "Set what leads to it or follows."
    )
    raise UsageError(message, hint=hint)
