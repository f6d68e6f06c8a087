"""What is selected: one selection for canvas, inspector, timeline, messages and debugger."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from studio.app.listeners import Listeners
from studio.flow.records import Flow, Wire
from studio.ids import NodeId, StepId

Bend: TypeAlias = tuple[Wire, int]
"""A wire, and which of its bends, counted from its source."""


@dataclass(frozen=True, slots=True)
class Selected:
    """What is selected on the canvas, and the step whose values and messages are shown."""

    nodes: frozenset[NodeId] = frozenset()
    wires: frozenset[Wire] = frozenset()
    step: StepId | None = None
    frames: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()
    bends: frozenset[Bend] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether nothing that stands on the canvas is selected."""
        return not (self.nodes or self.wires or self.frames or self.notes or self.bends)

    @property
    def only_node(self) -> NodeId | None:
        """The selected node, when exactly one is."""
        return next(iter(self.nodes)) if len(self.nodes) == 1 else None


class Selection:
    """Holds what is selected and tells listeners when that changes. No undo step."""

    def __init__(self) -> None:
        self._selected = Selected()
        self._changed: Listeners[Selected] = Listeners()

    @property
    def now(self) -> Selected:
        """What is selected."""
        return self._selected

    def on_change(self, listener: Callable[[Selected], None]) -> Callable[[], None]:
        """Hear every change of the selection; returns the function that ends it."""
        return self._changed.subscribe(listener)

    def select(
        self,
        nodes: Iterable[NodeId] = (),
        wires: Iterable[Wire] = (),
        frames: Iterable[str] = (),
        notes: Iterable[str] = (),
        bends: Iterable[Bend] = (),
    ) -> None:
        """Select these and nothing else; the shown step stays."""
        step, boxes = self._selected.step, (frozenset(frames), frozenset(notes))
        self._set(Selected(frozenset(nodes), frozenset(wires), step, *boxes, frozenset(bends)))

    def take(self, selected: Selected) -> None:
        """Select what was selected at another time, or a part of it; the shown step stays."""
        self._set(replace(selected, step=self._selected.step))

    def show_step(self, step: StepId | None, node: NodeId | None = None) -> None:
        """Show a step everywhere; with `node`, its node becomes the selected one."""
        if node is None:
            self._set(replace(self._selected, step=step))
        else:
            self._set(Selected(frozenset({node}), frozenset(), step))

    def keep(self, flow: Flow) -> None:
        """Let go of what is not in the flow (any more)."""
        now = self._selected
        nodes = frozenset(node for node in now.nodes if node in flow.nodes)
        wires = now.wires.intersection(flow.wires) if now.wires else now.wires
        frames = now.frames.intersection(flow.layout.frames) if now.frames else now.frames
        notes = now.notes.intersection(flow.layout.notes) if now.notes else now.notes
        bends = frozenset(one for one in now.bends if one[1] < len(flow.layout.bends.get(str(one[0]), ())))
        self._set(Selected(nodes, wires, now.step, frames, notes, bends))

    def _set(self, selected: Selected) -> None:
        if selected != self._selected:
            self._selected = selected
            self._changed.tell(selected)
