"""The regions of a flow by their definitions: try every reading of the collects, keep the one that holds.

Slow on purpose: reachability is asked anew for every question, and nothing is remembered.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.reference.document import COLLECT, EACH, LOOP, OUTPUT, Document, Vertex, has_cycle, reach

Edges = set[tuple[Vertex, Vertex]]


@dataclass(eq=False)
class Region:
    """A loop, a map, or, with no owner, the whole flow."""

    owner: str
    is_loop: bool
    entry: Vertex
    body: set[Vertex]
    exits: set[Vertex]
    parent: "Region | None" = None
    children: "list[Region]" = field(default_factory=list["Region"])

    @property
    def whole(self) -> set[Vertex]:
        """Entry, body and exits."""
        return {self.entry} | self.body | self.exits

    @property
    def collects(self) -> list[str]:
        """The nodes that close a map."""
        return [] if self.is_loop else sorted(node for node, _ in self.exits)

    def holds(self, other: "Region | None") -> bool:
        """Whether `other` is this region or lies in it."""
        while other is not None and other is not self:
            other = other.parent
        return other is self


@dataclass
class Reading:
    """One way to read a flow: its regions, and why they break the rules, if they do."""

    root: Region
    regions: dict[str, Region]
    faults: set[str]

    def home(self, vertex: Vertex) -> Region:
        """The innermost region whose body holds the vertex."""
        return max(
            (one for one in (self.root, *self.regions.values()) if vertex in one.body),
            key=_depth,
        )


def find(document: Document) -> Reading:
    """Read the regions of a flow: the first reading without a fault, or the first of all."""
    edges = document.edges
    root = Region("", True, ("", "step"), set(document.vertices), set())
    if has_cycle(edges):
        return Reading(root, {}, {"cycle"})
    readings = list(_readings(document, edges))
    return next((one for one in readings if not one.faults), readings[0])


def _readings(document: Document, edges: Edges) -> Iterator[Reading]:
    for closes in _closings(document, edges, {}):
        regions = _regions(document, edges, closes)
        pulled = _pulled(regions, edges)
        if pulled is not None:
            yield from _readings(document, edges | {pulled})
        else:
            yield _reading(document, regions, closes)


def _closings(
    document: Document, edges: Edges, closes: dict[str, str | None]
) -> Iterator[dict[str, str | None]]:
    """Say of every collect which map it closes: the innermost one that its input stands in."""
    open_collects = [one for one in document.nodes(COLLECT) if one not in closes]
    first = next(
        (
            one
            for one in open_collects
            if not any((one, "step") in reach(edges, (other, "step")) for other in open_collects)
        ),
        None,
    )
    if first is None:
        yield closes
        return
    around = [each for each in document.nodes(EACH) if (first, "step") in _reach_of_map(edges, each, closes)]
    inner = [
        each
        for each in around
        if all((each, "step") in _reach_of_map(edges, other, closes) for other in around if other != each)
    ]
    for each in inner or around or [None]:
        yield from _closings(document, edges, {**closes, first: each})


def _reach_of_map(edges: Edges, each: str, closes: dict[str, str | None]) -> set[Vertex]:
    """What single items reach, up to and including the collects that close the map."""
    ends = {(collect, "step") for collect, map_ in closes.items() if map_ == each}
    return reach({edge for edge in edges if edge[0] not in ends}, (each, "step"))


def _regions(document: Document, edges: Edges, closes: dict[str, str | None]) -> dict[str, Region]:
    regions: dict[str, Region] = {}
    for loop in document.nodes(LOOP):
        entry, end = (loop, "entry"), (loop, "exit")
        body = {one for one in reach(edges, entry) if end in reach(edges, one)}
        regions[loop] = Region(loop, True, entry, body - {entry, end}, {end})
    for each in document.nodes(EACH):
        exits = {(collect, "step") for collect, map_ in closes.items() if map_ == each}
        regions[each] = Region(
            each,
            False,
            (each, "step"),
            _reach_of_map(edges, each, closes) - exits,
            exits,
        )
    grown = True
    while grown:  # what belongs to a region in a body belongs to that body
        grown = False
        for outer in regions.values():
            for inner in regions.values():
                held = inner.entry in outer.body and inner.exits and inner.exits <= outer.body
                if inner is not outer and held and not inner.whole <= outer.whole:
                    outer.body |= inner.whole - outer.whole
                    grown = True
    return regions


def _pulled(regions: dict[str, Region], edges: Edges) -> tuple[Vertex, Vertex] | None:
    """A region whose exits all stand in a loop's body while its entry does not, and that loop's entry."""
    for loop in regions.values():
        for other in regions.values():
            if (
                loop.is_loop
                and other is not loop
                and other.exits
                and other.exits <= loop.body
                and other.entry not in loop.body
                and other.entry not in reach(edges, loop.entry)
                and loop.entry not in reach(edges, other.entry)
            ):
                return loop.entry, other.entry
    return None


def _reading(document: Document, regions: dict[str, Region], closes: dict[str, str | None]) -> Reading:
    root = Region("", True, ("", "step"), set(document.vertices), set())
    faults: set[str] = set()
    for one in regions.values():
        for other in regions.values():
            nested = one.whole <= other.body or other.whole <= one.body
            if one is not other and one.whole & other.whole and not nested:
                faults.add("overlapping maps" if not (one.is_loop or other.is_loop) else "crossing")
        around = [other for other in regions.values() if one.whole <= other.body]
        one.parent = min(around, key=lambda other: len(other.whole), default=root)
        one.parent.children.append(one)
        if not one.is_loop and not one.exits:
            faults.add("map without collect")
        if not one.is_loop and any(document.kind(node) == OUTPUT for node, _ in one.body):
            faults.add("output in a map")
    if any(closed is None for closed in closes.values()):
        faults.add("collect without map")
    reading = Reading(root, regions, faults)
    if not faults:
        faults |= _waiting_for_each_other(document, reading)
    return reading


def _waiting_for_each_other(document: Document, reading: Reading) -> set[str]:
    """Cycles within a region once every child region is one vertex."""
    edges: dict[Region, set[tuple[object, object]]] = {}
    for source, target in document.edges:
        around = next(one for one in _outwards(reading.home(source)) if one.holds(reading.home(target)))
        first, last = (_seen_from(around, vertex) for vertex in (source, target))
        leaves = isinstance(first, Region) and source in first.exits
        if first is not last or leaves:
            edges.setdefault(around, set()).add((first, last))
    found: set[str] = set()
    for within in edges.values():
        for start in {one for one, _ in within}:
            cycle = {one for one in _after(within, start) if start in _after(within, one)}
            owners = [one for one in cycle if isinstance(one, Region)]
            if cycle:
                alone = len(owners) == 1 and not owners[0].is_loop
                found.add("item and list" if alone else "crosswise")
    return found


def _after(edges: set[tuple[object, object]], start: object) -> set[object]:
    found: set[object] = set()
    waiting = [start]
    while waiting:
        here = waiting.pop()
        for source, target in edges:
            if source == here and target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _seen_from(around: Region, vertex: Vertex) -> object:
    """The child region that the vertex belongs to, its entry and exits counted, or else the vertex."""
    for child in around.children:
        if vertex in child.whole:
            return child
    return vertex


def _outwards(region: Region | None) -> Iterator[Region]:
    while region is not None:
        yield region
        region = region.parent


def _depth(region: Region) -> int:
    return len(list(_outwards(region)))
