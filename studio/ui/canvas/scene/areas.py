"""Loops and maps as areas around their bodies, with ports on the border. No Qt.

Outside left stands what comes in, inside left what each round or item gets, inside right what it gives
back, outside right what comes out. A collect is no card of its own: it is a pair of ports of its map.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from studio.flow.ports import AFTER_PORT, THEN_PORT, Signature
from studio.ids import NodeId, PortName
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.scene.borders import PILL_STEP, Pair, heights_of, pairs_of
from studio.ui.canvas.scene.geometry import Side, Spot

TITLE = 34
PAD_X = 76
PAD_TOP = 48
PAD_BOTTOM = 28
FOLDED_WIDTH = 224
EMPTY_WIDTH = 320
EMPTY_HEIGHT = 176
RADIUS = 14
PILL_WIDTH = 26
PILL_HEIGHT = 18
DOT = 6.5

_FIRST = PAD_TOP + 12.0
"""How far below an area's upper edge its first port stands."""


@dataclass(frozen=True, slots=True)
class Region:
    """A loop or map of the flow: what owns it, what stands in it, what closes it."""

    node: NodeId
    body: frozenset[NodeId]
    collects: tuple[NodeId, ...] = ()
    parent: NodeId | None = None
    lenders: frozenset[NodeId] = frozenset()
    """What is lent to steps of the body alone; those that stand close are enclosed."""
    is_folded: bool = False
    """Whether it is collapsed: shown as a node, its body hidden."""
    folded_away: frozenset[NodeId] = frozenset()
    """What collapsed regions within it hide."""


@dataclass(frozen=True, slots=True)
class Pill:
    """One or two ports on an area's border, drawn as one capsule; `y` is relative to the area."""

    node: NodeId
    on_left: bool
    y: float
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Area:
    """The drawn shape of a region."""

    region: Region
    rect: Rect
    pills: tuple[Pill, ...]
    depth: int

    @property
    def node(self) -> NodeId:
        """The loop or map node that the area is."""
        return self.region.node

    @property
    def title(self) -> Rect:
        """The strip at the top by which it is dragged; all of it once it is collapsed."""
        if self.region.is_folded:
            return self.rect
        return Rect(self.rect.x, self.rect.y, self.rect.width, TITLE)

    def spots_of(self, node: NodeId) -> tuple[Spot, ...]:
        """The ports of the area's own node or of one of its collects, relative to the area."""
        own = tuple(spot for pill in self.pills if pill.node == node for spot in pill.spots)
        if node != self.node:
            return own
        return (
            *own,
            Spot(AFTER_PORT.name, AFTER_PORT.type, False, Side.LEFT, 0, TITLE / 2, help=AFTER_PORT.help),
            Spot(
                THEN_PORT.name,
                THEN_PORT.type,
                True,
                Side.RIGHT,
                self.rect.width,
                TITLE / 2,
                help=THEN_PORT.help,
            ),
        )


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What placing areas asks of the flow: signatures, cards, heights of the ports wired to theirs."""

    signature: Callable[[NodeId], Signature | None]
    card: Callable[[NodeId], Rect | None]
    place: Callable[[NodeId], tuple[float, float]]
    """Where the layout has an area's own node; counts while its body is empty."""
    partners: Mapping[tuple[NodeId, PortName, bool], Sequence[tuple[NodeId, PortName]]]
    """By (node, port, is output): the sockets at the other ends of its wires."""
    height: Callable[[NodeId, PortName, bool], float | None]
    """The y of a card's port in the scene; None for ports of areas."""
    neighbours: Callable[[NodeId], frozenset[NodeId]]
    """The nodes at the other ends of an area's wires."""
    typed: Callable[[NodeId, PortName], str]
    """The value typed at an unwired port, on one line."""


@dataclass(slots=True)
class _Placed:
    areas: dict[NodeId, Area] = field(default_factory=dict[NodeId, Area])
    spots: dict[tuple[NodeId, PortName, bool], float] = field(
        default_factory=dict[tuple[NodeId, PortName, bool], float]
    )


@dataclass(frozen=True, slots=True)
class Known:
    """How the areas were placed before, and the nodes that have moved or changed since."""

    areas: Mapping[NodeId, Area]
    stirred: Collection[NodeId]


def place_areas(
    regions: Sequence[Region], around: Surroundings, known: Known | None = None
) -> dict[NodeId, Area]:
    """Give every region its area, the inner ones first, since an outer one grows with them.

    Of `known` areas those stay as they are around which nothing was stirred.
    """
    parents = {region.node: region.parent for region in regions}
    depths = {region.node: _depth(region.node, parents) for region in regions}
    placed = _Placed()
    stirred = set(known.stirred) if known is not None else set[NodeId]()
    for region in sorted(regions, key=lambda one: -depths[one.node]):
        before = known.areas.get(region.node) if known is not None else None
        is_kept = before is not None and before.region == region and before.depth == depths[region.node]
        if before is not None and is_kept and not _is_stirred(region, stirred, around):
            area = before
        else:
            area = _area(region, depths[region.node], placed, around)
            if area != before:
                stirred.update((region.node, *region.collects))
        placed.areas[region.node] = area
        for pill in area.pills:
            for spot in pill.spots:
                placed.spots[pill.node, spot.port, spot.is_output] = area.rect.y + spot.y
    return placed.areas


def _is_stirred(region: Region, stirred: Collection[NodeId], around: Surroundings) -> bool:
    """Whether anything by which a region's area is placed is among these nodes."""
    own = (region.node, *region.collects)
    return not (
        region.body.isdisjoint(stirred)
        and region.lenders.isdisjoint(stirred)
        and all(node not in stirred and around.neighbours(node).isdisjoint(stirred) for node in own)
    )


def _depth(node: NodeId, parents: Mapping[NodeId, NodeId | None]) -> int:
    depth, parent = 0, parents.get(node)
    while parent is not None and depth < len(parents):
        depth, parent = depth + 1, parents.get(parent)
    return depth


def _area(region: Region, depth: int, placed: _Placed, around: Surroundings) -> Area:
    left, right = pairs_of(region.node, region.collects, around.signature)
    if region.is_folded:
        return _folded(region, depth, _rect(region, placed, around), (left, right), around.typed)
    rect = _rect(region, placed, around)
    heights_left = heights_of(
        left, [_wanted(pair, rect, placed, around, on_left=True) for pair in left], _FIRST
    )
    heights_right = heights_of(
        right, [_wanted(pair, rect, placed, around, on_left=False) for pair in right], _FIRST
    )
    lowest = max([*heights_left, *heights_right], default=0.0)
    rect = Rect(rect.x, rect.y, rect.width, max(rect.height, lowest + PILL_HEIGHT + 4))
    pills = (
        *(
            Pill(pair[0], True, y, _spots(pair, rect, y, around.typed, on_left=True))
            for pair, y in zip(left, heights_left, strict=True)
        ),
        *(
            Pill(pair[0], False, y, _spots(pair, rect, y, around.typed, on_left=False))
            for pair, y in zip(right, heights_right, strict=True)
        ),
    )
    return Area(region, rect, pills, depth)


def _folded(
    region: Region,
    depth: int,
    place: Rect,
    pairs: tuple[list[Pair], list[Pair]],
    typed: Callable[[NodeId, PortName], str],
) -> Area:
    """A collapsed region: a node with the ports of the border's outer side."""
    outer = [[pair for pair in side if pair[1] is not None] for side in pairs]
    rows = max(len(outer[0]), len(outer[1]), 1)
    rect = Rect(place.x, place.y, FOLDED_WIDTH, TITLE + PILL_STEP * (rows + 1))
    pills: list[Pill] = []
    for side, on_left in zip(outer, (True, False), strict=True):
        for row, (node, port, _) in enumerate(side):
            y = TITLE + PILL_STEP * (row + 0.5)
            x = 0.5 if on_left else rect.width - 0.5
            spots = _spots((node, port, None), rect, y, typed, on_left=on_left)
            pills.append(Pill(node, on_left, y, tuple(replace(spot, x=x) for spot in spots)))
    return Area(region, rect, tuple(pills), depth)


def _rect(region: Region, placed: _Placed, around: Surroundings) -> Rect:
    inside: Rect | None = None
    for node in region.body - region.folded_away:
        area = placed.areas.get(node)
        rect = area.rect.grown(PILL_WIDTH / 2) if area else around.card(node)
        if rect is not None:
            inside = rect if inside is None else inside.united(rect)
    if inside is None:
        x, y = around.place(region.node)
        return Rect(x, y, EMPTY_WIDTH, EMPTY_HEIGHT)
    area = _padded(inside)
    for node in region.lenders:
        card = around.card(node)
        if card is not None and card.meets(area):
            inside = inside.united(card)
    return _padded(inside)


def _padded(inside: Rect) -> Rect:
    height = inside.height + PAD_TOP + PAD_BOTTOM
    return Rect(inside.x - PAD_X, inside.y - PAD_TOP, inside.width + 2 * PAD_X, height)


def _wanted(pair: Pair, rect: Rect, placed: _Placed, around: Surroundings, *, on_left: bool) -> float | None:
    node, outer, inner = pair
    for port, is_output in ((inner, on_left), (outer, not on_left)):
        if port is None:
            continue
        for partner, name in around.partners.get((node, port.name, is_output), ()):
            key = (partner, name, not is_output)
            y = placed.spots.get(key) if key in placed.spots else around.height(*key)
            if y is not None:
                return y - rect.y
    return None


def _spots(
    pair: Pair, rect: Rect, y: float, typed: Callable[[NodeId, PortName], str], *, on_left: bool
) -> tuple[Spot, ...]:
    node, outer, inner = pair
    edge = 0.0 if on_left else rect.width
    outward = -DOT if on_left else DOT
    spots: list[Spot] = []
    for port, x, is_outer in ((outer, edge + outward, True), (inner, edge - outward, False)):
        if port is not None:
            is_output = on_left != is_outer
            side = Side.RIGHT if is_output else Side.LEFT
            label = port.label or port.name.replace("_", " ")
            literal = "" if is_output else typed(node, port.name)
            spots.append(Spot(port.name, port.type, is_output, side, x, y, label, literal, port.help))
    return tuple(spots)
