"""The cases in pydantic-graph, built with its `GraphBuilder`; it stores nothing. Runs in its environment."""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
from cases import NAP, import_seconds, timed, worked, worker
from pydantic_graph import GraphBuilder, StepContext, reduce_list_append


async def add(context: StepContext[None, None, int]) -> int:
    return context.inputs + 1


async def nap(context: StepContext[None, None, int]) -> int:
    await asyncio.sleep(NAP)
    return context.inputs


def built_chain(length: int) -> Any:
    builder = GraphBuilder(input_type=int, output_type=int)
    before: Any = builder.start_node
    for number in range(length):
        step = builder.step(add, node_id=f"step_{number}")
        builder.add(builder.edge_from(before).to(step))
        before = step
    builder.add(builder.edge_from(before).to(builder.end_node))
    return builder


def fan(width: int) -> Any:
    builder = GraphBuilder(input_type=list[int], output_type=list[int])
    step = builder.step(nap, node_id="nap")
    join = builder.join(reduce_list_append, initial_factory=list[int])
    builder.add(
        builder.edge_from(builder.start_node).map().to(step),
        builder.edge_from(step).to(join),
        builder.edge_from(join).to(builder.end_node),
    )
    graph = builder.build()
    return lambda: graph.run(inputs=list(range(width)))


def run_chain(size: int, _: Path) -> float:
    graph = built_chain(size).build()
    return worked(lambda: graph.run(inputs=0))


def plan(size: int, _: Path) -> float:
    builder = built_chain(size)
    began = time.perf_counter()
    builder.build()
    return time.perf_counter() - began


worker(
    {
        "plan": plan,
        "chain": run_chain,
        **dict.fromkeys(("formula", "template", "branch"), run_chain),
        "fan": lambda size, _: timed(fan(size)),
        "import": lambda *_: import_seconds("import pydantic_graph"),
    }
)
