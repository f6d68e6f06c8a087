"""A run with its record: the runtime and the store's writer joined, for hosts and the command line alike."""

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from studio.flow.records import Json
from studio.ids import StepId
from studio.llm.client import ChatClient
from studio.runtime.allowance import Allowance
from studio.runtime.budget import Due, not_watched
from studio.runtime.edited_gate import EditedGate
from studio.runtime.gate import Gate, Phase
from studio.runtime.images import MemoryImages
from studio.runtime.ledger import Ledger, accounts_at, ledger_of
from studio.runtime.past import Past
from studio.runtime.people import People
from studio.runtime.recorder import MemorySink, Recorder, Sink
from studio.runtime.run import Outcome, RunSpec, RunTools, execute
from studio.runtime.stops import Stops
from studio.sdk.code import CodeBox
from studio.sdk.registry import Registry
from studio.servers.grants import Grants
from studio.servers.records import Servers
from studio.store.committer import Committer
from studio.store.images import IMAGES, ImageFolder
from studio.store.memories.file_names import MEMORIES
from studio.store.memories.stored import StoredMemories
from studio.store.writer import RunWriter
from studio.trace.events import Entry, Event
from studio.web.request import Web

Publish = Callable[[Sequence[Entry]], None]
"""Called on the writer's thread with entries that are on disk, in order."""


HANDED_OVER = 0.0005
"""Seconds after which a thread at work lets another go on, in a process with runs: a tenth of the default.

While the run's thread waits for something, the writer's publishes. An answer that arrives then waits for it,
and would be lost with the process until it is written.
"""


@dataclass(frozen=True, slots=True)
class RunMaterials:
    """All that a run needs, checked and opened. `store` is the run's own file; without it, none is kept."""

    spec: RunSpec
    registry: Registry
    chats: Callable[[str], ChatClient]
    root: Path
    store: Path | None
    redact: Callable[[Event], Event]
    close: Callable[[], Awaitable[None]]
    past: Past | None = None
    earlier: Sequence[Entry] = ()
    """All that happened in a run that goes on."""
    quiet: frozenset[StepId] = frozenset()
    """The steps of it that are over."""
    edits: Mapping[tuple[StepId, Phase], Mapping[str, Json]] = field(
        default_factory=dict[tuple[StepId, Phase], Mapping[str, Json]]
    )
    """Values that stand in the place of what steps read or give themselves."""
    web: Web | None = None
    """What sends the requests of tools."""
    servers: Servers | None = None
    """What opens servers that lend tools."""
    grants: Grants | None = None
    """What commands a person has allowed to start."""
    ready: Callable[[], Awaitable[None]] | None = None
    """Loads what its steps need, such as the chat client."""
    attend: Callable[[bool], None] = lambda _: None
    """Told whether somebody goes through the run step by step, and waits for each."""
    due: Due = not_watched
    """Told when the run is to be over, for a process above that ends it when it is not."""


async def run_recorded(
    materials: RunMaterials,
    publish: Publish,
    make_gate: Callable[[Recorder], Gate],
    people: People,
    *,
    committer: Committer | None = None,
    allowance: Allowance | None = None,
    stops: Stops | None = None,
    box: CodeBox | None = None,
) -> Outcome:
    """Run to the end; every entry of a stored run is on disk before `publish` sees it. Closes the materials.

    With an `allowance` the run is held at its limits instead of ending there. Runs that share a `committer`
    share its thread; `stops` is where single steps are cancelled.
    Code that is not ours runs in the `box`, or not at all.
    """
    store, writer = materials.store, None
    sink: Sink = MemorySink(lambda entry: publish((entry,)))
    if store is not None:
        sys.setswitchinterval(min(sys.getswitchinterval(), HANDED_OVER))
        sink = writer = RunWriter(store, publish, committer=committer, earlier=materials.earlier)
    try:
        recorder = Recorder(
            materials.spec.run,
            sink,
            redact=materials.redact,
            after=materials.earlier[-1].number if materials.earlier else 0,
            quiet=materials.quiet,
        )
        gate = make_gate(recorder)
        if materials.edits:
            gate = EditedGate(recorder, materials.edits, materials.spec.flow, materials.registry, gate)
        tools = RunTools(
            materials.registry,
            recorder,
            gate,
            materials.chats,
            people,
            materials.root,
            materials.past,
            _ledger(materials),
            stops or Stops(),
        )
        tools = replace(
            tools,
            allowance=allowance,
            box=box,
            web=materials.web,
            servers=materials.servers,
            grants=materials.grants,
            ready=materials.ready,
            due=materials.due,
            images=ImageFolder(store.parent.parent / IMAGES) if store is not None else MemoryImages(),
            memories=StoredMemories(materials.root / MEMORIES),
        )
        return await execute(materials.spec, tools)
    finally:
        if writer is not None:
            writer.close()
        await materials.close()


def _ledger(materials: RunMaterials) -> Ledger | None:
    """What a run that goes on has spent."""
    if not materials.earlier:
        return None
    spec, registry = materials.spec, materials.registry
    return ledger_of(materials.earlier, lambda step: accounts_at(spec.flow, registry, step))
