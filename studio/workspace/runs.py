"""From a flow, its inputs and a chat profile to a run: all is checked before anything starts."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from zlib import crc32

from studio.errors import SettingsError
from studio.flow.flow_cache import Known
from studio.flow.records import Flow, Json
from studio.flow.subflows.calls import GivenFlows, reachable
from studio.host.recorded_run import RunMaterials, run_recorded
from studio.ids import RunId
from studio.llm.client import ChatClient
from studio.llm.rate_limits.lines import Priority
from studio.llm.rate_limits.queue import ChatQueues
from studio.runtime.gates.debug_gate import Gate, OpenGate
from studio.runtime.gates.faults import Fault, placed, settled
from studio.runtime.limits.budget import NODE_LIMITS, read_limits
from studio.runtime.plans.pinned_plan import Pins, pins_of_run
from studio.runtime.recorder import Recorder
from studio.runtime.resources.people import NoPeople, People
from studio.runtime.run import About, Outside, RunSpec
from studio.sandbox.wasm import WasmBox
from studio.sdk.node import NodeType
from studio.sdk.registry import Registry
from studio.sdk.tool import Effect
from studio.store.memories.file_names import MEMORIES
from studio.store.run_ids import new_run_id
from studio.trace.events import Entry
from studio.trace.fold.state import RunState, fold
from studio.trace.redact import redactor
from studio.workspace.chats import Chats
from studio.workspace.grants import KeptGrants
from studio.workspace.inputs import check_inputs
from studio.workspace.memories import LateMemories
from studio.workspace.problems import refuse_errors
from studio.workspace.profiles import choose_profile, missing_profile
from studio.workspace.project import Project
from studio.workspace.secrets import Secrets
from studio.workspace.servers import LateServers, secrets_lent
from studio.workspace.trust import require_trust
from studio.workspace.web import LateBroker, trusted_keys

Listener = Callable[[Sequence[Entry], RunState], None]
"""Told entries that are on disk, in order, and the state after them; called on the writer's thread."""


def prepare(
    project: Project,
    flow: Flow,
    registry: Registry,
    *,
    environ: Mapping[str, str],
    inputs: Mapping[str, Json] | None = None,
    profile: str = "",
    offline: bool = False,
    run: RunId | None = None,
    pace: float = 1.0,
    limits: Mapping[str, float] | None = None,
    queues: ChatQueues | None = None,
    keys: Secrets | None = None,
    priority: str = Priority.INTERACTIVE.word,
    pins: Pins | None = None,
    is_trial: bool = False,
    client: ChatClient | None = None,
    seed: int | None = None,
    is_kept: bool = True,
    faults: Sequence[Fault] = (),
    is_trusted: bool = False,
) -> RunMaterials:
    """Check and open all that a run needs; nothing has run or connected yet.

    Runs that share `queues` share the turns of their chat profiles, by `priority`. What a trial writes to the
    project's memories is not kept there. A `client` answers in the place of every profile. The run is kept
    among the project's, unless nobody wants it to be. What `is_trusted` was looked at by whoever calls, or is
    called by code that runs already.

    Raises `UntrustedError` for a project from elsewhere that would execute what nobody has approved,
    `FlowProblemsError` for a flow that `check` refuses, and `UsageError` for inputs that are missing
    or do not fit, for a chat profile that cannot be used, for `pins` that do not fit their nodes, and for
    `faults` that stand nowhere.
    """
    flows = reachable(flow, registry)
    registry = bound(registry, flows)
    for one in (flow, *flows.values()):
        refuse_errors(one, registry)
    if not is_trusted:
        require_trust(project, (flow, *flows.values()), registry, environ)
    allowed = limits_of(project, (flow, *flows.values()), limits or {})
    given = check_inputs(flow, registry, inputs or {})
    chosen = None if client is not None else choose_profile(project, profile, environ, offline=offline)
    chats = Chats(
        project,
        chosen,
        environ,
        offline=offline,
        pace=pace,
        queues=queues,
        keys=keys,
        priority=Priority.of(priority),
        client=client,
    )
    used = {name for one in (flow, *flows.values()) for name in profiles_used(one, registry)}
    if chosen is None and client is None and "" in used:
        raise missing_profile(offline=offline)
    for name in used:
        chats(name)
    name = run or new_run_id(time.time)
    taken = pins_of_run(flow, flows, registry, pins or {})
    placed(faults, flow, registry, flows)
    spec = RunSpec(
        name,
        flow,
        given,
        About(chats.name, str(project.root)),
        limits=allowed,
        flows=flows,
        pins=taken,
        saves_memories=not is_trial,
        seed=seed,
        faults=settled(faults, crc32(name.encode()) if seed is None else seed),
    )
    place = None
    if is_kept:
        from studio.store.reader import RunStore  # late: runs that nobody keeps do without files

        place = RunStore(project.private).new_run_path(name, project.keeping)
    return equipped(spec, registry, project, chats, environ, place, is_offline=offline)


def equipped(
    spec: RunSpec,
    registry: Registry,
    project: Project,
    chats: Chats,
    environ: Mapping[str, str],
    place: Path | None,
    *,
    is_offline: bool = False,
) -> RunMaterials:
    """Give a run, kept in the file `place`, all that reaches out of it, and see that no key gets into it.

    The registry is bound to the flows that it may call. Offline, its tools reach nobody.
    """
    flows = (spec.flow, *spec.flows.values())
    ready = None
    if asks_chats(flows, registry):
        from studio.llm.endpoints import openai_client  # late: runs without chats do without it

        ready = openai_client.preload
    secrets = chats.secrets | trusted_keys(environ) | secrets_lent(flows, registry, environ)
    return RunMaterials(
        spec,
        registry,
        chats,
        Outside(
            project.root,
            web=None if is_offline else LateBroker(environ),
            servers=None if is_offline else LateServers(project.root, environ),
            grants=KeptGrants(environ),
            memories=LateMemories(project.root / MEMORIES),
        ),
        place,
        redactor(secrets),
        chats.close,
        attend=chats.attend,
        ready=ready,
    )


def bound(registry: Registry, flows: Mapping[str, Flow]) -> Registry:
    """Give the registry with the flows that a run may call, as they are now."""
    return registry.with_flows(GivenFlows(flows)) if flows else registry


def limits_of(project: Project, flows: Iterable[Flow], given: Mapping[str, float]) -> dict[str, float]:
    """Give the limits of a run, those of its project unless said otherwise; raises `UsageError`.

    Those of the nodes in its `flows` are looked at as well.
    """
    for flow in flows:
        for node, record in flow.nodes.items():
            read_limits(record.run.limits, f"The node `{node}`", NODE_LIMITS)
    return {**read_limits(project.limits, "The project"), **read_limits(given, "The call")}


async def run_here(
    materials: RunMaterials,
    *,
    listener: Listener | None = None,
    make_gate: Callable[[Recorder], Gate] = lambda _: OpenGate(),
    people: People | None = None,
) -> RunState:
    """Run in this process to the end and give the state of the run.

    When it is cancelled, that is recorded, and `asyncio.CancelledError` leaves here.
    """
    state = fold(materials.earlier.entries)

    def publish(entries: Sequence[Entry]) -> None:
        for entry in entries:
            state.apply(entry)
        if listener is not None:
            listener(entries, state)

    async with WasmBox() as box:
        await run_recorded(materials, publish, make_gate, people or NoPeople(), box=box)
    return state


def asks_chats(flows: Iterable[Flow], registry: Registry) -> bool:
    """Tell whether any node of these flows has a chat profile."""
    return any(profiles_used(one, registry) for one in flows)


def _chosen(node_type: NodeType, given: Mapping[str, Json]) -> NodeType:
    """The node type as these settings have it."""
    try:
        settings = node_type.complete_settings(given)
    except SettingsError:
        return node_type  # which `check` tells
    return node_type.of_variant(settings)


def profiles_used(flow: Flow, registry: Registry) -> frozenset[str]:
    """Give the profiles that nodes name; the empty name is the run's own."""
    return _PROFILES.of(flow, registry)


def _profiles_used(flow: Flow, registry: Registry) -> frozenset[str]:
    names: set[str] = set()
    for record in flow.nodes.values():
        node_type = registry.get(record.kind)
        if node_type is None or node_type.effect is not Effect.PAID_READ:
            continue
        node_type = _chosen(node_type, record.settings)
        spec = next((one for one in node_type.settings if one.editor == "profile"), None)
        if spec is not None and node_type.matters(spec, record.settings):
            names.add(str(record.settings.get("profile", "") or ""))
        for spec in node_type.settings:
            listed = record.settings.get(spec.name) if spec.editor == "profiles" else None
            names |= {str(one) for one in listed} if isinstance(listed, list) else set()
    return frozenset(names)


_PROFILES = Known(_profiles_used)
