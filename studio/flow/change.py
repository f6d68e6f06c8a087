"""A change of a flow: what was, and what is instead. It can be applied, inverted and squashed.

Undo, the canvas, autosave and the problem list all consume this one value.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from studio.flow.records import Flow, Frame, Json, Layout, Node, Note, Point, Wire
from studio.ids import NodeId

K = TypeVar("K")
V = TypeVar("V")

Swap: TypeAlias = tuple[V | None, V | None]
"""A value before and after; None where there was or is nothing."""


@dataclass(frozen=True, slots=True)
class Header:
    """The parts of a flow that belong to no node."""

    name: str
    description: str
    policies: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """The difference between two flows, with a label for the history list."""

    label: str
    nodes: Mapping[NodeId, Swap[Node]] = field(default_factory=dict[NodeId, Swap[Node]])
    removed: frozenset[Wire] = frozenset()
    added: frozenset[Wire] = frozenset()
    places: Mapping[NodeId, Swap[Point]] = field(default_factory=dict[NodeId, Swap[Point]])
    frames: Mapping[str, Swap[Frame]] = field(default_factory=dict[str, Swap[Frame]])
    notes: Mapping[str, Swap[Note]] = field(default_factory=dict[str, Swap[Note]])
    bends: Mapping[str, Swap[tuple[Point, ...]]] = field(default_factory=dict[str, Swap[tuple[Point, ...]]])
    header: Swap[Header] = (None, None)
    collapsed: frozenset[NodeId] = frozenset()
    expanded: frozenset[NodeId] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether applying it changes nothing."""
        swaps = (self.nodes, self.places, self.frames, self.notes, self.bends)
        return (
            not self.removed
            and not self.added
            and not self.collapsed
            and not self.expanded
            and _same(*self.header)
            and all(_same(before, after) for swap in swaps for before, after in swap.values())
        )

    @property
    def touches_logic(self) -> bool:
        """Whether it changes more than the layout."""
        return bool(self.nodes or self.removed or self.added or self.header != (None, None))

    def applied_to(self, flow: Flow) -> Flow:
        """Give the flow after this change; `flow` must be the one it was made for."""
        layout = flow.layout
        if self.places or self.frames or self.notes or self.bends or self.collapsed or self.expanded:
            layout = Layout(
                _swapped(layout.nodes, self.places),
                _swapped(layout.frames, self.frames),
                _swapped(layout.notes, self.notes),
                _swapped(layout.bends, self.bends),
                (layout.collapsed - self.expanded) | self.collapsed,
            )
        header = self.header[1] or Header(flow.name, flow.description, flow.policies)
        return Flow(
            header.name,
            header.description,
            _swapped(flow.nodes, self.nodes),
            _rewired(flow.wires, self.removed, self.added),
            header.policies,
            layout,
        )

    def inverted(self) -> "Change":
        """The change that takes this one back."""
        return Change(
            self.label,
            _inverse(self.nodes),
            self.added,
            self.removed,
            _inverse(self.places),
            _inverse(self.frames),
            _inverse(self.notes),
            _inverse(self.bends),
            (self.header[1], self.header[0]),
            self.expanded,
            self.collapsed,
        )

    def then(self, later: "Change") -> "Change":
        """Squash this change and `later`, which follows it, into one that keeps this label."""
        return Change(
            self.label,
            _squashed(self.nodes, later.nodes),
            (self.removed - later.added) | (later.removed - self.added),
            (self.added - later.removed) | (later.added - self.removed),
            _squashed(self.places, later.places),
            _squashed(self.frames, later.frames),
            _squashed(self.notes, later.notes),
            _squashed(self.bends, later.bends),
            _squashed_header(self.header, later.header),
            (self.collapsed - later.expanded) | (later.collapsed - self.expanded),
            (self.expanded - later.collapsed) | (later.expanded - self.collapsed),
        )

    def labelled(self, label: str) -> "Change":
        """The same change under another label."""
        return replace(self, label=label)


def difference(before: Flow, after: Flow, label: str) -> Change:
    """Find the change that leads from `before` to `after`."""
    old, new = frozenset(before.wires), frozenset(after.wires)
    headers = [Header(flow.name, flow.description, flow.policies) for flow in (before, after)]
    return Change(
        label,
        _swaps(before.nodes, after.nodes),
        old - new,
        new - old,
        _swaps(before.layout.nodes, after.layout.nodes),
        _swaps(before.layout.frames, after.layout.frames),
        _swaps(before.layout.notes, after.layout.notes),
        _swaps(before.layout.bends, after.layout.bends),
        (None, None) if _same(*headers) else (headers[0], headers[1]),
        after.layout.collapsed - before.layout.collapsed,
        before.layout.collapsed - after.layout.collapsed,
    )


def _same(first: object, second: object) -> bool:
    """Whether two values are written alike; for Python alone, `1`, `1.0` and `true` are equal."""
    return first is second or (first == second and repr(first) == repr(second))


def _swaps(before: Mapping[K, V], after: Mapping[K, V]) -> dict[K, Swap[V]]:
    swaps: dict[K, Swap[V]] = {
        key: (value, after.get(key)) for key, value in before.items() if not _same(after.get(key), value)
    }
    swaps.update({key: (None, value) for key, value in after.items() if key not in before})
    return swaps


def _swapped(values: Mapping[K, V], swaps: Mapping[K, Swap[V]]) -> Mapping[K, V]:
    if not swaps:
        return values
    result = dict(values)
    for key, (_, after) in swaps.items():
        if after is None:
            result.pop(key, None)
        else:
            result[key] = after
    return result


def _inverse(swaps: Mapping[K, Swap[V]]) -> dict[K, Swap[V]]:
    return {key: (after, before) for key, (before, after) in swaps.items()}


def _squashed(first: Mapping[K, Swap[V]], second: Mapping[K, Swap[V]]) -> dict[K, Swap[V]]:
    result = dict(first)
    for key, (before, after) in second.items():
        result[key] = (result[key][0] if key in result else before, after)
    return {key: swap for key, swap in result.items() if not _same(*swap)}


def _squashed_header(first: Swap[Header], second: Swap[Header]) -> Swap[Header]:
    if second == (None, None):
        return first
    before = second[0] if first == (None, None) else first[0]
    return (None, None) if _same(before, second[1]) else (before, second[1])


def _without(wires: tuple[Wire, ...], removed: frozenset[Wire]) -> list[Wire]:
    """The wires that are left, found by their order as long as it is few that go: to hash all is dear."""
    if len(removed) * 20 > len(wires):
        return [wire for wire in wires if wire not in removed]
    kept = list(wires)
    for wire in removed:
        place = bisect_left(kept, wire.sort_key, key=lambda one: one.sort_key)
        if place < len(kept) and kept[place] == wire:
            del kept[place]
    return kept


def _rewired(wires: tuple[Wire, ...], removed: frozenset[Wire], added: frozenset[Wire]) -> tuple[Wire, ...]:
    if not removed and not added:
        return wires
    kept = _without(wires, removed)
    for wire in added:
        place = bisect_left(kept, wire.sort_key, key=lambda one: one.sort_key)
        if place == len(kept) or kept[place] != wire:
            kept.insert(place, wire)
    return tuple(kept)
