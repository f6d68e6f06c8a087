"""The flow being edited, with everything that was done to it: undo and redo are changes, inverted."""

from collections.abc import Callable, Iterable

from studio.app.listeners import Listeners
from studio.flow.change import Change, difference
from studio.flow.records import Flow
from studio.ids import NodeId


class History:
    """Holds the current flow; every edit goes through `do`, and listeners hear the same change."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._done: list[Change] = []
        self._undone: list[Change] = []
        self._saved_at: Flow | None = flow
        self._changed: Listeners[Change] = Listeners()

    @property
    def flow(self) -> Flow:
        """The flow as it is now."""
        return self._flow

    @property
    def is_modified(self) -> bool:
        """Whether the flow differs from the one last saved or loaded."""
        if self._flow is self._saved_at:
            return False
        return self._saved_at is None or not difference(self._saved_at, self._flow, "").is_empty

    @property
    def undo_labels(self) -> list[str]:
        """What can be undone, oldest first."""
        return [change.label for change in self._done]

    @property
    def redo_labels(self) -> list[str]:
        """What can be redone, the next one first."""
        return [change.label for change in reversed(self._undone)]

    def on_change(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Hear every change, undone and redone ones included; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def do(self, change: Change, *, merge: bool = False) -> None:
        """Apply `change` as one undo step; `merge` squashes it into the last one of the same label.

        An empty change is no step.
        """
        if change.is_empty:
            return
        self._apply(change)
        self._undone.clear()
        if merge and self._done and self._done[-1].label == change.label:
            squashed = self._done.pop().then(change)
            if not squashed.is_empty:
                self._done.append(squashed)
        else:
            self._done.append(change)

    def undo(self) -> Change | None:
        """Take the last change back; gives the change that did it, or None when there was nothing."""
        if not self._done:
            return None
        change = self._done.pop()
        self._undone.append(change)
        return self._apply(change.inverted())

    def redo(self) -> Change | None:
        """Do again what was undone last; None when there was nothing."""
        if not self._undone:
            return None
        change = self._undone.pop()
        self._done.append(change)
        return self._apply(change)

    def announce(self, nodes: Iterable[NodeId]) -> None:
        """Have listeners read nodes again that changed by what is outside the flow; nothing is done to it."""
        records = {node: (self._flow.nodes[node], self._flow.nodes[node]) for node in nodes}
        if records:
            self._changed.tell(Change("", records))

    def mark_saved(self) -> None:
        """Remember the current flow as the one on disk."""
        self._saved_at = self._flow

    def _apply(self, change: Change) -> Change:
        self._flow = change.applied_to(self._flow)
        self._changed.tell(change)
        return change
