"""Where a fork of an old run starts: which of its steps are different, and what is put in their place.

What a fork does again, and the values put into it, stand in its first event (`Origin`). So a fork that died
goes on with its edits, and takes answers and side effects from its origin once more. `changes` says in a
sentence each what a person made different, for lists and comparisons.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from studio.errors import UsageError, ValueTypeError
from studio.flow.edits.divergence import changed_nodes, renamed_nodes, renamed_step
from studio.flow.records import Flow, Json
from studio.flow.subflows.calls import calls_of, changed_flows, node_at
from studio.ids import NodeId, StepId, own_scope, own_step, seen_from_outside, step_parts
from studio.past.call_forks import CallForks, is_call, owner_of
from studio.past.fork_wishes import Fork, Setting
from studio.past.replays import OldRun
from studio.runtime.gates.debug_gate import Phase
from studio.runtime.gates.value_edits import read_edits, settable, type_at
from studio.runtime.plans.pinned_plan import Pins, pins_of_run
from studio.runtime.replay.dependence import Dependence, Root
from studio.runtime.replay.past import Past
from studio.runtime.replay.takeover import forked
from studio.sdk.registry import Registry
from studio.trace.events import ChatRequested, EmbedRequested
from studio.workspace.inputs import input_fields
from studio.workspace.problems import refuse_errors
from studio.workspace.runs import bound

PROFILE = "profile"
"""The setting by which a node names its chat profile."""


@dataclass(frozen=True, slots=True)
class ForkStart:
    """What of an old run is different in a fork.

    `old` goes by the names that nodes have in `flow`. `step` is where a person started it, `placed` what is
    put at steps, `inputs` what the flow is given otherwise, `different` the steps that begin with something
    else (without `step`, where that is only done once more).
    """

    old: OldRun
    registry: Registry
    """Bound to `flows`."""
    flow: Flow
    flows: Mapping[str, Flow]
    pins: Pins
    step: StepId
    placed: Mapping[tuple[StepId, Phase], Mapping[str, Json]]
    inputs: Mapping[str, Json]
    changed: Mapping[NodeId, bool]
    repinned: frozenset[str]
    different: Sequence[Root]
    calls: CallForks

    def past(self, profile: str = "", *, is_live: bool = True, repeats: bool = False) -> Past:
        """What the fork takes over of the old run; `profile` is the chat profile that it asks, if another."""
        return forked(
            self.old.entries,
            self.flow,
            self.registry,
            self.calls.roots,
            is_live=is_live,
            repeats=repeats,
            is_asked_anew=self.asks_anew(profile),
            done=self.calls.done,
        )

    def asks_anew(self, profile: str) -> Callable[[StepId, ChatRequested | EmbedRequested], bool]:
        """Tell of a request whether the same words go to another language model now."""

        def is_asked_anew(step: StepId, asked: ChatRequested | EmbedRequested) -> bool:
            if asked.profile == "" and profile not in {"", self.old.started.profile}:
                return True
            scope, node, _, _ = step_parts(step)
            if own_scope(scope) != scope or node not in self.changed:  # called flows have nodes of their own
                return False
            earlier = self.old.flow.nodes.get(node)
            was = earlier.settings.get(PROFILE) if earlier is not None else None
            return was != self.flow.nodes[node].settings.get(PROFILE)

        return is_asked_anew


def find_start(old: OldRun, registry: Registry, fork: Fork) -> ForkStart:
    """Work out where a fork starts.

    Raises `UsageError` for a step that the run does not have, and for a value that fits nowhere.
    """
    flow = fork.flow or old.flow
    flows = old.flows if fork.flows is None else {**old.flows, **fork.flows}
    registry = bound(registry, flows)
    for one in (flow, *flows.values()):
        refuse_errors(one, registry)
    names = renamed_nodes(old.flow, flow)
    old = old.with_names(names)
    values = [replace(one, step=renamed_step(one.step, names)) for one in fork.values]
    inputs = {**_other_inputs(old, fork.inputs), **_set_inputs(flow, registry, values)}
    placed: dict[tuple[StepId, Phase], dict[str, Json]] = {}
    for one in values:
        if one.step not in inputs:
            _require(old, one.step, flow, registry)
            placed.setdefault((one.step, _phase(flow, registry, one)), {})[one.port] = one.value
    start = renamed_step(StepId(fork.step), names)
    if start:
        _require(old, start, flow, registry)
    pins = pins_of_run(flow, flows, registry, old.pins if fork.pins is None else fork.pins)
    repinned = frozenset(place for place in {*pins, *old.pins} if pins.get(place) != old.pins.get(place))
    changed = _changed(old, flow, flows, registry, repinned)
    different = [
        *(Root(step, (step, "before") in placed) for step, _ in placed if not is_call(step)),
        *(Root(StepId(name)) for name in inputs),
        *_changed_steps(old, changed),
    ]
    again = [Root(start)] if start and not is_call(start) and (start, "after") not in placed else []
    before_calls = [step for step, phase in placed if is_call(step) and phase == "before"]
    after_calls = [step for step, phase in placed if is_call(step) and phase == "after"]
    different_calls = [*before_calls, *after_calls]
    if is_call(start) and start not in after_calls:
        before_calls.append(start)
    dependence = Dependence(flow, registry)
    calls = CallForks(old.entries, before_calls, after_calls, [*different, *again], dependence)
    different += [Root(owner_of(call)) for call in different_calls]
    return ForkStart(
        old, registry, flow, flows, pins, start, placed, inputs, changed, repinned, different, calls
    )


def _changed(
    old: OldRun, flow: Flow, flows: Mapping[str, Flow], registry: Registry, repinned: frozenset[str]
) -> dict[NodeId, bool]:
    """The nodes that may do something else: edited, pinned otherwise, or calling edited flows."""
    changed = {
        **changed_nodes(old.flow, flow, registry),
        **dict.fromkeys(calls_of(flow, registry, changed_flows(old.flows, flows, registry)), True),
    }
    changed |= {NodeId(place): True for place in repinned if ":" not in place}
    repinned_flows = {place.rpartition(":")[0] for place in repinned} - {""}
    return changed | dict.fromkeys(calls_of(flow, registry, repinned_flows), True)


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
    message = f"`{setting.step}` has no `{setting.port}` that can be set."
    names = settable(flow, registry, setting.step)
    hint = (
        f"It has {', '.join(f'`{one}`' for one in names)}."
        if names
        else ("Set an input that leads to it or an output that follows.")
    )
    raise UsageError(message, hint=hint)
