"""One run of a script: the engine that its steps go through, and what it knows of its nodes."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from studio.errors import StepError
from studio.flow.calls import GivenFlows
from studio.flow.ports import ANY
from studio.flow.records import Flow, Node, RunSettings, Socket, Wire
from studio.ids import NodeId, PortName, Scope, StepId, slug
from studio.runtime.bindings import Bindings
from studio.runtime.calling import Call
from studio.runtime.failures import StepFailure, describe
from studio.runtime.plan import Feed, Plan, PlannedInput, PlannedNode, PlannedRegion
from studio.runtime.planning import make_plan
from studio.runtime.run import Engine
from studio.runtime.subflow import CalledGate
from studio.runtime.values import apart
from studio.script.place import require_name
from studio.sdk.values import to_plain
from studio.trace.events import NodeMet, StepFailed

GIVEN = NodeId("given")
"""Where in a frame stand the values that Python gives to a step."""


@dataclass(frozen=True, slots=True)
class Lent:
    """What a node lends: opened by the first step that uses it, closed with the run."""

    name: NodeId
    kind: str
    settings: Mapping[str, Any]
    lent: Mapping[str, "tuple[Lent, ...]"] = field(default_factory=dict[str, "tuple[Lent, ...]"])
    """What is lent to it, by port."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A node as it is called somewhere, and what lends to it, directly or not."""

    node: PlannedNode
    settings: Mapping[str, Any]
    """As plain JSON."""
    given: tuple[str, ...]
    lent: Mapping[str, Sequence[Lent]]
    lenders: tuple[PlannedNode, ...]

    def is_called_so(
        self, settings: Mapping[str, Any], given: tuple[str, ...], lent: Mapping[str, Sequence[Lent]]
    ) -> bool:
        """Whether a call has just these settings and lenders, and gives something at just these inputs."""
        return given == self.given and settings == self.settings and lent == self.lent


def after_port(number: int) -> PortName:
    """Name the place in a frame of one that a step comes after."""
    return PortName(f"after {number}")


Plans: TypeAlias = dict[str, Planned]
"""By all that a plan follows from; they outlive the run, for the next of the same script."""


@dataclass(slots=True)
class Running:
    """What the steps of one run share."""

    engine: Engine
    plans: Plans = field(default_factory=dict[str, Planned])
    _latest: dict[tuple[str, str, int, int, bool], Planned] = field(
        default_factory=dict[tuple[str, str, int, int, bool], Planned]
    )
    """How a node was last called, by its name, its kind and what its run is told."""
    opened: AsyncExitStack = field(default_factory=AsyncExitStack)
    """What is closed with the run."""
    _bindings: dict[str, Bindings] = field(default_factory=dict[str, Bindings])
    """What the functions that are called have lent to their steps, by their names."""
    _regions: dict[str, PlannedRegion] = field(default_factory=dict[str, PlannedRegion])
    _begun: set[StepId] = field(default_factory=set[StepId])
    _met: set[str] = field(default_factory=set[str])
    _failures: dict[int, tuple[BaseException, StepFailure]] = field(
        default_factory=dict[int, tuple[BaseException, StepFailure]]
    )

    def node(
        self,
        name: str,
        kind: str,
        settings: Mapping[str, Any],
        given: tuple[str, ...],
        lent: Mapping[str, Sequence[Lent]],
        run: RunSettings,
        after: int = 0,
        passes_on: bool = False,  # noqa: FBT001, FBT002  # on the way of every step
        flows: Callable[[], GivenFlows] | None = None,
    ) -> PlannedNode:
        """Plan a node by how it is called; raises `StepError` for inputs that it does not have.

        It comes `after` so many others; one that `passes_on` gives its failure to those that read it. `flows`
        has what a call calls.
        """
        place = (name, kind, id(run), after, passes_on)
        latest = self._latest.get(place)
        if latest is not None and latest.is_called_so(settings, given, lent):
            return latest.node
        plain = {setting: to_plain(value) for setting, value in settings.items()}
        told = {port: [repr(one) for one in lenders] for port, lenders in lent.items()}
        how = [name, kind, plain, given, told, run.model_dump(mode="json"), after, passes_on]
        key = json.dumps(how, sort_keys=True)
        known = self.plans.get(key)
        if known is None:
            known = self._plan(name, kind, plain, given, lent, run, flows)
            comes_after = tuple(Feed(GIVEN, after_port(number), 0, ANY) for number in range(after))
            node = replace(known.node, after=comes_after, is_sheltered=passes_on)
            known = replace(known, node=replace(node, plain=None) if after else node)
            self.plans[key] = known
        for lender in known.lenders:
            self.engine.bindings.add(lender)
        self._latest[place] = known
        return known.node

    def begin(self, step: StepId) -> None:
        """Note that a step begins; raises `StepError` for a second one of its name."""
        if step in self._begun:
            raise StepError(
                f"Two steps are called `{step}`.",
                hint="Give each call a name of its own, or put them into `rounds`, `each` or `call`.",
            )
        self._begun.add(step)

    def meet(self, place: str, kind: str, settings: Mapping[str, Any]) -> None:
        """Record what node type stands at a place, the first time that one does."""
        if place not in self._met:
            self._met.add(place)
            told = {setting: to_plain(value) for setting, value in settings.items()}
            self.engine.services.recorder.record(NodeMet(place, kind, told))

    def region(
        self, key: str, flow: Callable[[], tuple[Mapping[NodeId, Node], Sequence[Wire]]]
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
        engine = self.engine
        services = call.services
        gate = CalledGate(engine.gate, call.flow, is_caught=call.is_caught)
        services = replace(services, gate=gate)
        bindings = self._bindings.get(call.flow)
        if bindings is None:
            bindings = Bindings({}, services, engine.lend, Scope(slug(call.flow)))
            self._bindings[call.flow] = bindings
            await self.opened.enter_async_context(bindings)
        steps = engine.steps.called(services, gate, bindings)
        inner = replace(engine, steps=steps, bindings=bindings, services=services, gate=gate)
        return replace(self, engine=inner)

    def _plan(
        self,
        name: str,
        kind: str,
        settings: Mapping[str, Any],
        given: tuple[str, ...],
        lent: Mapping[str, Sequence[Lent]],
        run: RunSettings,
        flows: Callable[[], GivenFlows] | None,
    ) -> Planned:
        nodes = {NodeId(name): Node(kind=kind, settings=settings, run=run)}
        wires: list[Wire] = []
        self._add_lenders(NodeId(name), lent, nodes, wires)
        registry = self.engine.registry if flows is None else self.engine.registry.with_flows(flows())
        plan = make_plan(Flow(nodes=nodes, wires=tuple(wires)), registry)
        lenders = tuple(self._known(lender) for lender in plan.bindings.values())
        planned = next(one for one in plan.root.nodes() if one.id == name)
        known = [str(one.port.name) for one in planned.inputs]
        unknown = [one for one in given if one not in known]
        if unknown:
            raise StepError(
                f"`{name}` has no input `{unknown[0]}` with these settings.",
                hint=f"Its inputs are: {', '.join(f'`{one}`' for one in known) or 'none'}.",
            )
        inputs = tuple(_from_python(one) if one.port.name in given else one for one in planned.inputs)
        copied = cast("Mapping[str, Any]", apart(settings))
        return Planned(replace(planned, inputs=inputs), copied, given, lent, lenders)

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

    def told(self, error: BaseException) -> StepFailed:
        """An error as the trace keeps it, at a step that failed because of it."""
        failure = self.failure(error)
        if failure is not None:
            return replace(describe(failure.error), origin=failure.origin)
        return describe(error if isinstance(error, Exception) else StepError(str(error)))


def _from_python(planned: PlannedInput) -> PlannedInput:
    """An input at which stands what Python gives: it is looked at as what comes over an untyped wire."""
    feed = Feed(GIVEN, PortName(planned.port.name), 0, ANY.listed if planned.port.many else ANY)
    if planned.type.base in {"any", "T"}:
        return replace(planned, literal=None, feeds=(), direct=feed)
    return replace(planned, literal=None, feeds=(feed,), direct=None)
