"""The small things that a click is for: marks of problems, the names of ports and values typed at them."""

from dataclasses import dataclass
from typing import TypeAlias

from PySide6.QtCore import QPointF, QRectF

from studio.flow.checks.problem import Problem
from studio.flow.ports import PortType
from studio.flow.records import Socket, Wire
from studio.ids import NodeId
from studio.ui.canvas.cards.card import area_head, card_head
from studio.ui.canvas.cards.cards import Cards
from studio.ui.canvas.cards.labels import label_of, literal_of
from studio.ui.canvas.cards.marks import SIDE, port_mark
from studio.ui.canvas.scene.geometry import Side, Spot
from studio.ui.canvas.scene.wires import points_on

SLACK = 2.0
"""Scene units around a mark that still count as the mark."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A mark, with the problems that it stands for."""

    problems: tuple[Problem, ...]
    place: QRectF
    """In the scene."""


@dataclass(frozen=True, slots=True)
class Typed:
    """The name or the value at an unwired input that a value can be typed at."""

    spot: Spot
    place: QRectF


Detail: TypeAlias = Marked | Typed


def can_type(kind: PortType) -> bool:
    """Whether a value of this type can be typed: not order, not what is lent, not messages."""
    return not kind.is_binding and kind.base not in {"order", "message", "messages"}


def detail_of_node(cards: Cards, node: NodeId, x: float, y: float) -> Detail | None:
    """What stands on a card, or in an area's title row, at a scene point."""
    scene = cards.scene
    area, rect = scene.area_of(node), scene.rect(node)
    at, shift = QPointF(x - rect.x, y - rect.y), QPointF(rect.x, rect.y)
    found = cards.shown.found
    if area is not None and area.node != node:
        return None
    card = cards.card(node)
    head = card_head(card, cards.style) if area is None else area_head(card, rect.width, cards.style)
    mark = head.mark
    if mark is not None and mark.adjusted(-SLACK, -SLACK, SLACK, SLACK).contains(at):
        return Marked(found.nodes.get(node, ()), mark.translated(shift))
    for port, _ in card.port_signs:
        spot = next((one for one in scene.spots(node) if one.port == port and not one.is_output), None)
        if spot is not None and port_mark(spot).contains(at):
            return Marked(found.ports.get(Socket(node, spot.port), ()), port_mark(spot).translated(shift))
    return typed_at(cards, node, at, shift) if area is None else None


def typed_at(cards: Cards, node: NodeId, at: QPointF, shift: QPointF) -> Typed | None:
    """The name or typed value at a point of a card."""
    box, wired = cards.card(node).box, cards.card(node).wired
    for spot in box.spots:
        if spot.side is not Side.LEFT or (spot.port, False) in wired or not can_type(spot.type):
            continue
        place = typing_place(cards, node, spot)
        if place is not None and place.contains(at):
            return Typed(spot, place.translated(shift))
    return None


def typing_place(cards: Cards, node: NodeId, spot: Spot) -> QRectF | None:
    """Where a port's name and value stand on its card; None where neither is written."""
    box = cards.card(node).box
    label, field = label_of(box, spot, cards.style), literal_of(box, spot, cards.style)
    if label is None:
        return None
    return label.place.united(field.place) if field is not None else label.place


def wire_mark(cards: Cards, wire: Wire) -> QRectF | None:
    """Where the mark of a wire stands in the scene: halfway; None for one that is not drawn."""
    scene = cards.scene
    row = scene.wire_row.get(wire)
    if row is None:
        return None
    on = points_on(scene.curves[scene.pieces(row)], 8).reshape(-1, 2)
    x, y = on[len(on) // 2].tolist()
    return QRectF(x - SIDE / 2, y - SIDE / 2, SIDE, SIDE)


def detail_of_wire(cards: Cards, wire: Wire, x: float, y: float) -> Marked | None:
    """The mark of a wire, if a scene point is at it."""
    problems = cards.shown.found.wires.get(wire)
    place = wire_mark(cards, wire) if problems else None
    if place is None or not place.adjusted(-SLACK, -SLACK, SLACK, SLACK).contains(x, y):
        return None
    return Marked(problems or (), place)
