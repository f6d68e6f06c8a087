"""Runs small flows of real node types on scripted answers, in memory."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio.flow.records import Flow, Node, RunSettings, Socket, Wire
from studio.flow.subflows.calls import GivenFlows
from studio.ids import NodeId, PortName, RunId
from studio.llm.client import ChatClient, ChatProfile
from studio.llm.endpoints.answer_form import FormClient
from studio.llm.profiles import open_client
from studio.llm.scripted_answers.script_book import ScriptBook
from studio.llm.scripted_answers.script_file import load_rules
from studio.runtime.gates.breakpoints import Breakpoint
from studio.runtime.gates.debug_gate import DebugGate, Gate, OpenGate
from studio.runtime.limits.cancellations import Stops
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.replay.past import Past
from studio.runtime.resources.people import NoPeople, People
from studio.runtime.run import About, Control, Drive, Outcome, Outside, RunSpec, RunTools, execute
from studio.sdk.code import CodeBox
from studio.sdk.item_layers import MemoryStores, PlainMemories
from studio.sdk.registry import Registry
from studio.servers.grants import Grants
from studio.servers.records import Servers
from studio.trace.events import Entry
from studio.trace.events.run import Origin, Pin
from studio.trace.fold.state import RunState, fold
from studio.web.request import Web
from studio.workspace.catalog import builtin_registry

REGISTRY = builtin_registry()


@dataclass
class Ran:
    """A run that is over, or is still going on in `task`."""

    entries: list[Entry] = field(default_factory=list[Entry], repr=False)
    outcome: Outcome | None = None

    @property
    def outputs(self) -> Mapping[str, Any]:
        assert self.outcome is not None
        assert self.outcome.error is None, self.outcome.error
        return self.outcome.outputs

    @property
    def state(self) -> RunState:
        return fold(self.entries)

    def steps(self, kind: str) -> list[str]:
        """The steps of all entries of one kind, in order."""
        return [str(entry.step) for entry in self.entries if entry.event.kind == kind]

    def events(self, step: str) -> list[str]:
        """The kinds of event of one step, in order."""
        return [entry.event.kind for entry in self.entries if entry.step == step]


def flow_of(nodes: Mapping[str, Any], wires: Sequence[str]) -> Flow:
    """Build a flow: a node is its kind, or (kind, settings), or (kind, settings, inputs, run settings)."""
    made: dict[NodeId, Node] = {}
    for name, given in nodes.items():
        kind, settings, inputs, run = (*((given,) if isinstance(given, str) else given), {}, {}, {})[:4]
        made[NodeId(name)] = Node(kind=kind, settings=settings, inputs=inputs, run=RunSettings(**run))
    flow = tuple(sorted((_wire(text) for text in wires), key=lambda wire: wire.sort_key))
    return Flow("bench", "", made, flow)


def _wire(text: str) -> Wire:
    source, target = text.split(" -> ")
    target, _, index = target.rstrip("]").partition("[")
    ends = [Socket(NodeId(node), PortName(port)) for node, port in (source.split("."), target.split("."))]
    return Wire(ends[0], ends[1], int(index) if index else None)


async def run_held(
    flow: Flow,
    act: Callable[["Ran", DebugGate], Awaitable[None]],
    *places: Breakpoint | str,
    inputs: Mapping[str, Any] | None = None,
    hold_first: bool = False,
    **more: Any,
) -> "Ran":
    """Run a flow that is held at `places`; `act` plays the person at the debugger, `more` is as in `run`."""
    gates: list[DebugGate] = []

    def make_gate(recorder: Recorder) -> DebugGate:
        gates.append(DebugGate(recorder, places, hold_first=hold_first))
        return gates[0]

    async def drive(ran: Ran) -> None:
        await act(ran, gates[0])

    return await run(flow, inputs, make_gate=make_gate, while_running=drive, **more)


async def run(
    flow: Flow,
    inputs: Mapping[str, Any] | None = None,
    *,
    script: Path | None = None,
    make_gate: Callable[[Recorder], Gate] = lambda _: OpenGate(),
    root: Path = Path(),
    people: People | None = None,
    ran: Ran | None = None,
    pace: float = 0,
    past: Past | None = None,
    flows: Mapping[str, Flow] | None = None,
    while_running: Callable[[Ran], Awaitable[None]] | None = None,
    stops: Stops | None = None,
    limits: Mapping[str, float] | None = None,
    box: CodeBox | None = None,
    web: Web | None = None,
    servers: Servers | None = None,
    grants: Grants | None = None,
    client: ChatClient | None = None,
    pins: Mapping[str, Pin] | None = None,
    memories: MemoryStores | None = None,
    forked_from: Origin | None = None,
    goes_on: bool = False,
    registry: Registry | None = None,
    drive: Drive | None = None,
    node_limits: Mapping[NodeId, Mapping[str, float]] | None = None,
    seed: int | None = None,
) -> Ran:
    """Run a flow to its end; `while_running` may look at it and act on it meanwhile.

    `client` takes the place of one that answers from `script`; `drive` is a script that decides on the steps.
    """
    ran = ran or Ran()
    recorder = Recorder(RunId("bench"), MemorySink(ran.entries.append))
    book = ScriptBook(load_rules(script)) if script is not None else None
    if book is not None:
        profile = ChatProfile("scripted", "scripted")
        client = FormClient(open_client(profile, environ={}, book=book, prices=None, pace=pace))

    def chats(profile: str) -> Any:
        assert client is not None, profile
        return client

    plain = REGISTRY if registry is None else registry
    known = plain.with_flows(GivenFlows(flows)) if flows else plain
    gate, asked = make_gate(recorder), people or NoPeople()
    outside = Outside(root, box, web, servers, grants, memories=memories or PlainMemories())
    control = Control(stops or Stops())
    tools = RunTools(known, recorder, gate, chats, asked, outside, past, control=control)
    spec = RunSpec(
        RunId("bench"),
        flow,
        inputs or {},
        About(forked_from=forked_from, goes_on=goes_on),
        limits=limits or {},
        flows=flows or {},
        pins=pins or {},
        seed=seed,
        node_limits=node_limits or {},
    )
    try:
        if while_running is None:
            ran.outcome = await execute(spec, tools, drive)
        else:
            task = asyncio.create_task(execute(spec, tools, drive))
            await while_running(ran)
            ran.outcome = await task
    finally:
        if client is not None:
            await client.close()
    return ran


async def until(condition: Callable[[], bool]) -> None:
    """Let the run go on until `condition` holds; fails after a million turns of the loop."""
    for _ in range(1_000_000):
        if condition():
            return
        await asyncio.sleep(0)
    message = "it never came to that"
    raise AssertionError(message)


__all__ = ["DebugGate", "Ran", "flow_of", "run", "until"]
