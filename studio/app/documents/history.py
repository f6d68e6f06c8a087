"""The flow being edited, with everything that was done to it: undo and redo are changes, inverted."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from studio.app.listeners import Listeners
from studio.flow.change import Change, difference
from studio.flow.records import Flow
from studio.ids import NodeId


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done, and when: seconds since 1970."""

    change: Change
    at: float

    @property
    def label(self) -> str:
        """What was done, in a few words."""
        return self.change.label


@dataclass(frozen=True, slots=True)
class Done:
    """A step was done; `merged` into the one before it, which had the same label."""

    step: Step
    merged: bool = False


@dataclass(frozen=True, slots=True)
class Jumped:
    """So many steps were taken back (negative) or done again."""

    steps: int


@dataclass(frozen=True, slots=True)
class Saved:
    """The flow is the one in its file now."""


Move: TypeAlias = Done | Jumped | Saved
"""What happens to a history. The same moves, made again from the same flow, give the same history."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a history holds. `undone` has the step that comes next first."""

    flow: Flow
    saved: Flow
    done: tuple[Step, ...] = ()
    undone: tuple[Step, ...] = ()


class History:
    """Holds the current flow; every edit goes through `do`, and listeners hear the same change."""

    def __init__(self, flow: Flow, clock: Callable[[], float] = time.time) -> None:
        self._flow = flow
        self._done: list[Step] = []
        self._undone: list[Step] = []
        self._saved_at = flow
        self._is_sealed = True
        self._clock = clock
        self._changed: Listeners[Change] = Listeners()
        self._moved: Listeners[Move] = Listeners()

    @property
    def flow(self) -> Flow:
        """The flow as it is now."""
        return self._flow

    @property
    def is_modified(self) -> bool:
        """Whether the flow differs from the one last saved or loaded."""
        return self._flow is not self._saved_at and not difference(self._saved_at, self._flow, "").is_empty

    @property
    def saved(self) -> Flow:
        """The flow as it was last saved or loaded."""
        return self._saved_at

    @property
    def undo_labels(self) -> list[str]:
        """What can be undone, oldest first."""
        return [step.change.label for step in self._done]

    @property
    def steps(self) -> Sequence[Step]:
        """Every step from the first: those that were done, then those that were taken back."""
        return (*self._done, *reversed(self._undone))

    @property
    def position(self) -> int:
        """How many of `steps` are done."""
        return len(self._done)

    @property
    def last_at(self) -> float:
        """When the last step was done; 0 where there is none."""
        return self._done[-1].at if self._done else 0.0

    @property
    def snapshot(self) -> Snapshot:
        """All that this history holds."""
        return Snapshot(self._flow, self._saved_at, tuple(self._done), tuple(reversed(self._undone)))

    def on_change(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Hear every change, undone and redone ones included; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def on_move(self, listener: Callable[[Move], None]) -> Callable[[], None]:
        """Hear what happened to the history, in order; returns the function that ends it."""
        return self._moved.subscribe(listener)

    def do(self, change: Change, *, merge: bool = False) -> None:
        """Apply `change` as one undo step; `merge` squashes it into the last one of the same label.

        An empty change is no step. Steps that were taken back are forgotten.
        """
        if change.is_empty:
            return
        last = self._done[-1].change.label if self._done and not self._is_sealed else None
        self._is_sealed = False
        self._take(Step(change, self._clock()), merged=merge and last == change.label)

    def undo(self) -> Change | None:
        """Take the last change back; gives the change that did it, or None when there was nothing."""
        return self.jump(self.position - 1)

    def redo(self) -> Change | None:
        """Do again what was undone last; None when there was nothing."""
        return self.jump(self.position + 1)

    def jump(self, position: int) -> Change | None:
        """Undo or redo until so many steps are done, as one change; None where that is no other place."""
        count = len(self._done) + len(self._undone)
        if position == self.position or not 0 <= position <= count:
            return None
        steps = position - self.position
        changes: list[Change] = []
        for _ in range(abs(steps)):
            if steps < 0:
                self._undone.append(self._done.pop())
                changes.append(self._undone[-1].change.inverted())
            else:
                self._done.append(self._undone.pop())
                changes.append(self._done[-1].change)
        change = reduce(Change.then, changes)
        self._is_sealed = True
        self._turn(change.applied_to(self._flow), change, Jumped(steps))
        return change

    def repeat(self, move: Move) -> None:
        """Do again what happened to another history that was like this one."""
        match move:
            case Done(step, merged):
                self._take(step, merged=merged)
            case Jumped(steps):
                self.jump(self.position + steps)
            case Saved():
                self.mark_saved()

    def announce(self, nodes: Iterable[NodeId]) -> None:
        """Have listeners read nodes again that changed by what is outside the flow; nothing is done to it."""
        records = {node: (self._flow.nodes[node], self._flow.nodes[node]) for node in nodes}
        if records:
            self._changed.tell(Change("", records))

    def mark_saved(self) -> None:
        """Remember the current flow as the one on disk."""
        self._saved_at = self._flow
        self._moved.tell(Saved())

    def restore(self, snapshot: Snapshot) -> None:
        """Be what another history was; that is no move. The next step is merged with none of it."""
        change = difference(self._flow, snapshot.flow, "")
        self._done = list(snapshot.done)
        self._undone = list(reversed(snapshot.undone))
        self._saved_at = snapshot.saved
        self._is_sealed = True
        self._flow = snapshot.flow
        if not change.is_empty:
            self._changed.tell(change)

    def _take(self, step: Step, *, merged: bool) -> None:
        flow = step.change.applied_to(self._flow)
        self._undone.clear()
        if merged:
            last = self._done.pop()
            squashed = last.change.then(step.change)
            if not squashed.is_empty:
                self._done.append(Step(squashed, last.at))
        else:
            self._done.append(step)
        self._turn(flow, step.change, Done(step, merged))

    def _turn(self, flow: Flow, change: Change, move: Move) -> None:
        self._flow = flow
        self._moved.tell(move)
        self._changed.tell(change)
