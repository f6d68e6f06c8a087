"""Exported scripts against the engine, and against the same written by hand.

Each does its work in this process, in turn, so that what else the machine does comes to all of them. Chains
are measured in time of the processor, what overlaps on the clock: `python -m tests.bench.export_bench`.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

from studio.flow.records import Flow
from tests.export.equality import loaded, run_script, script_of
from tests.reference.generator import Case
from tests.reference.running import run_case
from tests.runtime.bench import Ran, flow_of

REPEATS = 7
STEPS = 200
WIDTH = 8
NAP = 0.01

Work = Callable[[], Awaitable[object]]


def chain() -> Flow:
    """Steps one after the other, of which each takes no time."""
    names = [f"step_{number}" for number in range(STEPS)]
    nodes: dict[str, Any] = {one: ("control.delay", {"seconds": 0}) for one in names}
    wires = [f"{one}.value -> {after}.value" for one, after in pairwise(names)]
    ends = ["word.value -> step_0.value", f"{names[-1]}.value -> out.value"]
    return flow_of(
        {"word": ("io.flow_input", {"type": "text"}), **nodes, "out": "io.flow_output"}, [*wires, *ends]
    )


def lanes() -> Flow:
    """Chains of two beside one another, each step of which takes a hundredth of a second."""
    nodes: dict[str, Any] = {}
    wires: list[str] = []
    for number in range(WIDTH):
        for end in "ab":
            nodes[f"{end}_{number}"] = ("control.delay", {"seconds": NAP})
        wires += [
            f"word.value -> a_{number}.value",
            f"a_{number}.value -> b_{number}.value",
            f"b_{number}.value -> last.parts[{number}]",
        ]
    ends = {"last": "text.join", "out": "io.flow_output"}
    nodes = {"word": ("io.flow_input", {"type": "text"}), **nodes, **ends}
    return flow_of(nodes, [*wires, "last.text -> out.value"])


async def wait(value: str, seconds: float) -> str:
    """What a delay does."""
    await asyncio.sleep(seconds)
    return value


async def chain_by_hand() -> str:
    """The chain as one would write it."""
    word = "a"
    for _ in range(STEPS):
        word = await wait(word, 0)
    return word


async def lanes_by_hand() -> str:
    """The lanes as one would write them."""

    async def lane() -> str:
        return await wait(await wait("a", NAP), NAP)

    return "\n".join(await asyncio.gather(*(lane() for _ in range(WIDTH))))


def script(case: Case) -> Work:
    """A run of a flow's script."""
    flow = loaded(script_of(case.flow))
    return lambda: run_script(flow, case, Ran())


def measured(ways: dict[str, Work], clock: Callable[[], float]) -> dict[str, float]:
    """The median of several turns, in seconds."""
    found: dict[str, list[float]] = {name: [] for name in ways}

    async def go(work: Work) -> float:
        began = clock()
        await work()
        return clock() - began

    for turn in range(REPEATS + 1):
        for name, work in ways.items():
            seconds = asyncio.run(go(work))
            if turn:
                found[name].append(seconds)
    return {name: statistics.median(one) for name, one in found.items()}


def main() -> None:
    """Print one table."""
    cases = {
        f"chain of {STEPS}, CPU time": (chain(), chain_by_hand, time.process_time),
        f"{WIDTH} lanes of 2 × {NAP:g} s": (lanes(), lanes_by_hand, time.perf_counter),
    }
    print("| median | script | engine | by hand | script / by hand |\n|---|---|---|---|---|")  # noqa: T201
    for name, (flow, by_hand, clock) in cases.items():
        case = Case(flow, {"word": "a"})
        ways: dict[str, Work] = {
            "script": script(case),
            "engine": lambda case=case: run_case(case),
            "by hand": by_hand,
        }
        told = measured(ways, clock)
        shown = " | ".join(f"{one * 1000:.2f} ms" for one in told.values())
        print(f"| {name} | {shown} | {told['script'] / told['by hand']:.2f} |")  # noqa: T201


if __name__ == "__main__":
    main()
