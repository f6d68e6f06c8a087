"""One run of a script: the engine that its steps go through, and what it knows of its nodes."""

import asyncio
import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias, cast

from studio.errors import StepError
from studio.flow.ports import ANY
from studio.flow.records import Flow, Json, Node, RunSettings, Socket, Wire
from studio.flow.subflows.calls import GivenFlows
from studio.ids import NodeId, PortName, Scope, StepId, slug
from studio.runtime.failures import StepFailure, describe
from studio.runtime.plans.plan import Feed, Plan, PlannedInput, PlannedNode, PlannedRegion
from studio.runtime.plans.planner import make_plan
from studio.runtime.regions.subflow import CalledGate
from studio.runtime.run import Engine
from studio.runtime.services import Services
from studio.runtime.steps.bindings import Bindings
from studio.runtime.steps.flow_calls import Call
from studio.runtime.values import apart
from studio.script.no_value import Misfit
from studio.script.step_names import CallError, require_name
from studio.sdk.values import immediate_types, to_plain
from studio.trace.events import NodeMet, StepCancelled, StepFailed


@dataclass(frozen=True, slots=True)
class Lent:
    """What a node lends: opened by the first step that uses it, closed with the run."""

    name: NodeId
    kind: str
    settings: Mapping[str, Any]
    lent: Mapping[str, "Sequence[Lent]"] = field(default_factory=dict[str, "Sequence[Lent]"])
    """What is lent to it, by port."""


@dataclass(frozen=True, slots=True)
class Manner:
    """What is the same for all calls of a function; one that `passes_on` gives failures to its readers."""

    kind: str
    run: RunSettings
    passes_on: bool = False

    @classmethod
    def told(cls, kind: str, on_error: str, **run: Json) -> "Manner":
        """What `on` says of a function; raises as `RunSettings` for what does not fit."""
        passes_on = on_error == "pass_on"
        said = {**run, "on_error": "fail" if passes_on else on_error}
        return cls(kind, RunSettings.model_validate(said), passes_on)


class Taken(NamedTuple):
    """An input at which Python gives something; what is of a `passing` type is a value as it stands."""

    name: str
    planned: PlannedInput
    passing: frozenset[type]


@dataclass(frozen=True, slots=True)
class Planned:
    """A node as it is called somewhere, and what lends to it, directly or not."""

    node: PlannedNode
    settings: Mapping[str, Any]
    """As plain JSON."""
    given: tuple[str, ...]
    lent: Mapping[str, Sequence[Lent]]
    lenders: tuple[PlannedNode, ...]
    after: int = 0
    unlooked: PlannedNode | None = None
    """The same, where all that Python gives is of a passing type, and is not looked at when it arrives."""
    taken: tuple[Taken, ...] = ()
    single: str = ""
    """The output whose value the call gives; empty where it gives several, or an error among them."""

    def is_called_so(
        self,
        settings: Mapping[str, Any],
        given: tuple[str, ...],
        lent: Mapping[str, Sequence[Lent]],
        after: int,
    ) -> bool:
        """Whether a call has just these settings and lenders, and gives something at just these inputs."""
        return given == self.given and settings == self.settings and lent == self.lent and after == self.after


def after_port(number: int) -> PortName:
    """Name the place of one that a step comes after, among what it is given."""
    return PortName(f"after {number}")


NOTHING_LENT: Mapping[str, Sequence[Lent]] = {}

Latest: TypeAlias = dict[str, tuple[Manner, Planned]]

Plans: TypeAlias = dict[str, Planned]
"""By all that a plan follows from; they outlive the run, for the next of the same script."""


@dataclass(slots=True)
class Running:
    """What the steps of one run share."""

    engine: Engine
    plans: Plans = field(default_factory=dict[str, Planned])
    _latest: Latest = field(default_factory=dict[str, tuple[Manner, Planned]])
    """How a node was last called, by its place: the scope without its rounds and items, and the name."""
    opened: AsyncExitStack = field(default_factory=AsyncExitStack)
    """What is closed with the run."""
    _bindings: dict[str, tuple[Bindings, Latest]] = field(default_factory=dict[str, tuple[Bindings, Latest]])
    """What the functions that are called have lent, and how their steps were called last, by their names."""
    _called: "dict[tuple[str, bool], tuple[Services, Running]]" = field(
        default_factory=dict[tuple[str, bool], tuple[Services, "Running"]]
    )
    """The same for the functions that are called from here, by name, and by whether failures are caught."""
    _regions: dict[Hashable, PlannedRegion] = field(default_factory=dict[Hashable, PlannedRegion])
    _begun: set[StepId] = field(default_factory=set[StepId])
    _met: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """The settings of what stands at each place, as they were told last."""
    _failures: dict[int, tuple[BaseException, StepFailure]] = field(
        default_factory=dict[int, tuple[BaseException, StepFailure]]
    )

    def node(
        self,
        path: str,
        name: str,
        manner: Manner,
        settings: Mapping[str, Any],
        given: tuple[str, ...],
        lent: Mapping[str, Sequence[Lent]] = NOTHING_LENT,
        after: int = 0,
        flows: Callable[[], GivenFlows] | None = None,
    ) -> Planned:
        """Plan a node by how it is called, and record what stands there, as often as that changes.

        Raises `StepError` for inputs that it does not have. It comes `after` so many others. `flows` has what
        a call calls.
        """
        place = path + name
        latest = self._latest.get(place)
        if latest is not None:
            how, known = latest
            if (how is manner or how == manner) and known.is_called_so(settings, given, lent, after):
                return known
        plain = {setting: to_plain(value) for setting, value in settings.items()}
        told = {port: [repr(one) for one in lenders] for port, lenders in lent.items()}
        run = manner.run.model_dump(mode="json")
        how = [name, manner.kind, plain, given, told, run, after, manner.passes_on]
        key = json.dumps(how, sort_keys=True)
        known = self.plans.get(key)
        if known is None:
            planned = self._plan(name, manner, plain, given, lent, flows)
            known = self.plans[key] = _arranged(planned, after, passes_on=manner.passes_on)
        for lender in known.lenders:
            self.engine.bindings.add(lender)
        self._latest[place] = manner, known
        self.meet(place, manner.kind, settings if flows is None else {})
        return known

    def begin(self, step: StepId) -> None:
        """Note that a step begins; raises `StepError` for a second one of its name."""
        if step in self._begun:
            raise StepError(
                f"Two steps are called `{step}`.",
                hint="Give each call a name of its own, or put them into `rounds`, `each` or `call`.",
            )
        self._begun.add(step)

    def meet(self, place: str, kind: str, settings: Mapping[str, Any]) -> None:
        """Record what node type stands at a place, with its settings, as often as these change."""
        told = {setting: to_plain(value) for setting, value in settings.items()}
        if place not in self._met or self._met[place] != told:
            self._met[place] = told
            self.engine.services.recorder.record(NodeMet(place, kind, told))

    def region(
        self, key: Hashable, flow: Callable[[], tuple[Mapping[NodeId, Node], Sequence[Wire]]]
    ) -> PlannedRegion:
        """Plan a loop or map, with what belongs to it, once for each `key`."""
        known = self._regions.get(key)
        if known is None:
            nodes, wires = flow()
            plan = make_plan(Flow(nodes=dict(nodes), wires=tuple(wires)), self.engine.registry)
            known = next(one for one in plan.root.vertices if isinstance(one, PlannedRegion))
            self._regions[key] = known
        return known

    def whole(self, document: Flow, *, passes_on: bool) -> Plan:
        """Plan a flow that is run where the script stands; what lends in it is lent by the script."""
        plan = make_plan(document, self.engine.registry, passes_on=passes_on)
        for lender in plan.bindings.values():
            self.engine.bindings.add(self._known(lender))
        return plan

    async def inside(self, call: Call) -> "Running":
        """The same for the steps of a function that is called; it lends to them what they use."""
        how = call.flow, call.is_caught
        called = self._called.get(how)
        if called is not None and called[0] is call.services:
            return called[1]
        engine = self.engine
        gate = CalledGate(engine.gate, call.flow, is_caught=call.is_caught)
        services = replace(call.services, gate=gate)
        known = self._bindings.get(call.flow)
        if known is None:
            bindings = Bindings({}, services, engine.lend, Scope(slug(call.flow)))
            known = self._bindings[call.flow] = bindings, {}
            await self.opened.enter_async_context(bindings)
        bindings, latest = known
        steps = engine.steps.called(services, gate, bindings)
        inner = replace(engine, steps=steps, bindings=bindings, services=services, gate=gate)
        running = replace(self, engine=inner, _latest=latest, _called={})
        self._called[how] = call.services, running
        return running

    def _plan(
        self,
        name: str,
        manner: Manner,
        settings: Mapping[str, Any],
        given: tuple[str, ...],
        lent: Mapping[str, Sequence[Lent]],
        flows: Callable[[], GivenFlows] | None,
    ) -> Planned:
        nodes = {NodeId(name): Node(kind=manner.kind, settings=settings, run=manner.run)}
        wires: list[Wire] = []
        self._add_lenders(NodeId(name), lent, nodes, wires)
        registry = self.engine.registry if flows is None else self.engine.registry.with_flows(flows())
        plan = make_plan(Flow(nodes=nodes, wires=tuple(wires)), registry)
        lenders = tuple(self._known(lender) for lender in plan.bindings.values())
        planned = next(one for one in plan.root.nodes() if one.id == name)
        known = [str(one.port.name) for one in planned.inputs]
        unknown = [one for one in given if one not in known]
        if unknown:
            raise CallError(
                name,
                f"{{}} has no input `{unknown[0]}` with these settings.",
                hint=f"Its inputs are: {', '.join(f'`{one}`' for one in known) or 'none'}.",
            )
        if manner.run.state != "muted":
            _refuse_missing(planned, given, lent)
        copied = cast("Mapping[str, Any]", apart(settings))
        return Planned(planned, copied, given, lent, lenders)

    def _known(self, lender: PlannedNode) -> PlannedNode:
        """The one plan of what lends by this name and these settings."""
        told = {setting: to_plain(value) for setting, value in lender.settings.items()}
        lent = {port: list(lenders) for port, lenders in lender.lenders.items()}
        key = json.dumps([lender.id, lender.type.kind, told, lent], sort_keys=True)
        return self.plans.setdefault(key, Planned(lender, told, (), {}, ())).node

    def _add_lenders(
        self,
        to: NodeId,
        lent: Mapping[str, Sequence[Lent]],
        nodes: dict[NodeId, Node],
        wires: list[Wire],
    ) -> None:
        for port, lenders in lent.items():
            for index, one in enumerate(lenders):
                require_name(one.name)
                settings = {setting: to_plain(value) for setting, value in one.settings.items()}
                record = Node(kind=one.kind, settings=settings)
                is_new = nodes.setdefault(one.name, record) is record
                gives = self.engine.registry.require(one.kind).outputs[0].name
                wires.append(Wire(Socket(one.name, gives), Socket(to, PortName(port)), index))
                if is_new:
                    self._add_lenders(one.name, one.lent, nodes, wires)

    def fail(self, failure: StepFailure) -> Exception:
        """Give the error of a step, as Python is to see it; where it came from is kept."""
        self._failures[id(failure.error)] = failure.error, failure
        return failure.error

    def failure(self, error: BaseException) -> StepFailure | None:
        """Which step an error came from; None for one that Python itself raised."""
        known = self._failures.get(id(error))
        return known[1] if known is not None and known[0] is error else None

    def told(self, error: BaseException) -> StepFailed | StepCancelled:
        """How a step ended around which an error went through, as the trace keeps it."""
        if isinstance(error, asyncio.CancelledError):
            return StepCancelled()
        failure = self.failure(error)
        if failure is not None:
            return replace(describe(failure.error), origin=failure.origin)
        return describe(error if isinstance(error, Exception) else StepError(str(error)))


def _refuse_missing(planned: PlannedNode, given: Sequence[str], lent: Mapping[str, Sequence[Lent]]) -> None:
    """Raise `StepError` for a needed input that the call says nothing of; `nothing` would be an answer."""
    of_type = [port for port in planned.type.inputs if port.type.is_binding and port.name not in lent]
    ports = [*(one.port for one in planned.inputs if one.literal is None), *of_type]
    missing = [str(port.name) for port in ports if port.required and port.name not in given]
    if missing:
        raise CallError(
            planned.id,
            f"{{}} needs its input `{missing[0]}`, and the call gives none.",
            hint=f"Pass `{missing[0]}=…`; `nothing` there skips the step.",
        )


def _arranged(known: Planned, after: int, *, passes_on: bool) -> Planned:
    """A node that reads what Python gives it, and what can be known of each call beforehand.

    What it is given stands in its frame where it is to leave its outputs.
    """
    planned, given = known.node, known.given
    inputs = tuple(_from_python(planned.id, one) if one.port.name in given else one for one in planned.inputs)
    comes_after = tuple(Feed(planned.id, after_port(number), 0, ANY) for number in range(after))
    node = replace(
        planned,
        inputs=inputs,
        after=comes_after,
        is_sheltered=passes_on,
        plain=None if after else planned.plain,
    )
    taken = tuple(
        Taken(str(one.port.name), one, _passing(one)) for one in node.inputs if one.port.name in given
    )
    direct = tuple(_as_it_stands(one) if one.port.name in given else one for one in inputs)
    is_single = len(node.outputs) == 1 and not node.type.returns_fields and node.run.on_error != "output"
    return replace(
        known,
        node=node,
        after=after,
        unlooked=replace(node, inputs=direct),
        taken=taken,
        single=next(iter(node.outputs)) if is_single else "",
    )


def _from_python(node: NodeId, planned: PlannedInput) -> PlannedInput:
    """An input at which stands what Python gives: it is looked at as what comes over an untyped wire."""
    feed = Feed(node, PortName(planned.port.name), 0, ANY.listed if planned.port.many else ANY)
    if planned.type.base in {"any", "T"}:
        return replace(planned, literal=None, feeds=(), direct=feed)
    return replace(planned, literal=None, feeds=(feed,), direct=None)


def _as_it_stands(planned: PlannedInput) -> PlannedInput:
    """The same, where what Python gives is known to fit."""
    return replace(planned, feeds=(), direct=planned.direct or planned.feeds[0])


def converting(node: PlannedNode, name: str, found: Misfit) -> PlannedNode:
    """A node that converts what it is given at an input when it begins, and then fails of it."""
    feed = Feed(node.id, PortName(name), 0, found.source)
    inputs = (
        replace(one, type=found.target, feeds=(feed,), direct=None) if one.port.name == name else one
        for one in node.inputs
    )
    return replace(node, inputs=tuple(inputs))


def _passing(planned: PlannedInput) -> frozenset[type]:
    """The types of which every value is one of this input, as it stands."""
    if planned.port.many:
        return frozenset()
    return immediate_types(planned.type) - (frozenset() if takes_null(planned) else {type(None)})


def takes_null(planned: PlannedInput) -> bool:
    """Whether None is a value there; elsewhere it says that none is given."""
    return planned.type.base in {"json", "any", "T"}
