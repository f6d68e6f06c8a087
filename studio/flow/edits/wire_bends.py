"""Edits of the bends of wires, several at a time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from studio.flow.change import Change
from studio.flow.records import Flow, Point, Wire


def lead(flow: Flow, ways: Mapping[Wire, Sequence[Point]], label: str = "") -> Change:
    """Lead wires through these points instead of their old ones; through none, they are straight again."""
    there = frozenset(flow.wires)
    bends = {
        str(wire): (flow.layout.bends.get(str(wire)), tuple(points) or None)
        for wire, points in ways.items()
        if wire in there
    }
    bends = {text: (before, after) for text, (before, after) in bends.items() if before != after}
    named = "Bend wire" if len(bends) == 1 else f"Bend {len(bends)} wires"
    return Change(label or named, bends=bends)


def insert(flow: Flow, wire: Wire, place: int, point: Point) -> Change:
    """Give a wire one more bend, before the one that is now at `place`."""
    points = bends_of(flow, wire)
    return lead(flow, {wire: (*points[:place], point, *points[place:])}, "Add bend")


def straighten(flow: Flow, bends: Iterable[tuple[Wire, int]]) -> Change:
    """Take these bends away, each given by its wire and its place there."""
    going: dict[Wire, set[int]] = defaultdict(set)
    for wire, place in bends:
        going[wire].add(place)
    count = sum(len(places) for places in going.values())
    ways = {
        wire: [point for place, point in enumerate(bends_of(flow, wire)) if place not in places]
        for wire, places in going.items()
    }
    return lead(flow, ways, "Remove bend" if count == 1 else f"Remove {count} bends")


def bends_of(flow: Flow, wire: Wire) -> tuple[Point, ...]:
    """The points that a wire is led through."""
    return flow.layout.bends.get(str(wire), ())
