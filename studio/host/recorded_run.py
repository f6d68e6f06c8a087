"""A run with its record: the runtime and the store's writer joined, for hosts and the command line alike.

What only stored runs need, and those with edits, is loaded with the first of them.
"""

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from studio.flow.records import Json
from studio.ids import StepId
from studio.llm.client import ChatClient
from studio.runtime.gates.debug_gate import Gate, Phase
from studio.runtime.limits.accounts import accounts_at, ledger_of
from studio.runtime.recorder import MemorySink, Recorder, Sink
from studio.runtime.replay.past import Past
from studio.runtime.resources.people import People
from studio.runtime.run import Control, Drive, Outcome, Outside, RunSpec, RunTools, execute
from studio.sdk.code import CodeBox
from studio.sdk.registry import Registry
from studio.trace.events import Entry, Event

if TYPE_CHECKING:
    from studio.runtime.gates.edited_gate import Edits
    from studio.store.run_files.committer import Committer

Publish = Callable[[Sequence[Entry]], None]
"""Called on the writer's thread with entries that are on disk, in order."""


HANDED_OVER = 0.0005
"""Seconds after which a thread at work lets another go on, in a process with runs: a tenth of the default.

While the run's thread waits for something, the writer's publishes. An answer that arrives then waits for it,
and would be lost with the process until it is written.
"""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a run goes back to: the `past` that it takes over, and what is edited in it.

    Of the same run, going on, also the `entries` of before, and the steps that are over: they stay `quiet`.
    """

    past: Past | None = None
    edits: "Edits" = field(default_factory=dict[tuple[StepId, Phase], Mapping[str, Json]])
    entries: Sequence[Entry] = ()
    quiet: frozenset[StepId] = frozenset()


@dataclass(frozen=True, slots=True)
class RunMaterials:
    """All that a run needs, checked and opened. `store` is the run's own file; without it, none is kept."""

    spec: RunSpec
    registry: Registry
    chats: Callable[[str], ChatClient]
    outside: Outside
    store: Path | None = None
    redact: Callable[[Event], Event] | None = None
    close: Callable[[], Awaitable[None]] | None = None
    earlier: Earlier = field(default_factory=Earlier)
    ready: Callable[[], Awaitable[None]] | None = None
    """Loads what its steps need, such as the chat client."""
    attend: Callable[[bool], None] = lambda _: None
    """Told whether somebody goes through the run step by step, and waits for each."""
    drive: Drive | None = None
    """What decides which steps there are, where that is a script; the flow then has only the inputs."""


async def run_recorded(
    materials: RunMaterials,
    publish: Publish,
    make_gate: Callable[[Recorder], Gate],
    people: People,
    *,
    committer: "Committer | None" = None,
    control: Control | None = None,
    box: CodeBox | None = None,
) -> Outcome:
    """Run to the end; every entry of a stored run is on disk before `publish` sees it. Closes the materials.

    With an allowance in `control` the run is held at its limits instead of ending there. Runs that share a
    `committer` share its thread. Code that is not ours runs in the `box`, or not at all.
    """
    spec, registry, store, earlier = materials.spec, materials.registry, materials.store, materials.earlier
    outside, writer = replace(materials.outside, box=box), None
    sink: Sink = MemorySink(lambda entry: publish((entry,)))
    if store is not None:
        from studio.store.images import IMAGES, ImageFolder
        from studio.store.run_files.writer import RunWriter

        sys.setswitchinterval(min(sys.getswitchinterval(), HANDED_OVER))
        sink = writer = RunWriter(store, publish, committer=committer, earlier=earlier.entries)
        outside = replace(outside, images=ImageFolder(store.parent.parent / IMAGES))
    try:
        after = earlier.entries[-1].number if earlier.entries else 0
        recorder = Recorder(spec.run, sink, redact=materials.redact, after=after, quiet=earlier.quiet)
        gate = _with_changes(make_gate(recorder), recorder, spec, registry, earlier)
        ledger = None  # what a run that goes on has spent
        if earlier.entries:
            ledger = ledger_of(earlier.entries, lambda step: accounts_at(spec.flow, registry, step))
        tools = RunTools(
            registry,
            recorder,
            gate,
            materials.chats,
            people,
            outside,
            earlier.past,
            ledger,
            control or Control(),
            materials.ready,
        )
        return await execute(spec, tools, materials.drive)
    finally:
        try:
            if writer is not None:
                writer.close()
        finally:  # a full disk leaves no connection open
            if materials.close is not None:
                await materials.close()


def _with_changes(
    gate: Gate, recorder: Recorder, spec: RunSpec, registry: Registry, earlier: Earlier
) -> Gate:
    """Put in front of a gate what edits values, and before that what lets them go wrong on purpose."""
    if earlier.edits:
        from studio.runtime.gates.edited_gate import EditedGate

        gate = EditedGate(recorder, earlier.edits, spec.flow, registry, gate)
    if not spec.faults:
        return gate
    from studio.runtime.gates.fault_gate import FaultGate

    past = earlier.past
    kept, waits = (past.kept, past.is_live) if past is not None else ((), True)
    return FaultGate(recorder, spec.faults, spec.flow, registry, spec.flows, gate, kept=kept, waits=waits)
