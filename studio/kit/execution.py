"""A run as a function: a flow, its inputs and what it may use in, its entries and outputs out.

What only stored runs need, and those that go back to earlier ones, is loaded with the first of them.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from studio.flow.records import Flow, Json
from studio.host.recorded_run import RunMaterials, run_recorded
from studio.ids import RunId
from studio.kit.ready_flow import PreparedFlow, load, no_project
from studio.kit.tools import Tools
from studio.runtime.gates.faults import fault_of
from studio.runtime.gates.gate import OpenGate
from studio.runtime.resources.people import GivenAnswers, NoPeople
from studio.sandbox.wasm import WasmBox
from studio.sdk.registry import Registry
from studio.trace.events import Entry, RunFailed
from studio.trace.fold.state import RunState, fold
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from studio.workspace.runs import prepare

if TYPE_CHECKING:
    from studio.past.replays import Terms

Watch: TypeAlias = Callable[[Sequence[Entry]], None]
"""Told entries in the order in which they happen."""


@dataclass(frozen=True, slots=True)
class Result:
    """Holds how a run ended: its outputs as plain JSON, or the `error` that ended it; and all that happened.

    `run`, `replay` and `fork` return it; they raise only for what cannot be run at all.
    """

    run: RunId
    outputs: Mapping[str, Json]
    error: RunFailed | None
    entries: Sequence[Entry]

    @property
    def state(self) -> RunState:
        """The state after the last entry: steps, messages, tokens and cost."""
        return fold(self.entries)


async def run(
    flow: PreparedFlow | Flow | Path | str,
    inputs: Mapping[str, Json] | None = None,
    tools: Tools | None = None,
    *,
    watch: Watch | None = None,
) -> Result:
    """Run a flow to its end in this event loop; a failure of the run is in the result.

    Many may run at once; those of one `load`ed flow share all that was made ready. `watch` is told entries as
    they happen, of a stored run once they are on disk, and then on the thread that writes. Being cancelled is
    recorded, and raised. Raises `UsageError` for inputs and chat profiles that do not fit, and as `load`.
    """
    ready = flow if isinstance(flow, PreparedFlow) else load(flow)
    tools = tools or Tools()
    materials = prepare(
        ready.project,
        ready.flow,
        ready.registry,
        environ=tools.environ,
        inputs=inputs,
        profile=tools.profile,
        client=tools.client,
        offline=tools.is_offline,
        limits=tools.limits,
        queues=tools.queues,
        priority=tools.priority.word,
        seed=tools.seed,
        is_kept=False,
        faults=[fault_of(one) if isinstance(one, str) else one for one in tools.faults],
        is_trusted=True,  # by code that runs already
    )
    return await run_ready(materials, tools, watch)


async def replay(
    entries: Sequence[Entry],
    tools: Tools | None = None,
    *,
    nodes: Registry | None = None,
    project: Project | None = None,
    watch: Watch | None = None,
) -> Result:
    """Run again what a run recorded, from its entries alone: nobody is asked, and nothing is bought or done.

    The first request that the recording has no answer to ends the run with exit code 4. Raises `StoreError`
    for entries without a beginning.
    """
    from studio.past.replays import OldRun, prepare_replay

    tools = tools or Tools()
    old = OldRun.of(entries, lambda first: project or no_project(first.flow_name))
    return await run_ready(prepare_replay(old, nodes or builtin_registry(), _terms(tools)), tools, watch)


async def fork(
    entries: Sequence[Entry],
    tools: Tools | None = None,
    *,
    flow: Flow | None = None,
    inputs: Mapping[str, Json] | None = None,
    step: str = "",
    nodes: Registry | None = None,
    project: Project | None = None,
    watch: Watch | None = None,
) -> Result:
    """Run again what differs from what a run recorded, and all that depends on it; take the rest over.

    It starts at `step`, or where the `flow` or its `inputs` are others first. Raises as `replay`, and
    `UsageError` for a step that the run does not have.
    """
    from studio.past.fork_wishes import Fork
    from studio.past.forks import prepare_fork
    from studio.past.replays import OldRun

    tools = tools or Tools()
    old = OldRun.of(entries, lambda first: project or no_project(first.flow_name))
    terms = replace(_terms(tools), is_live=True)
    wishes = Fork(step, (), flow, inputs or {})
    return await run_ready(prepare_fork(old, nodes or builtin_registry(), wishes, terms), tools, watch)


def _terms(tools: Tools) -> "Terms":
    from studio.past.replays import Terms

    return Terms(
        tools.environ,
        profile=tools.profile,
        limits=tools.limits,
        queues=tools.queues,
        client=tools.client,
        is_kept=False,
        is_trusted=True,
    )


async def run_ready(materials: RunMaterials, tools: Tools, watch: Watch | None = None) -> Result:
    """Run what is ready to its end; here all of the kit's runs come together."""
    run = materials.spec.run
    if tools.store is not None:
        from studio.store.reader import RunStore

        materials = replace(materials, store=RunStore(tools.store).new_run_path(run))
    entries: list[Entry] = []

    def publish(happened: Sequence[Entry]) -> None:
        entries.extend(happened)
        if watch is not None:
            watch(happened)

    people = GivenAnswers(tools.answers, tools.people or NoPeople(run))
    async with nullcontext(tools.box) if tools.box is not None else WasmBox() as box:
        outcome = await run_recorded(materials, publish, lambda _: OpenGate(), people, box=box)
    return Result(run, outcome.outputs, outcome.error, entries)


def run_sync(
    flow: PreparedFlow | Flow | Path | str,
    inputs: Mapping[str, Json] | None = None,
    tools: Tools | None = None,
    *,
    watch: Watch | None = None,
) -> Result:
    """Run a flow to its end where there is no event loop; see `run`."""
    return asyncio.run(run(flow, inputs, tools, watch=watch))
