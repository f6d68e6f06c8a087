"""One run, from its first event to its last."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import aclosing, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeAlias

from studio.errors import StepwireError, StoreError
from studio.flow.files import codec
from studio.flow.flow_cache import Known
from studio.flow.ports import Structure
from studio.flow.records import Flow, Json, Socket, title_of
from studio.flow.structure.types import resolve
from studio.garbage_collection import seldom_collected
from studio.ids import NodeId, PortName, RunId, StepId, seen_from_outside, step_parts
from studio.llm.client import ChatClient
from studio.runtime.failures import ScriptFailure, StepFailure, describe
from studio.runtime.gates.debug_gate import Gate
from studio.runtime.gates.fault_gate import MemoryFaults
from studio.runtime.gates.faults import Fault, faults_to_json
from studio.runtime.limits.accounts import Ledger, account_name
from studio.runtime.limits.allowance import Allowance
from studio.runtime.limits.asked_time import TimedPeople
from studio.runtime.limits.budget import Budget, Due, not_watched
from studio.runtime.limits.cancellations import Stops
from studio.runtime.limits.slots import AT_ONCE, STEPS_AT_ONCE, Turns
from studio.runtime.plans.pinned_plan import Pins, pins_in, with_pins
from studio.runtime.plans.planner import make_plan
from studio.runtime.recorder import Recorder
from studio.runtime.regions.scheduler import Scheduler
from studio.runtime.regions.subflow import CalledFlows
from studio.runtime.replay.past import Past
from studio.runtime.resources.chance import Chance
from studio.runtime.resources.people import People
from studio.runtime.resources.permissions import Permissions
from studio.runtime.resources.request_images import Images, MemoryImages
from studio.runtime.services import Services
from studio.runtime.state.frame import Frame
from studio.runtime.state.run_memories import MemoryLayers, RunMemories
from studio.runtime.state.run_variables import Variables
from studio.runtime.steps.bindings import Bindings, LendTo
from studio.runtime.steps.flow_calls import CallFlow
from studio.runtime.steps.step import StepRunner
from studio.runtime.values import FLOW, USER, Value, shown, shown_all
from studio.sdk.code import CodeBox
from studio.sdk.item_layers import MemoryStores, PlainMemories
from studio.sdk.registry import Registry
from studio.sdk.values import from_plain, to_plain
from studio.servers.grants import Grants
from studio.servers.records import Servers
from studio.trace.events import RunCancelled, RunContinued, RunFailed, RunFinished, RunStarted, StopAsked
from studio.trace.events.run import Origin, Pin, ScriptFile
from studio.web.request import Web


@dataclass(frozen=True, slots=True)
class About:
    """What a run tells of itself as it begins; one that `goes_on` began earlier, and ended too early."""

    profile: str = ""
    project: str = ""
    forked_from: Origin | None = None
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What is run: a flow that passed `check`, and its inputs by the id of their flow input.

    An input that is not given takes the flow input's default.
    """

    run: RunId
    flow: Flow
    inputs: Mapping[str, Json]
    about: About = About()
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    flows: Mapping[str, Flow] = field(default_factory=dict[str, Flow])
    """The flows that it may call, by name, as they are now; the registry of its tools is bound to them."""
    pins: Pins = field(default_factory=dict[str, Pin])
    """What is given without being executed."""
    saves_memories: bool = True
    """Whether memories of the project keep what is written; those of forks and replays never do."""
    seed: int | None = None
    """Of what chance in the run is made; without one, each run has its own."""
    node_limits: Mapping[NodeId, Mapping[str, float]] = field(
        default_factory=dict[NodeId, Mapping[str, float]]
    )
    """Budgets of nodes of a script, by account; those of drawn nodes stand in their flows."""
    source: ScriptFile | None = None
    """The script that decides which steps there are; the flow then has only the inputs."""
    faults: tuple[Fault, ...] = ()
    """What goes wrong in it on purpose; those that are drawn have their seed."""


@dataclass(frozen=True, slots=True)
class Outside:
    """What a run reaches outside of itself; what is not there is refused to its steps."""

    root: Path
    """The folder that its nodes may read and write."""
    box: CodeBox | None = None
    """Where code that is not ours runs."""
    web: Web | None = None
    """What sends the requests of tools."""
    servers: Servers | None = None
    """What opens servers that lend tools."""
    grants: Grants | None = None
    """What commands a person has allowed to start; without it, each run asks."""
    images: Images = field(default_factory=MemoryImages)
    """Where the pictures that are sent are kept."""
    memories: MemoryStores = field(default_factory=PlainMemories)
    """Where memories are opened; without one all are forgotten with the run."""


@dataclass(frozen=True, slots=True)
class Control:
    """How others reach into a run that goes on."""

    stops: Stops = field(default_factory=Stops)
    """Where single steps of it are cancelled."""
    allowance: Allowance | None = None
    """Where a person raises limits that were reached; without one they end the run."""
    due: Due = not_watched
    """Told when the run is to be over, for a process above that ends it when it is not."""


@dataclass(frozen=True, slots=True)
class RunTools:
    """What a run is given to work with; `past` is the earlier run that it goes back to."""

    registry: Registry
    recorder: Recorder
    gate: Gate
    chats: Callable[[str], ChatClient]
    people: People
    outside: Outside
    past: Past | None = None
    ledger: Ledger | None = None
    """What a run that goes on has spent already."""
    control: Control = field(default_factory=Control)
    ready: Callable[[], Awaitable[None]] | None = None
    """Loads what its steps need, before the first of them; no limit counts the time that it takes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: its outputs as plain JSON, or the error that ended it."""

    outputs: Mapping[str, Json]
    error: RunFailed | None = None


@dataclass(frozen=True, slots=True)
class Engine:
    """What steps are run with, in the order that something else decides on."""

    steps: StepRunner
    bindings: Bindings
    services: Services
    gate: Gate
    registry: Registry
    variables: Variables
    given: Mapping[NodeId, Value]
    """The flow's inputs."""
    call_flow: CallFlow
    lend: LendTo
    """Gives a node that lends a flow that flow."""


Drive: TypeAlias = Callable[[Engine], Awaitable[Mapping[NodeId, Value]]]
"""Runs the steps of a run, and gives its outputs; raises as `Scheduler.run`."""


async def execute(spec: RunSpec, tools: RunTools, drive: Drive | None = None) -> Outcome:
    """Run a flow to its end. An error is recorded and returned; being cancelled is recorded and raised.

    With `drive` the flow says no more than what it is given, and that decides which steps there are.
    """
    recorder = tools.recorder
    given = given_values(spec.flow, tools.registry, spec.inputs)
    started = RunStarted(
        spec.flow.name,
        _TEXTS.of(spec.flow),
        {str(node): shown(value) for node, value in given.items()},
        spec.about.profile,
        spec.about.project,
        spec.about.forked_from,
        spec.limits,
        {name: _TEXTS.of(called) for name, called in spec.flows.items()},
        script=spec.source is not None,
        pins=spec.pins,
        source=spec.source,
        faults=faults_to_json(spec.faults),
    )
    recorder.record(RunContinued(spec.limits) if spec.about.goes_on else started)
    is_over = False
    course = tools.past.course if tools.past is not None else None
    tools.control.stops.tell = lambda name: recorder.record(StopAsked(name))
    if course is not None:
        recorder.follow(course.note)
        course.held_seconds = partial(_held, tools)
        course.stop_again(tools.control.stops.cancel)
    try:
        if tools.ready is not None:
            await tools.ready()
        with seldom_collected():
            results = await _run_steps(spec, tools, given, drive)
        recorder.record(RunFinished(shown_all({str(node): value for node, value in results.items()})))
        is_over = True
        await recorder.committed()
    except asyncio.CancelledError:
        if not is_over:  # too late to stop a run that has finished
            recorder.record(RunCancelled())
        with suppress(StoreError):  # that the run was stopped has to arrive, whatever the disk says
            await recorder.committed()
        raise
    except Exception as error:  # noqa: BLE001  # the run must end in a defined state, whatever happened
        return await _failed(recorder, error, spec)
    finally:
        if course is not None:
            course.close()
    return Outcome({node: to_plain(value.data) for node, value in results.items()})


def _held(tools: RunTools) -> float:
    """Seconds for which a run was held so far, at its gate or at its limits."""
    allowance = tools.control.allowance
    at_limits = allowance.waited() if allowance is not None else 0.0
    return tools.gate.held_seconds() + at_limits


def given_values(
    flow: Flow,
    registry: Registry,
    inputs: Mapping[str, Json],
    labels: frozenset[str] = USER,
    *,
    without: Collection[str] = (),
) -> dict[NodeId, Value]:
    """The value of every flow input, given or its default, but for those `without` one.

    Raises `ValueTypeError` where one does not fit.
    """
    values: dict[NodeId, Value] = {}
    asking = _ASKING.of(flow, registry)
    if not asking:
        return values
    types = _TYPES.of(flow, registry)
    for node in asking:
        if node in without:
            continue
        record = flow.nodes[node]
        kind = types[Socket(node, PortName("value"))]
        if node in inputs:
            values[node] = Value(from_plain(inputs[node], kind), labels)
        else:
            values[node] = Value(from_plain(registry.settings(record).get("default"), kind), FLOW)
    return values


def _asking(flow: Flow, registry: Registry) -> list[NodeId]:
    """The flow inputs."""
    signatures = {node: registry.signature(record) for node, record in flow.nodes.items()}
    return [node for node, one in signatures.items() if one and one.structure is Structure.FLOW_INPUT]


def _limits(flow: Flow) -> dict[NodeId, Mapping[str, float]]:
    """The budgets of nodes."""
    return {node: record.run.limits for node, record in flow.nodes.items() if record.run.limits}


_TEXTS = Known(codec.dumps)
_ASKING = Known(_asking)
_TYPES = Known(resolve)
_LIMITS = Known(_limits)


async def _run_steps(
    spec: RunSpec, tools: RunTools, given: Mapping[NodeId, Value], drive: Drive | None
) -> Mapping[NodeId, Value]:
    plan = with_pins(make_plan(spec.flow, tools.registry), spec.flow, tools.registry, pins_in(spec.pins, ""))
    per_node = {**spec.node_limits, **_LIMITS.of(spec.flow)}
    for name, called_flow in spec.flows.items():
        per_node.update({account_name(name, node): one for node, one in _LIMITS.of(called_flow).items()})
    people = TimedPeople(tools.people)
    budget = None
    limits = {name: limit for name, limit in spec.limits.items() if name != AT_ONCE}
    if limits or per_node:
        budget = Budget(
            limits,
            per_node,
            tools.recorder.record,
            ledger=tools.ledger,
            allowance=tools.control.allowance,
            held_seconds=lambda: tools.gate.held_seconds() + people.waited(),
            due=tools.control.due,
        )
    past, outside = tools.past, tools.outside
    memories = RunMemories(
        outside.memories,
        tools.recorder,
        spec.run,
        past.memories if past is not None else None,
        is_told=spec.about.goes_on,
        saves=spec.saves_memories and spec.about.forked_from is None,
    )
    variables = Variables(memories=MemoryLayers.of_run(memories), past=past, save=memories.save)
    services = Services(
        tools.recorder,
        tools.chats,
        people,
        outside.root,
        memories,
        tools.past,
        budget,
        tools.control.stops,
        outside.box,
        outside.web,
        outside.servers,
        Permissions(outside.grants),
        gate=tools.gate,
        images=outside.images,
        chance=Chance(spec.seed),
        faults=MemoryFaults(spec.faults, spec.flow, tools.registry, spec.flows),
    )
    turns = Turns(int(spec.limits.get(AT_ONCE, STEPS_AT_ONCE)))
    async with (
        budget.in_time() if budget is not None else nullcontext(),
        aclosing(memories),
        CalledFlows(services, tools.registry, turns, spec.pins) as called,
        Bindings(dict(plan.bindings), services, called.lend) as bindings,
    ):
        if past is not None:
            await memories.prepare(past.remembered)
        steps = StepRunner(services, tools.gate, bindings, given, turns, called.run)
        services.breath.belong_to_this_task()
        # In a task of their own, since steps that are stopped by themselves are cancelled in theirs.
        if drive is not None:
            engine = Engine(
                steps,
                bindings,
                services,
                tools.gate,
                tools.registry,
                variables,
                given,
                called.run,
                called.lend,
            )
            return await asyncio.create_task(_driven(drive, engine))
        work = Scheduler(steps, tools.gate, tools.recorder).run(Frame(plan.root, variables=variables))
        await asyncio.create_task(work)
        return steps.results


async def _driven(drive: Drive, engine: Engine) -> Mapping[NodeId, Value]:
    return await drive(engine)


async def _failed(recorder: Recorder, raised: Exception, spec: RunSpec) -> Outcome:
    script = raised if isinstance(raised, ScriptFailure) else None
    failure = script.failure if script is not None else raised
    if isinstance(failure, StepFailure):
        error, step, node = failure.error, str(failure.origin), failure.node
    else:
        error, step, node = script.error if script is not None else raised, "", None
    told = describe(error)
    exit_code = error.exit_code if isinstance(error, StepwireError) and error.exit_code in {3, 4} else 1
    scope, own, _, _ = step_parts(StepId(step))
    if not scope and own in spec.flow.nodes:
        node = own  # what lends to a step may have failed, and not the step
    known = script.titles.get(node) if script is not None and node is not None else None
    title = known or (title_of(spec.flow, node) if node is not None else "")
    inside = f" in `{step}`" if seen_from_outside(StepId(step)) != step else ""
    message = f"`{title}` failed{inside}: {told.message}" if title else told.message
    message = f"{script.where}{message}" if script is not None else message
    failed = RunFailed(told.error, message, told.hint, step, exit_code)
    recorder.record(failed)
    with suppress(StoreError):  # a store that has failed is what the run failed with, and has been told
        await recorder.committed()
    return Outcome({}, failed)
