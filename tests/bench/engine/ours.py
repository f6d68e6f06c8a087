"""The cases in our engine: the flows a person would draw, run by `execute`."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, cast

sys.path.insert(0, str(Path(__file__).parents[3]))
from nodes.control.collect import collect
from nodes.control.for_each import for_each
from nodes.control.loop import loop
from nodes.value.json import json_value
from studio.flow.records import Flow, Node, Socket, Wire
from studio.ids import NodeId, PortName, RunId
from studio.llm.client import ChatClient
from studio.runtime.gates.debug_gate import OpenGate
from studio.runtime.plans.planner import make_plan
from studio.runtime.recorder import MemorySink, Recorder, Sink
from studio.runtime.resources.people import NoPeople
from studio.runtime.run import Outside, RunSpec, RunTools, execute
from studio.sdk import In, Json, Out, node
from studio.sdk.node import node_type_of
from studio.sdk.registry import Registry
from studio.store.run_files.committer import Committer
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Entry
from tests.bench.engine import product
from tests.bench.engine.cases import (
    CHAIN_OF_MANY,
    NAP,
    bytes_in,
    import_seconds,
    message,
    timed,
    worked,
    worker,
)

HERE = Path(__file__).parent


@node("bench.add", title="Add")
async def add(x: Annotated[float, In("x", "A number")]) -> Annotated[float, Out("x", "One more")]:
    """Give one more."""
    return x + 1


@node("bench.nap", title="Nap")
async def nap(x: Annotated[float, In("x", "A number")]) -> Annotated[float, Out("x", "The same")]:
    """Give `x` after a while."""
    await asyncio.sleep(NAP)
    return x


@node("bench.one_more", title="One more")
async def one_more(
    found: Annotated[Json, In("found", "A list")],
) -> Annotated[Json, Out("found", "A longer list")]:
    """Give a list that is longer by one message."""
    listed = cast("list[Json]", found)
    return [*listed, cast("Json", message(len(listed)))]


def bench_registry() -> Registry:
    """The few types that these flows are made of."""
    return Registry(node_type_of(one) for one in (add, nap, one_more, json_value, for_each, collect, loop))


REGISTRY = bench_registry()


def flow_of(nodes: dict[str, Node], wires: list[tuple[str, str]]) -> Flow:
    """Build a flow; a wire is `node.port` twice."""

    def socket(text: str) -> Socket:
        name, _, port = text.partition(".")
        return Socket(NodeId(name), PortName(port))

    made = [Wire(socket(source), socket(target)) for source, target in wires]
    records = {NodeId(name): record for name, record in nodes.items()}
    return Flow("bench", "", records, tuple(sorted(made, key=lambda wire: wire.sort_key)))


def chain(length: int) -> Flow:
    """Steps that read one another; the first reads a literal."""
    nodes = {f"step_{number}": Node(kind="bench.add") for number in range(length)}
    nodes["step_0"] = Node(kind="bench.add", inputs={PortName("x"): 0})
    return flow_of(nodes, [(f"step_{number - 1}.{OUT}", f"step_{number}.x") for number in range(1, length)])


OUT = str(REGISTRY.require("bench.add").outputs[0].name)


def fan(width: int) -> Flow:
    """A map over a list, all items at once, and what collects them."""
    return flow_of(
        {
            "items": Node(kind="value.json", settings={"value": list(range(width))}),
            "each": Node(kind="control.for_each", settings={"at_once": width}),
            "nap": Node(kind="bench.nap"),
            "join": Node(kind="control.collect"),
        },
        [("items.value", "each.items"), ("each.item", "nap.x"), (f"nap.{OUT}", "join.value")],
    )


def growing(length: int) -> Flow:
    """Steps that hand on a list, each with one more message."""
    nodes = {f"step_{number}": Node(kind="bench.one_more") for number in range(length)}
    nodes["step_0"] = Node(kind="bench.one_more", inputs={PortName("found"): []})
    return flow_of(
        nodes, [(f"step_{number - 1}.{LONGER}", f"step_{number}.found") for number in range(1, length)]
    )


LONGER = str(REGISTRY.require("bench.one_more").outputs[0].name)


def no_chats(profile: str) -> ChatClient:
    """Refuse: these flows ask nobody."""
    raise AssertionError(profile)


def run(flow: Flow, sink: Sink, name: str = "bench") -> Callable[[], Awaitable[object]]:
    """Give what runs the flow once."""
    tools = RunTools(REGISTRY, Recorder(RunId(name), sink), OpenGate(), no_chats, NoPeople(), Outside(HERE))
    return lambda: _checked(RunSpec(RunId(name), flow, {}), tools)


async def _checked(spec: RunSpec, tools: RunTools) -> None:
    outcome = await execute(spec, tools)
    if outcome.error is not None:
        raise AssertionError(outcome.error)


def in_memory(flow: Flow) -> Callable[[], Awaitable[object]]:
    """What runs the flow and keeps its events in a list."""

    async def go() -> None:
        entries: list[Entry] = []
        await run(flow, MemorySink(entries.append))()

    return go


def stored(flow: Flow, folder: Path) -> float:
    """Seconds of a run that is on disk for good when it ends."""
    make_plan(flow, REGISTRY)
    writer = RunWriter(folder / "bench.sqlite", lambda _: None)
    took = timed(run(flow, writer))
    writer.close()
    return took


def many(count: int, folder: Path) -> float:
    """Seconds of runs that go on at once, each with a file of its own, made and closed in that time."""
    committer, flow = Committer(), chain(CHAIN_OF_MANY)

    async def one(number: int) -> None:
        writer = RunWriter(folder / f"run_{number}.sqlite", lambda _: None, committer=committer)
        await run(flow, writer, f"run_{number}")()
        writer.close()

    async def go() -> None:
        await asyncio.gather(*(one(number) for number in range(count)))

    took = timed(go)
    committer.close()
    return took


def disk(flow: Flow, folder: Path) -> float:
    """Bytes that a run leaves."""
    stored(flow, folder)
    return float(bytes_in(folder))


def plan(size: int, _: Path) -> float:
    """Seconds to plan a chain that was never seen before."""
    flow = chain(size)
    began = time.perf_counter()
    make_plan(flow, REGISTRY)
    return time.perf_counter() - began


def gathered(width: int, _: Path) -> float:
    """Seconds of the parallel steps, written by hand."""
    return timed(lambda: napped(width))


def busy(width: int, _: Path) -> float:
    """Seconds of the processor that they take."""
    return worked(lambda: napped(width))


async def napped(width: int) -> Any:
    """The parallel steps, written by hand."""

    async def one(x: float) -> float:
        await asyncio.sleep(NAP)
        return x

    return await asyncio.gather(*(one(number) for number in range(width)))


if __name__ == "__main__":
    worker(
        {
            "plan": plan,
            "chain": lambda size, _: worked(in_memory(chain(size))),
            "first": lambda size, _: timed(in_memory(chain(size)), time.process_time),
            "chain_stored": lambda size, folder: stored(chain(size), folder),
            "fan": lambda size, _: timed(in_memory(fan(size))),
            "fan_stored": lambda size, folder: stored(fan(size), folder),
            "gather": gathered,
            "gather_cpu": busy,
            **product.measures(lambda nodes, wires: flow_of(dict(nodes), list(wires))),
            "many": many,
            "disk": lambda size, folder: disk(growing(size), folder),
            "import": lambda *_: import_seconds("import studio.runtime.run, studio.store.run_files.writer"),
        }
    )
