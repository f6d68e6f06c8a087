"""The memories of a run: each opened once, seen in layers as run variables are, and kept in the project.

A memory is opened at a version, which the run's first word of it has; a run that goes back to an earlier one
opens it as it was then. What took effect for all is saved in the project behind the run, unless the run is a
fork, a replay or a trial, whose writes stand in its own record alone.

A memory is a list of items under a name. A node lends functions to recall, remember and forget, which are
called in the step that uses them and reach items by `context.memory` alone: read by a search, put, remove. A
layer of items lies upon another (`sdk/item_layers.py`): a step's upon its item's, that upon what was there
when the map began. Agents and tools that are lent use the memory in the hands of the step that they work for.

What a search found is on record, the items and why; a replay is given it and needs no memory. So whatever
depends on what a memory has (what to evict, what to sum up) goes through such a search too. A fork opens a
memory at the version of then and lets what kept steps wrote take effect upon it, so that it sees the memory
as it was at its step; what read a memory that a step writes anew runs again. What is saved goes under the
name of run and step, so that a run that goes on saves nothing twice.

A memory is opened when it is first lent, on a thread. A file that cannot be read or written is told
(`memory_opened`, `memory_unsaved`), and the run goes on.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from studio.errors import StepError, StoreError
from studio.ids import RunId
from studio.runtime.recorder import Recorder
from studio.sdk.item_layers import Layer, MemoryStores, OpenedMemory, Write
from studio.sdk.items import MemoryPlace
from studio.sdk.told_items import item_of
from studio.trace.events import MemoryOpened, MemoryUnsaved, MemoryWritten
from studio.trace.fold.memory_state import vector_of_text

TROUBLE = "The run keeps what it wrote, and you can save it to the project from there."


class RunMemories:
    """Opens memories, and saves what took effect in them. Close it when the run is over."""

    def __init__(
        self,
        stores: MemoryStores,
        recorder: Recorder,
        run: RunId,
        earlier: Mapping[str, MemoryOpened] | None = None,
        *,
        is_told: bool = False,
        saves: bool = True,
    ) -> None:
        """Make it; `earlier` has as what memories were opened before, which `is_told` in the run already."""
        self._stores = stores
        self._recorder = recorder
        self._run = run
        self._earlier = earlier or {}
        self._is_told = is_told
        self._saves = saves
        self._open: dict[str, tuple[MemoryPlace, OpenedMemory, Layer]] = {}
        self._ready: dict[MemoryPlace, OpenedMemory] = {}
        self._turn = asyncio.Lock()
        self._unsaved: list[tuple[str, OpenedMemory, str, Sequence[Write]]] = []
        self._saver: asyncio.Task[None] | None = None

    async def open(self, place: MemoryPlace) -> None:
        """Open a memory for all steps; raises `StepError` where there is one of another kind."""
        async with self._turn:
            if place.name not in self._open:
                self._take(place, await asyncio.to_thread(self._opened, place))
        self._require(place)

    async def prepare(self, names: Iterable[str]) -> None:
        """Read the files of memories in which what was written before takes effect, before anyone waits."""
        for before in (self._earlier[name] for name in names if name in self._earlier):
            if before.keep == "run":
                continue
            place = MemoryPlace(before.memory, before.sort, before.keep)
            with suppress(StepError):  # who uses it is told
                self._ready[place] = await asyncio.to_thread(self._opened, place)

    def first(self, name: str) -> Layer:
        """What a memory was when the run began to use it."""
        return self._of(name)[2]

    def root(self, name: str) -> Layer:
        """What it is for all steps of the run."""
        return self._of(name)[1].root

    def use(self, place: MemoryPlace) -> None:
        """Make sure that a memory is open; raises as `open`."""
        if place.name not in self._open:
            self._take(place, self._opened(place))
        self._require(place)

    def save(self, whose: str, writes: Sequence[MemoryWritten]) -> None:
        """Keep what took effect for all in the project, behind the run, and as the run has it: keyless."""
        if not self._saves:
            return
        lasting = [one for one in writes if self._of(one.memory)[0].keep == "project"]
        for name, changes in by_memory(map(self._recorder.as_written, lasting)).items():
            self._unsaved.append((name, self._of(name)[1], f"{self._run}/{whose}", changes))
        if self._unsaved and self._saver is None:
            self._saver = asyncio.get_running_loop().create_task(self._save_all())

    async def aclose(self) -> None:
        """Wait for what is being saved, and let go of all memories."""
        try:
            while self._saver is not None:
                await asyncio.shield(self._saver)
        finally:
            for memory in (*self._ready.values(), *(memory for _, memory, _ in self._open.values())):
                memory.close()
            self._ready.clear()
            self._open.clear()

    async def _save_all(self) -> None:
        try:
            while self._unsaved:
                # The step may not be done again, with another outcome, once the project has what it wrote.
                await self._recorder.committed()
                name, memory, key, writes = self._unsaved.pop(0)
                reason = await asyncio.to_thread(memory.save, key, writes)
                if reason:
                    self._recorder.record(MemoryUnsaved(name, f"{reason} {TROUBLE}"))
        except StoreError:  # the run fails with it; whoever goes on from there saves
            self._unsaved.clear()
        finally:
            self._saver = None

    def _opened(self, place: MemoryPlace) -> OpenedMemory:
        ready = self._ready.pop(place, None)
        if ready is not None:
            return ready
        before = self._before(place)
        return self._stores.open(place, run=self._run, version=before.version if before else None)

    def _take(self, place: MemoryPlace, memory: OpenedMemory) -> None:
        before = self._before(place)
        opened = (
            replace(before, trouble=memory.trouble)
            if before is not None
            else MemoryOpened(
                place.name, place.kind, place.keep, memory.version, memory.count, memory.trouble
            )
        )
        if before is None or not self._is_told or memory.trouble not in {"", before.trouble}:
            self._recorder.record(opened)
        self._open[place.name] = place, memory, memory.root.over(frozen=True)

    def _before(self, place: MemoryPlace) -> MemoryOpened | None:
        """As what the same memory was opened in the run that this one goes back to."""
        found = self._earlier.get(place.name)
        is_same = found is not None and (found.sort, found.keep) == (place.kind, place.keep)
        return found if is_same else None

    def _require(self, place: MemoryPlace) -> None:
        there, _, _ = self._of(place.name)
        if (there.kind, there.keep) != (place.kind, place.keep):
            what = f"`{there.kind}` kept for the {there.keep}"
            message = f"The memory `{place.name}` is {what}, not `{place.kind}` kept for the {place.keep}."
            raise StepError(message, hint="Rename one of them.")

    def _of(self, name: str) -> tuple[MemoryPlace, OpenedMemory, Layer]:
        found = self._open.get(name)
        if found is None:
            before = self._earlier.get(name)
            if before is None:
                message = f"There is no memory `{name}` in this run."
                raise StepError(message)
            self.use(MemoryPlace(name, before.sort, before.keep))
            found = self._open[name]
        return found


def nowhere(name: str) -> Layer:
    """Stands where there are no memories; raises `StepError`."""
    message = f"There is no memory `{name}` here."
    raise StepError(message)


class MemoryLayers:
    """The memories as all steps of a run see them, or those of one item of a map."""

    __slots__ = ("_first", "_layers", "_own")

    def __init__(
        self, first: Callable[[str], Layer] = nowhere, own: Callable[[str], Layer] = nowhere
    ) -> None:
        """Make it; `first` gives a memory as it was at the beginning, `own` a layer upon that."""
        self._first = first
        self._own = own
        self._layers: dict[str, Layer] = {}

    @classmethod
    def of_run(cls, run: RunMemories) -> "MemoryLayers":
        """Those that all steps of a run see."""
        return cls(run.first, run.root)

    def layer(self, name: str) -> Layer:
        """Give a memory as it is here."""
        if name not in self._layers:
            self._layers[name] = self._own(name)
        return self._layers[name]

    def frozen(self) -> Callable[[], "MemoryLayers"]:
        """Give what makes layers upon the memories as they are now."""
        now = {name: one.over(frozen=True) for name, one in self._layers.items()}

        def first(name: str) -> Layer:
            if name not in now:
                now[name] = self._first(name)
            return now[name]

        return lambda: MemoryLayers(first, lambda name: first(name).over(frozen=False))

    def apply(self, writes: Sequence[MemoryWritten]) -> None:
        """Let writes take effect."""
        for name, changes in by_memory(writes).items():
            self.layer(name).apply(changes)

    def again(self, writes: Iterable[Sequence[MemoryWritten]]) -> None:
        """Let these writes take effect, in the place of all that did."""
        for layer in self._layers.values():
            layer.clear()
        for one in writes:
            self.apply(one)

    def close(self) -> None:
        """Let go of what was written here."""
        while self._layers:
            self._layers.popitem()[1].close()


def by_memory(writes: Iterable[MemoryWritten]) -> Mapping[str, Sequence[Write]]:
    """Sort writes by memory."""
    found: dict[str, list[Write]] = {}
    for write in writes:
        found.setdefault(write.memory, []).append(write_of(write))
    return found


def write_of(written: MemoryWritten) -> Write:
    """Read a write as its event has it."""
    return Write(written.operation, item_of(written.item, vector_of_text(written.vector)), written.why)
