"""The cases in Haystack: a `Pipeline` of components, awaited; it stores nothing. Runs in its environment."""

import asyncio
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
from cases import NAP, import_seconds, timed, worked, worker
from haystack import Pipeline, component
from haystack.core.component.types import Variadic


@component
class Add:
    @component.output_types(x=int)
    def run(self, x: int) -> dict[str, int]:
        return {"x": x + 1}

    @component.output_types(x=int)
    async def run_async(self, x: int) -> dict[str, int]:
        return {"x": x + 1}


@component
class Nap:
    @component.output_types(x=int)
    def run(self, x: int) -> dict[str, int]:
        return {"x": x}

    @component.output_types(x=int)
    async def run_async(self, x: int) -> dict[str, int]:
        await asyncio.sleep(NAP)
        return {"x": x}


@component
class Join:
    @component.output_types(found=list[int])
    def run(self, found: Variadic[int]) -> dict[str, list[int]]:
        return {"found": list(found)}


def chain(length: int) -> Any:
    pipeline = Pipeline()
    for number in range(length):
        pipeline.add_component(f"step_{number}", Add())
        if number:
            pipeline.connect(f"step_{number - 1}.x", f"step_{number}.x")
    return lambda: pipeline.run_async({"step_0": {"x": 0}})


def fan(width: int) -> Any:
    pipeline = Pipeline()
    pipeline.add_component("start", Add())
    pipeline.add_component("join", Join())
    for number in range(width):
        pipeline.add_component(f"nap_{number}", Nap())
        pipeline.connect("start.x", f"nap_{number}.x")
        pipeline.connect(f"nap_{number}.x", "join.found")
    return lambda: pipeline.run_async({"start": {"x": 0}}, concurrency_limit=width)


worker(
    {
        "chain": lambda size, _: worked(chain(size)),
        "fan": lambda size, _: timed(fan(size)),
        "import": lambda *_: import_seconds("import haystack; haystack.Pipeline"),
    }
)
