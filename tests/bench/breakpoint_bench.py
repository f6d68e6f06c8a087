"""What breakpoints cost a run that they never hold: `python -m tests.bench.breakpoint_bench [ROUNDS]`.

A chain of 1,000 trivial steps, entries in memory. All cases take turns in one process, and the ratio of each
to the case without a debugger is taken round by round; medians of those.
"""

import asyncio
import gc
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from studio.ids import NodeId, RunId
from studio.runtime.gates.breakpoints import Breakpoint
from studio.runtime.gates.debug_gate import DebugGate, Gate, OpenGate
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.resources.people import NoPeople
from studio.runtime.run import Outside, RunSpec, RunTools, execute
from studio.trace.events import Entry
from tests.bench.engine.ours import REGISTRY, chain, no_chats

STEPS = 1_000
ROUNDS = 60
FLOW = chain(STEPS)

NEVER = [f"elsewhere_{number}" for number in range(1_000)]
FALSE = Breakpoint("step_500", condition="x < 0")
EVERYWHERE = [Breakpoint(node, condition="x < 0") for node in FLOW.nodes]

CASES: Mapping[str, Callable[[Recorder], Gate]] = {
    "no debugger": lambda _: OpenGate(),
    "no breakpoints": DebugGate,
    "1,000 on nodes that never come": lambda recorder: DebugGate(recorder, NEVER),
    "a catch of errors": lambda recorder: DebugGate(recorder, [Breakpoint(on="error")]),
    "a condition that is false, at one node": lambda recorder: DebugGate(recorder, [FALSE]),
    "a condition that is false, at every node": lambda recorder: DebugGate(recorder, EVERYWHERE),
}


async def seconds(make_gate: Callable[[Recorder], Gate]) -> float:
    """Run the chain once; gives how long the processor was busy with it."""
    entries: list[Entry] = []
    recorder = Recorder(RunId("bench"), MemorySink(entries.append))
    gate = make_gate(recorder)
    tools = RunTools(REGISTRY, recorder, gate, no_chats, NoPeople(), Outside(Path()))
    spec = RunSpec(RunId("bench"), FLOW, {})
    gc.collect()
    begun = time.process_time()
    outcome = await execute(spec, tools)
    taken = time.process_time() - begun
    if outcome.error is not None or NodeId("step_999") not in {entry.step for entry in entries}:
        raise AssertionError(outcome)
    return taken


async def main(rounds: int) -> None:
    """Print one table."""
    for make_gate in CASES.values():
        await seconds(make_gate)
    taken: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(rounds):
        for name, make_gate in CASES.items():
            taken[name].append(await seconds(make_gate))
    first = taken["no debugger"]
    print("| a chain of 1,000 steps | µs a step | ratio |\n|---|---|---|")  # noqa: T201
    for name, found in taken.items():
        ratio = statistics.median(one / other for one, other in zip(found, first, strict=True))
        print(f"| {name} | {statistics.median(found) / STEPS * 1e6:.1f} | {ratio:.2f} |")  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
