"""Runs a flow on the engine and as its script, in this process, and tells where the two differ."""

import asyncio
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar
from unittest.mock import patch

from studio.export.script import export_script
from studio.flow.calls import GivenFlows
from studio.flow.ports import Structure
from studio.ids import RunId
from studio.runtime.gate import OpenGate
from studio.runtime.people import NoPeople
from studio.runtime.recorder import MemorySink, Recorder
from studio.runtime.run import Outcome, Outside, RunSpec, RunTools, execute
from studio.script import nodes as script_nodes
from studio.script.execution import drive_of
from studio.script.flow import Flow
from studio.sdk.node import NodeType
from studio.sdk.registry import Registry
from studio.trace.events import Entry
from tests.reference.generator import Case
from tests.reference.probes import PROBES, WORLD, World
from tests.reference.running import Chats

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, T]], T]

MAY_GIVE_NOTHING = frozenset({"test.probe"})
"""Kinds whose function may give None at an output, though their annotation does not say so."""


def _said(kind: NodeType) -> NodeType:
    if kind.kind not in MAY_GIVE_NOTHING:
        return kind
    return replace(kind, outputs=tuple(replace(port, required=False) for port in kind.outputs))


KINDS = Registry([_said(kind) for kind in PROBES])
"""The library, and the node types of the engine's tests."""


@contextmanager
def kinds_of(registry: Registry) -> Generator[None]:
    """Have scripts know the node types of a registry."""
    files: Mapping[str, NodeType] = {kind.kind: kind for kind in registry}
    with (
        patch.object(script_nodes, "builtin_files", lambda: files),
        patch("studio.script.flow.registry", lambda: registry),
    ):
        script_nodes.kinds_by_name.cache_clear()
        script_nodes.function_of.cache_clear()
        try:
            yield
        finally:
            script_nodes.kinds_by_name.cache_clear()
            script_nodes.function_of.cache_clear()


def loaded(text: str) -> Flow:
    """The flow of a script."""
    module = ModuleType("stepwire_played")
    module.__file__ = "script.py"
    exec(compile(text, "script.py", "exec"), module.__dict__)  # noqa: S102  # it is what is tested
    return module.__dict__["flow"]


def script_of(case: Case, registry: Registry = KINDS) -> str:
    """The flow as a script."""
    return export_script(case.flow, registry.with_flows(GivenFlows(case.flows)), source_name="random")


async def run_script(flow: Flow, case: Case, entries: list[Entry], registry: Registry = KINDS) -> Outcome:
    """Run a script as the engine's own tests run flows."""
    recorder = Recorder(RunId("script"), MemorySink(entries.append))
    tools = RunTools(
        registry.with_flows(GivenFlows(flow.flows)),
        recorder,
        OpenGate(),
        lambda _: Chats(),
        NoPeople(),
        Outside(Path()),
    )
    spec = RunSpec(RunId("script"), flow.document, case.given, flows=flow.flows)
    return await execute(spec, tools, drive_of(flow))


def played(case: Case, run: Run[Outcome] = asyncio.run) -> tuple[Outcome, list[Entry], World]:
    """Run the script of a flow; gives how it ended, what it told, and what it did to the world."""
    entries: list[Entry] = []
    world = World()
    with kinds_of(KINDS):
        flow = loaded(script_of(case))

        async def whole() -> Outcome:
            WORLD.set(world)
            return await run_script(flow, case, entries)

        return run(whole()), entries, world


PURE = frozenset({Structure.FLOW_INPUT, Structure.FLOW_OUTPUT})
