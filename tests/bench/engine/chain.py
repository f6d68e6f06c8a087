"""What a step costs in the engine: `python -m tests.bench.engine.chain`. Not a test.

A chain of trivial steps (templates) with events kept in memory; the median of seven runs, per step.
"""

import asyncio
import statistics
import sys
import time

from studio.app.catalog import builtin_registry
from studio.flow.records import Flow, Node, Socket, Wire
from studio.ids import NodeId, PortName, RunId
from studio.llm.client import ChatClient
from studio.places import projects
from studio.runtime.gate import OpenGate
from studio.runtime.people import NoPeople
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.run import RunSpec, RunTools, execute
from studio.trace.events import Entry

RUNS = 7


def chain(length: int) -> Flow:
    """Build a flow of `length` templates, each reading the one before."""
    nodes = {NodeId("start"): Node(kind="text.text", settings={"text": "x"})}
    wires: list[Wire] = []
    before = Socket(NodeId("start"), PortName("text"))
    for number in range(length):
        name = NodeId(f"step_{number}")
        nodes[name] = Node(kind="text.template", settings={"template": "{{x}}"})
        wires.append(Wire(before, Socket(name, PortName("x"))))
        before = Socket(name, PortName("text"))
    return Flow("chain", "", nodes, tuple(sorted(wires, key=lambda wire: wire.sort_key)))


def no_chats(profile: str) -> ChatClient:
    """Refuse: these flows ask nobody."""
    raise AssertionError(profile)


def seconds(flow: Flow) -> tuple[float, float]:
    """Run once; give the time from the first step's event to the last, and the time of it all."""
    entries: list[Entry] = []
    recorder = Recorder(RunId("bench"), MemorySink(entries.append))
    tools = RunTools(builtin_registry(), recorder, OpenGate(), no_chats, NoPeople(), projects())
    began = time.perf_counter()
    asyncio.run(execute(RunSpec(RunId("bench"), flow, {}), tools))
    whole = time.perf_counter() - began
    steps = [entry.time for entry in entries if entry.step]
    return steps[-1] - steps[0], whole


def main() -> None:
    """Print one row for each length."""
    for length in (10, 100, 1000):
        flow = chain(length)
        took = [seconds(flow) for _ in range(RUNS)]
        running, whole = (statistics.median(one) / length * 1e6 for one in zip(*took, strict=True))
        sys.stdout.write(f"{length:5} steps: {running:6.1f} µs a step, with planning {whole:6.1f}\n")


if __name__ == "__main__":
    main()
