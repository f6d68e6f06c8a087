"""A run as a function: a flow, its inputs and what it may use in, its entries and outputs out."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from studio.flow.records import Flow, Json
from studio.host.recorded import run_recorded
from studio.ids import RunId, StepId
from studio.kit.prepared import PreparedFlow, load
from studio.llm.client import ChatClient
from studio.llm.lines import Priority
from studio.llm.queue import ChatQueues
from studio.runtime.open_gate import OpenGate
from studio.runtime.people import GivenAnswers, NoPeople, People
from studio.sandbox.wasm import WasmBox
from studio.sdk.code import CodeBox
from studio.trace.events import Entry, RunFailed
from studio.trace.state import RunState, fold
from studio.workspace.runs import prepare


@dataclass(frozen=True, slots=True)
class Tools:
    """What runs may use and whom they may ask; runs that are given the same one share the turns of its chats.

    `chat` names the chat profile, or is a client that answers in the place of every profile. `answers` has
    what people would be asked, by step; `people` answers the rest, without it a question ends the run.
    `store` is the folder that keeps the run as a file, as the `.stepwire` of a project; without one nothing
    is written. Keys and the user's own settings are those of `environ`. `seed` makes chance repeatable.
    """

    chat: str | ChatClient = ""
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    answers: Mapping[StepId, Json] = field(default_factory=dict[StepId, Json])
    people: People | None = None
    is_offline: bool = False
    priority: Priority = Priority.INTERACTIVE
    seed: int | None = None
    store: Path | None = None
    box: CodeBox | None = None
    """Where code of flows runs; without one each run has its own."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    queues: ChatQueues | None = None
    """The turns of chat profiles; those that this user's runs in all processes share, unless given."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a run ended: its outputs as plain JSON, or the `error` that ended it; and all that happened."""

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
    watch: Callable[[Sequence[Entry]], None] | None = None,
) -> Result:
    """Run a flow to its end in this event loop; a failure of the run is in the result.

    Many may run at once; those of one `load`ed flow share all that was made ready. `watch` is told entries as
    they happen, of a stored run once they are on disk, and then on the thread that writes. Being cancelled is
    recorded, and raised. Raises `UsageError` for inputs and chat profiles that do not fit, and as `load`.
    """
    ready = flow if isinstance(flow, PreparedFlow) else load(flow)
    tools = tools or Tools()
    profile, client = (tools.chat, None) if isinstance(tools.chat, str) else ("", tools.chat)
    materials = prepare(
        ready.project,
        ready.flow,
        ready.registry,
        environ=tools.environ,
        inputs=inputs,
        profile=profile,
        client=client,
        offline=tools.is_offline,
        limits=tools.limits,
        queues=tools.queues,
        priority=tools.priority.word,
        seed=tools.seed,
        runs=tools.store,
        is_kept=tools.store is not None,
    )
    entries: list[Entry] = []

    def publish(happened: Sequence[Entry]) -> None:
        entries.extend(happened)
        if watch is not None:
            watch(happened)

    people = GivenAnswers(tools.answers, tools.people or NoPeople(materials.spec.run))
    async with nullcontext(tools.box) if tools.box is not None else WasmBox() as box:
        outcome = await run_recorded(materials, publish, lambda _: OpenGate(), people, box=box)
    return Result(materials.spec.run, outcome.outputs, outcome.error, entries)


def run_sync(
    flow: PreparedFlow | Flow | Path | str,
    inputs: Mapping[str, Json] | None = None,
    tools: Tools | None = None,
    *,
    watch: Callable[[Sequence[Entry]], None] | None = None,
) -> Result:
    """Run a flow to its end where there is no event loop; see `run`."""
    return asyncio.run(run(flow, inputs, tools, watch=watch))
