"""Run variables and memories while a run goes on: which writes have taken effect, and for whom.

A step's writes take effect when it finishes: what fails, is stopped or is tried again leaves nothing behind.
The items of a map write on layers of their own, which are merged in item order as the items end. Items that
run one at a time see what those before them wrote; items that run at once see what was there when the map
began, and what they wrote themselves, so that nothing depends on which of them is faster.

When a run is resumed or forked, what finished steps wrote takes effect again, in the old order. Of a map's
items that fail, the layer is dropped.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import TypeAlias, cast

from studio.errors import StepError
from studio.ids import ROOT, Scope
from studio.runtime.replay.past import Past
from studio.runtime.state.run_memories import MemoryLayers
from studio.runtime.values import apart
from studio.sdk.values import to_plain
from studio.trace.events import MemoryWritten, StateMerged, StateWritten, Written
from studio.trace.events.values import Plain, Shown
from studio.trace.fold.variable_state import Operation, written

Writes: TypeAlias = Sequence[Written]


class Variables:
    """What the variables and memories are for the steps of the run, or of one item of a map."""

    __slots__ = ("_first", "_log", "_save", "known", "memories", "past", "scope")

    def __init__(
        self,
        scope: Scope = ROOT,
        known: Mapping[str, Shown] | None = None,
        *,
        memories: MemoryLayers | None = None,
        past: Past | None = None,
        save: Callable[[str, Sequence[MemoryWritten]], None] = lambda _whose, _writes: None,
    ) -> None:
        """Make it; with a past, what took effect in an earlier run does so in the same order.

        `save` is told what took effect here in memories, and whose it was.
        """
        self.scope = scope
        self.past = past
        self.memories = memories or MemoryLayers()
        self._save = save
        self.known: Mapping[str, Shown] = known or {}
        """Replaced with every write and never changed, so that whoever reads it keeps what was there."""
        self._first = self.known
        self._log: list[tuple[float, Writes]] = []

    @property
    def writes(self) -> Writes:
        """All that has been written here, in the order in which it took effect."""
        return [write for _, writes in self._log for write in writes]

    def take_in(self, writes: Writes, whose: str) -> None:
        """Let the writes of a step or item take effect; raises `StepError` where one does not fit."""
        known = _changed(self.known, writes)
        is_last = True
        if self.past is not None or self.scope:
            order = self.past.order(whose) if self.past is not None else inf
            place = bisect_right(self._log, order, key=lambda one: one[0])
            is_last = place == len(self._log)
            self._log.insert(place, (order, writes))
            if not is_last:
                known = self._first
                for _, earlier in self._log:
                    known = _changed(known, earlier)
        self.known = known
        remembered = _remembered(writes)
        if not remembered:
            return
        if is_last:
            self.memories.apply(remembered)
        else:
            self.memories.again(_remembered(earlier) for _, earlier in self._log)
        self._save(whose, remembered)

    def frozen(self) -> Callable[[], MemoryLayers]:
        """Give what makes layers upon the memories as they are now."""
        return self.memories.frozen()


class ItemVariables:
    """The layers of a map's items; what an item wrote is merged when it and all before it have ended."""

    def __init__(self, outer: Variables, record: Callable[[StateMerged], None], *, at_once: int) -> None:
        self._outer = outer
        self._record = record
        self._known = outer.known
        self._memories = outer.frozen()
        self._is_in_turn = at_once == 1
        self._next = 0
        self._ended: dict[int, Variables | None] = {}

    def begin(self, scope: Scope) -> Variables:
        """Give the layer of an item that begins."""
        known = self._outer.known if self._is_in_turn else self._known
        memories = self._outer.frozen() if self._is_in_turn else self._memories
        return Variables(scope, known, memories=memories(), past=self._outer.past)

    def end(self, index: int, layer: Variables | None) -> None:
        """Note that an item has ended, with None that it failed; raises as `Variables.take_in`."""
        self._ended[index] = layer
        while self._next in self._ended:
            ended = self._ended.pop(self._next)
            self._next += 1
            writes = ended.writes if ended is not None else ()
            if ended is not None:
                ended.memories.close()
            if ended is None or not writes:
                continue
            self._outer.take_in([replace(one, scope=self._outer.scope) for one in writes], ended.scope)
            self._record(StateMerged(ended.scope, self._outer.scope))


class StepVariables:
    """The variables as one attempt of a step has them; implements `studio.sdk.State`."""

    def __init__(self, layer: Variables, read: Callable[[str, Shown | None], Shown | None]) -> None:
        """Make it; `read` notes what is read, and gives what is to be read instead."""
        self._layer = layer
        self._read = read
        self._own: dict[str, Shown] = {}
        self.writes: list[StateWritten] = []
        """What takes effect if the step finishes."""

    def has(self, name: str) -> bool:
        """Tell whether anything was written to a variable."""
        return self._read(name, self._now(name)) is not None

    def read(self, name: str, default: Plain = None) -> Plain:
        """Give a variable, or `default` where nothing was written; whoever asks may change what they get."""
        found = self._read(name, self._now(name))
        return default if found is None else cast("Plain", apart(found.data))

    def write(self, name: str, value: object, operation: Operation = "set") -> None:
        """Change a variable; raises `StepError` where that cannot be."""
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # nodes need no types
            message = f"The name of a variable must be text, not `{name}`."
            raise StepError(message)
        write = StateWritten(name, operation, Shown(to_plain(value)), self._layer.scope)
        self._own[name] = written(self._now(name), write)
        self.writes.append(write)

    def _now(self, name: str) -> Shown | None:
        return self._own[name] if name in self._own else self._layer.known.get(name)


def _changed(known: Mapping[str, Shown], writes: Writes) -> Mapping[str, Shown]:
    now = dict(known)
    for write in writes:
        if isinstance(write, StateWritten):
            now[write.name] = written(now.get(write.name), write)
    return now


def _remembered(writes: Writes) -> Sequence[MemoryWritten]:
    return [one for one in writes if isinstance(one, MemoryWritten)]
