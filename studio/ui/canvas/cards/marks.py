"""Marks of problems: on cards and areas, at ports, on wires. A click on one asks what to do."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from studio.flow.checks.problem import Problem
from studio.flow.plain_text import quoted
from studio.flow.records import Socket, Wire
from studio.ids import NodeId
from studio.ui.canvas.scene.geometry import Side, Spot
from studio.ui.canvas.style import Style

SIDE = 14.0
"""The width and height of a mark on a card."""
SMALL = 10.0
"""The same of a mark at a port."""
_BESIDE = {Side.LEFT: (-6.0, -7.0), Side.RIGHT: (6.0, -7.0), Side.BOTTOM: (8.5, 5.0), Side.TOP: (8.5, -5.0)}
MOST_WIRES = 12
"""Wires that one problem marks; a cycle may have hundreds."""


class Sign(StrEnum):
    """What a mark says at a glance: each has a shape and a letter of its own beside its colour."""

    ERROR = "error"
    OPEN = "open"
    """What will be an error once somebody tries to run it: something is still to be wired or set."""
    WARNING = "warning"
    ONCE = "once"
    """The node is fed by a loop, but runs only once, after it."""


@dataclass(frozen=True, slots=True)
class Found:
    """The problems of a flow by where they are marked."""

    all: tuple[Problem, ...] = ()
    nodes: dict[NodeId, tuple[Problem, ...]] = field(default_factory=dict[NodeId, tuple[Problem, ...]])
    ports: dict[Socket, tuple[Problem, ...]] = field(default_factory=dict[Socket, tuple[Problem, ...]])
    wires: dict[Wire, tuple[Problem, ...]] = field(default_factory=dict[Wire, tuple[Problem, ...]])
    sentences: dict[NodeId, str] = field(default_factory=dict[NodeId, str])
    """What is wrong with a node first of all."""
    tried: frozenset[NodeId] = frozenset()
    """The nodes that were there when somebody last tried to run the flow: only their errors are red."""

    def sign(self, node: NodeId) -> Sign | None:
        """The mark of a card or area; None where all is well."""
        return sign_of(self.nodes.get(node, ()), is_tried=node in self.tried)

    def wire_sign(self, wire: Wire) -> Sign | None:
        """The mark of a wire; None where all is well."""
        is_tried = wire.source.node in self.tried and wire.target.node in self.tried
        return sign_of(self.wires.get(wire, ()), is_tried=is_tried)


def found_by_place(problems: Sequence[Problem], tried: frozenset[NodeId] = frozenset()) -> Found:
    """Sort problems by where they are marked; those of the whole flow are marked nowhere."""
    nodes: dict[NodeId, list[Problem]] = defaultdict(list)
    ports: dict[Socket, list[Problem]] = defaultdict(list)
    wires: dict[Wire, list[Problem]] = defaultdict(list)
    for problem in problems:
        if problem.node is not None:
            nodes[problem.node].append(problem)
            if problem.port is not None:
                ports[Socket(problem.node, problem.port)].append(problem)
        for wire in problem.wires[:MOST_WIRES]:
            wires[wire].append(problem)
    return Found(
        tuple(problems),
        {node: tuple(some) for node, some in nodes.items()},
        {socket: tuple(some) for socket, some in ports.items()},
        {wire: tuple(some) for wire, some in wires.items()},
        {node: quoted(some[0].message) for node, some in nodes.items()},
        tried,
    )


def sign_of(problems: Sequence[Problem], *, is_tried: bool) -> Sign | None:
    """The worst of some problems; what only runs once has a sign of its own."""
    if any(one.severity == "error" for one in problems):
        return Sign.ERROR if is_tried else Sign.OPEN
    if any(one.code != "runs-once" for one in problems):
        return Sign.WARNING
    return Sign.ONCE if problems else None


def port_mark(spot: Spot) -> QRectF:
    """Where the mark of a port stands, relative to what the port is of: beside it, away from its label."""
    dx, dy = {
        Side.LEFT: (-6.0, -7.0),
        Side.RIGHT: (6.0, -7.0),
        Side.BOTTOM: (8.5, 5.0),
        Side.TOP: (8.5, -5.0),
    }[spot.side]
    return QRectF(spot.x + dx - SMALL / 2, spot.y + dy - SMALL / 2, SMALL, SMALL)


def draw_mark(painter: QPainter, sign: Sign, place: QRectF, style: Style) -> None:
    """Draw a sign: errors a disc, before a try a ring; warnings a triangle, running once a ring with a 1."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    color = style.color("state.failed" if sign is Sign.ERROR else "state.held")
    ground = style.color("state.on_state")
    inner = place.adjusted(0.8, 0.8, -0.8, -0.8)
    unit = place.width() / SIDE
    if sign is Sign.OPEN:
        painter.setPen(QPen(style.color("text.muted"), 1.5 * unit))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(place.center(), 4.2 * unit, 4.2 * unit)
    elif sign is Sign.ONCE:
        painter.setPen(QPen(color, 1.4 * unit))
        painter.setBrush(style.color("surface.raised"))
        painter.drawEllipse(inner)
        _draw_one(painter, place.center(), unit, QPen(color, 1.6 * unit))
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPath(_triangle(place) if sign is Sign.WARNING else _disc(place))
        painter.setPen(QPen(ground, 1.8 * unit, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        x, y = place.center().x(), place.center().y() + (1.0 * unit if sign is Sign.WARNING else 0)
        painter.drawLine(QPointF(x, y - 3.1 * unit), QPointF(x, y + 0.6 * unit))
        painter.drawPoint(QPointF(x, y + 3.3 * unit))
    painter.restore()


def _draw_one(painter: QPainter, middle: QPointF, unit: float, pen: QPen) -> None:
    painter.setPen(pen)
    top, foot = middle + QPointF(0.5, -3.2) * unit, middle + QPointF(0.5, 3.4) * unit
    painter.drawLine(top, foot)
    painter.drawLine(top, middle + QPointF(-1.6, -1.7) * unit)


def _disc(place: QRectF) -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(place)
    return path


def _triangle(place: QRectF) -> QPainterPath:
    path = QPainterPath(QPointF(place.center().x(), place.top() - 0.5))
    path.lineTo(place.right() + 0.5, place.bottom())
    path.lineTo(place.left() - 0.5, place.bottom())
    path.closeSubpath()
    return path
