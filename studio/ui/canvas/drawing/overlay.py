"""What is drawn live above the still picture: selection, hover, pulses, the hint on an empty canvas."""

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.ids import NodeId
from studio.ui.canvas.board import Board
from studio.ui.canvas.cards.break_marks import draw_breakpoint, draw_port_breakpoint
from studio.ui.canvas.cards.card import RADIUS
from studio.ui.canvas.cards.port_marks import draw_port
from studio.ui.canvas.drawing.bend_marks import paint_bends, shown_wires
from studio.ui.canvas.drawing.detail_hover import paint_detail
from studio.ui.canvas.drawing.wires import wire_path
from studio.ui.canvas.hits import Target
from studio.ui.canvas.scene import areas as area_shape
from studio.ui.canvas.scene.scene import Scene
from studio.ui.canvas.scene.wires import points_on
from studio.ui.canvas.sight import CARDS_FROM, View, widget_rect
from studio.ui.canvas.style import Role, Style

RING_GAP = 3.5


def paint_selection(painter: QPainter, board: Board, view: View) -> None:
    """Draw the outer ring of every selected node and a bright core on every selected wire."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    scene, style = board.scene, board.style
    for wire in board.document.selection.now.wires:
        row = scene.wire_row.get(wire)
        if row is not None:
            paint_wire(painter, board, view, row, "accent.action", 5.0, 0.45)
            paint_wire(painter, board, view, row, "text.strong", 1.5, 1.0)
    paint_bends(painter, board, view, shown_wires(board))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    seen = view.seen().grown(20)
    for node in board.selected:
        if scene.rect(node).meets(seen):
            painter.setPen(QPen(style.color("accent.action"), 2.0))
            _paint_ring(painter, scene, node, view)
            _repeat_breakpoint(painter, board, node, view)


def paint_hover(painter: QPainter, board: Board, view: View) -> None:
    """Say what a press here would take: a wire thicker, a port larger with its order ports shown."""
    hover, scene, style = board.hover, board.scene, board.style
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_detail(painter, hover.detail, view.camera, style)
    if hover.wire is not None and hover.wire in scene.wire_row:
        paint_wire(painter, board, view, scene.wire_row[hover.wire], "text.strong", 1.2, 0.75)
    if hover.node is None or hover.node not in scene.row or view.camera.scale < CARDS_FROM:
        return
    if hover.target is Target.AREA:
        return
    wired_in, wired_out = scene.wired[hover.node]
    rect = scene.rect(hover.node)
    painter.save()
    painter.translate(*view.camera.to_widget(rect.x, rect.y))
    painter.scale(view.camera.scale, view.camera.scale)
    for spot in scene.spots(hover.node):
        is_hit = hover.spot == spot
        if spot.is_order or is_hit:
            is_wired = spot.port in (wired_out if spot.is_output else wired_in)
            draw_port(
                painter, spot, QPointF(spot.x, spot.y), style, is_wired=is_wired, size=1.3 if is_hit else 1.0
            )
            draw_port_breakpoint(painter, board.cards.card(hover.node).held_ports, spot, style)
    painter.restore()


def paint_pulses(painter: QPainter, board: Board, view: View, pulses: Iterable[tuple[int, float]]) -> None:
    """Draw values under way: a bright stretch of a wire, by its row and how far it has come (0 to 1)."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    scene = board.scene
    for row, done in pulses:
        if row >= len(scene.wires):
            continue
        on = points_on(scene.curves[scene.pieces(row)], 40).reshape(-1, 2)
        on = on * view.camera.scale + (view.camera.x, view.camera.y)
        head = round(done * (len(on) - 1))
        stretch = on[max(0, head - 12) : head + 1]
        color = board.style.color(f"port.{scene.wire_colors[scene.wire_color[row]]}")
        painter.setPen(QPen(color, 4.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolyline([QPointF(x, y) for x, y in stretch.tolist()])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(board.style.color("text.strong"))
        painter.drawEllipse(QPointF(*on[head].tolist()), 3.2, 3.2)


def paint_tip(painter: QPainter, style: Style, at: QPointF, text: str, room: QRectF) -> None:
    """Say one sentence beside the pointer, inside `room`."""
    rows = style.wrapped(text, Role.BODY, 280, 4)
    width = max((style.metrics[Role.BODY].horizontalAdvance(row) for row in rows), default=0) + 24
    place = QRectF(at.x() + 14, at.y() + 16, width, 17 * len(rows) + 14)
    place.moveRight(min(place.right(), room.right() - 8))
    place.moveBottom(min(place.bottom(), room.bottom() - 8))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(style.color("state.failed"), 1))
    painter.setBrush(style.color("surface.panel"))
    painter.drawRoundedRect(place, 6, 6)
    painter.setFont(style.fonts[Role.BODY])
    painter.setPen(style.color("text.strong"))
    for index, row in enumerate(rows):
        painter.drawText(QPointF(place.left() + 12, place.top() + 19 + 17 * index), row)


def paint_hint(painter: QPainter, style: Style, place: QRectF, head: str, line: str) -> None:
    """Say on an empty canvas what fills it."""
    middle = place.center()
    painter.setFont(style.fonts[Role.TITLE])
    painter.setPen(style.color("text.normal"))
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(QRectF(place.left(), middle.y() - 26, place.width(), 22), flags, head)
    painter.setFont(style.fonts[Role.BODY])
    painter.setPen(style.color("text.muted"))
    painter.drawText(QRectF(place.left(), middle.y() - 2, place.width(), 22), flags, line)


def _repeat_breakpoint(painter: QPainter, board: Board, node: NodeId, view: View) -> None:
    """Draw a breakpoint once more, above the ring that would cut it."""
    found = board.cards.shown.breakpoints.get(node)
    area = board.scene.area_of(node)
    if found is None or view.camera.scale < CARDS_FROM or (area is not None and area.node != node):
        return
    rect = board.scene.rect(node)
    painter.save()
    painter.translate(*view.camera.to_widget(rect.x, rect.y))
    painter.scale(view.camera.scale, view.camera.scale)
    draw_breakpoint(painter, found, board.style)
    painter.restore()


def _paint_ring(painter: QPainter, scene: Scene, node: NodeId, view: View) -> None:
    area = scene.area_of(node)
    if area is not None and node != area.node:
        for pill in area.pills:
            if pill.node == node:
                x, y = area.rect.x + (0 if pill.on_left else area.rect.width), area.rect.y + pill.y
                left, top = view.camera.to_widget(x, y)
                wide = (area_shape.PILL_WIDTH / 2 + 3) * view.camera.scale
                high = (area_shape.PILL_HEIGHT / 2 + 3) * view.camera.scale
                painter.drawRoundedRect(QRectF(left - wide, top - high, 2 * wide, 2 * high), high, high)
        return
    gap = RING_GAP if view.camera.scale >= CARDS_FROM else 2.0
    radius = (area_shape.RADIUS if area is not None else RADIUS) * view.camera.scale + gap
    rect = widget_rect(scene.rect(node), view).adjusted(-gap, -gap, gap, gap)
    painter.drawRoundedRect(rect, radius, radius)


def paint_wire(
    painter: QPainter, board: Board, view: View, row: int, color: str, width: float, alpha: float
) -> None:
    """Draw one wire, by its row, over its own picture."""
    pieces = board.scene.pieces(row)
    curves = board.scene.curves[pieces] * view.camera.scale + np.tile([view.camera.x, view.camera.y], 4)
    painter.setPen(
        QPen(board.style.color(color, alpha), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(wire_path(*curves))
