"""What a run of a user takes: real nodes, with `prepare`, store and fold as `stepwire run` has them."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.flow.records import Flow, Node
from studio.host.recorded_run import run_recorded
from studio.ids import RunId
from studio.llm.client import ChatClient
from studio.runtime.gates.debug_gate import OpenGate
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.resources.people import NoPeople
from studio.runtime.run import Outside, RunSpec, RunTools, execute
from studio.store.run_files.committer import Committer
from studio.trace.events import Entry
from studio.trace.fold.state import RunState, fold
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare
from tests.app.written_projects import write_project
from tests.bench.engine.cases import MANY_STEPS, NAP, timed, worked

REGISTRY = builtin_registry()

Build = Callable[[Mapping[str, Node], Sequence[tuple[str, str]]], Flow]

STEPS: Mapping[str, tuple[str, Mapping[str, Any], str, str]] = {
    "formula": ("value.formula", {"formula": "x + 1"}, "x", "value"),
    "template": (
        "text.template",
        {"template": "{% if x %}{{ x }}{% endif %}", "language": "jinja"},
        "x",
        "text",
    ),
    "branch": (
        "control.branch",
        {"cases": [{"label": "yes", "when": "value == 1", "port": "yes"}, {"label": "no", "port": "no"}]},
        "value",
        "yes",
    ),
}
"""Of each step its kind, its settings, and the ports by which it is chained."""


def chain_of(build: Build, step: str, length: int) -> Flow:
    """Steps of one kind that read one another."""
    kind, settings, into, out = STEPS[step]
    nodes = {"first": Node(kind="value.json", settings={"value": 1})}
    nodes |= {f"step_{number}": Node(kind=kind, settings=settings) for number in range(length)}
    wires = [("first.value", f"step_0.{into}")]
    wires += [(f"step_{number - 1}.{out}", f"step_{number}.{into}") for number in range(1, length)]
    return build(
        {**nodes, "out": Node(kind="io.flow_output")}, [*wires, (f"step_{length - 1}.{out}", "out.value")]
    )


def fan_of(build: Build, width: int) -> Flow:
    """A map over a list, all items at once, each of which waits."""
    return build(
        {
            "items": Node(kind="value.json", settings={"value": list(range(width))}),
            "each": Node(kind="control.for_each", settings={"at_once": width}),
            "nap": Node(kind="control.delay", settings={"seconds": NAP}),
            "join": Node(kind="control.collect"),
            "out": Node(kind="io.flow_output"),
        },
        [
            ("items.value", "each.items"),
            ("each.item", "nap.value"),
            ("nap.value", "join.value"),
            ("join.values", "out.value"),
        ],
    )


def no_chats(profile: str) -> ChatClient:
    """Refuse: these flows ask nobody."""
    raise AssertionError(profile)


def in_memory(flow: Flow) -> Callable[[], Awaitable[object]]:
    """What runs the flow and keeps its events in a list."""

    async def go() -> None:
        entries: list[Entry] = []
        recorder = Recorder(RunId("bench"), MemorySink(entries.append))
        tools = RunTools(REGISTRY, recorder, OpenGate(), no_chats, NoPeople(), Outside(Path()))
        outcome = await execute(RunSpec(RunId("bench"), flow, {}), tools)
        if outcome.error is not None:
            raise AssertionError(outcome.error)

    return go


class Product:
    """A project in a folder, whose flow is prepared, run, stored and folded."""

    def __init__(self, flow: Flow, folder: Path) -> None:
        self._flow = flow
        self._project = Project.open(write_project(folder / "project"))
        self._registry = project_registry(self._project, REGISTRY)

    def prepare(self) -> float:
        """Seconds of the processor until a run of it may start, which has run before."""
        self._prepared()
        began = time.process_time()
        self._prepared()
        return time.process_time() - began

    def runs(self, count: int) -> Callable[[], Awaitable[object]]:
        """What runs it so many times at once, from the beginning of the first to the end of the last."""

        async def go() -> None:
            committer = Committer()
            await asyncio.gather(*(self._run(committer) for _ in range(count)))
            committer.close()

        return go

    def _prepared(self) -> Any:
        return prepare(self._project, self._flow, self._registry, environ=os.environ, offline=True)

    async def _run(self, committer: Committer) -> RunState:
        materials, state = self._prepared(), fold(())

        def publish(entries: Sequence[Entry]) -> None:
            for entry in entries:
                state.apply(entry)

        outcome = await run_recorded(
            materials, publish, lambda _: OpenGate(), NoPeople(), committer=committer
        )
        if outcome.error is not None:
            raise AssertionError(outcome.error)
        return state


def measures(build: Build) -> dict[str, Callable[[int, Path], float]]:
    """The cases of the product's path."""

    def chained(step: str) -> Callable[[int, Path], float]:
        return lambda size, _: worked(in_memory(chain_of(build, step, size)))

    def product(flow: Flow, folder: Path) -> Product:
        return Product(flow, folder)

    return {
        **{step: chained(step) for step in STEPS},
        "prepare": lambda size, folder: product(chain_of(build, "formula", size), folder).prepare(),
        "product": lambda size, folder: worked(product(chain_of(build, "formula", size), folder).runs(1)),
        "product_many": lambda count, folder: worked(
            product(chain_of(build, "formula", MANY_STEPS), folder).runs(count)
        ),
        "delays": lambda width, _: worked(in_memory(fan_of(build, width))),
        "delays_clock": lambda width, _: timed(in_memory(fan_of(build, width))),
        "delays_stored": lambda width, folder: timed(product(fan_of(build, width), folder).runs(1)),
    }
