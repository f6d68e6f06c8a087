"""Draws what a step makes as it goes: lighter than nodes are, dashed, and behind them."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from studio.ui.canvas.buffers import Floats, draw_lines, draw_rects
from studio.ui.canvas.cards.cards import Cards
from studio.ui.canvas.cards.ghost_words import cluster_words
from studio.ui.canvas.scene.ghost_layout import Ghost
from studio.ui.canvas.scene.ghosts import Cluster
from studio.ui.canvas.scene.wires import segments
from studio.ui.canvas.sight import CARDS_FROM, View, widget_rect
from studio.ui.canvas.style import Role, Style

RADIUS = 8.0
INSET = 10.0
FAINT = 0.55
"""How much of it is seen of what was dropped."""
DASHES = [4.0, 3.0]
ARROW = 5.0
TITLED_FROM = 0.28
"""The scale from which they have titles, seen from far."""


def paint_ghosts(painter: QPainter, cards: Cards, view: View, clip: QRectF) -> None:
    """Draw the ghosts that are seen."""
    seen = view.seen(clip).grown(8)
    for cluster in cards.ghosts.clusters:
        node = cards.scene.rect(cluster.node)
        if not cluster.rect.united(node).meets(seen):
            continue
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_thread(painter, cards, cluster, view)
        _paint_links(painter, cards.style, cluster, view, clip)
        if view.camera.scale >= CARDS_FROM:
            rows = _rows_in(cluster, seen.x, seen.y, seen.right, seen.bottom)
            for row in rows:
                _paint_ghost(painter, cards, cluster.laid.ghosts[row], cluster.rects[row], view)
            _paint_head(painter, cards, cluster, view)
        else:
            _paint_blocks(painter, cards, cluster, view)
        painter.restore()


def paint_chosen_ghost(painter: QPainter, cards: Cards, view: View) -> None:
    """Ring the ghost whose work is shown everywhere."""
    rect = cards.ghosts.rect_of(cards.ghosts.chosen) if cards.ghosts.chosen else None
    if rect is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(cards.style.color("accent.action"), 2.0))
    radius = RADIUS * view.camera.scale + 3
    painter.drawRoundedRect(widget_rect(rect, view).adjusted(-3, -3, 3, 3), radius, radius)


def _rows_in(cluster: Cluster, left: float, top: float, right: float, bottom: float) -> list[int]:
    rects = cluster.rects
    if not len(rects):
        return []
    x, y, wide, high = rects.T
    inside = (x <= right) & (x + wide >= left) & (y <= bottom) & (y + high >= top)
    return [int(row) for row in np.nonzero(inside)[0]]


def _paint_thread(painter: QPainter, cards: Cards, cluster: Cluster, view: View) -> None:
    """Say whose they are: a dashed line from the node down to them."""
    rect, head = cards.scene.rect(cluster.node), cluster.head
    x, top = view.camera.to_widget(rect.x + 20, rect.bottom)
    bottom = view.camera.to_widget(0, head.y)[1]
    pen = QPen(cards.style.color("text.muted", 0.7), 1.2)
    pen.setDashPattern(DASHES)
    painter.setPen(pen)
    painter.drawLine(QPointF(view.snap(x), top), QPointF(view.snap(x), bottom))


def _paint_links(painter: QPainter, style: Style, cluster: Cluster, view: View, clip: QRectF) -> None:
    """Draw what grew out of what as plain lines, and what waits for what with a head at its end."""
    curves = cluster.curves
    if not len(curves):
        return
    curves = curves * view.camera.scale + np.tile([view.camera.x, view.camera.y], 4)
    box = (clip.left() - 8, clip.top() - 8, clip.right() + 8, clip.bottom() + 8)
    growth = np.array(cluster.laid.is_growth, dtype=np.bool_)
    for chosen, color, alpha in ((growth, "text.muted", 0.6), (~growth, "text.muted", 1.0)):
        painter.setPen(QPen(style.color(color, alpha), max(1.0, 1.4 * min(view.camera.scale, 1.0))))
        draw_lines(painter, segments(curves[chosen], view.ratio, box))
    if view.camera.scale >= CARDS_FROM:
        _paint_arrows(painter, style, curves[~growth], view.camera.scale)


def _paint_arrows(painter: QPainter, style: Style, curves: Floats, scale: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.color("text.muted"))
    side = ARROW * scale
    for x, y in curves[:, 6:].tolist():
        corners = (QPointF(x, y), QPointF(x - 1.6 * side, y - side), QPointF(x - 1.6 * side, y + side))
        painter.drawPolygon(QPolygonF(corners))


def _paint_ghost(painter: QPainter, cards: Cards, ghost: Ghost, rect: Floats, view: View) -> None:
    style, scale = cards.style, view.camera.scale
    x, y, wide, high = rect.tolist()
    left, top = view.camera.to_widget(x, y)
    painter.save()
    painter.translate(view.snap(left), view.snap(top))
    painter.scale(scale, scale)
    if ghost.is_dropped:
        painter.setOpacity(FAINT)
    body = QRectF(0.5, 0.5, wide - 1, high - 1)
    line = QPen(style.color(f"state.{ghost.tone}"), 1.3)
    line.setDashPattern(DASHES)
    painter.setPen(line)
    painter.setBrush(style.mixed("surface.raised", "surface.canvas", 0.5))
    painter.drawRoundedRect(body, RADIUS, RADIUS)
    right = wide - INSET
    if ghost.figure:
        right = _paint_figure(painter, style, ghost.figure, right)
    left = _paint_mark(painter, style, ghost)
    font = style.fonts[Role.LABEL]
    if ghost.is_dropped:
        font = style.struck(Role.LABEL)
    painter.setFont(font)
    painter.setPen(style.color("text.muted" if ghost.tone == "skipped" else "text.normal"))
    flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    middle = high / 2 if not ghost.note else 15.0
    title = style.elided(ghost.title, Role.LABEL, right - left)
    painter.drawText(QRectF(left, middle - 10, right - left, 20), flags, title)
    if ghost.note:
        painter.setFont(style.fonts[Role.SMALL])
        painter.setPen(style.color("text.muted"))
        note = style.elided(ghost.note, Role.SMALL, wide - 2 * INSET)
        painter.drawText(QRectF(INSET, 24, wide - 2 * INSET, 18), flags, note)
    painter.restore()


def _paint_mark(painter: QPainter, style: Style, ghost: Ghost) -> float:
    """Draw what kind of node it would be, else a dot in the colour of its state; gives where words begin."""
    middle = 15.0 if ghost.note else 23.0
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.color(style.category(ghost.mark) if ghost.mark else f"state.{ghost.tone}"))
    if ghost.mark:
        painter.drawRoundedRect(QRectF(INSET, middle - 4, 8, 8), 2.5, 2.5)
    else:
        painter.drawEllipse(QPointF(INSET + 4, middle), 3.5, 3.5)
    return INSET + 15


def _paint_figure(painter: QPainter, style: Style, figure: str, right: float) -> float:
    """Write how it was judged at the right; gives where the title ends."""
    metrics = style.metrics[Role.SMALL]
    wide = metrics.horizontalAdvance(figure)
    painter.setFont(style.fonts[Role.SMALL])
    painter.setPen(style.color("text.muted"))
    flags = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    painter.drawText(QRectF(right - wide - 2, 5, wide + 2, 20), flags, figure)
    return right - wide - 8


def _paint_head(painter: QPainter, cards: Cards, cluster: Cluster, view: View) -> None:
    """Draw the line that says how many there are and how far they have come; a click folds them."""
    style, head = cards.style, cluster.head
    left, top = view.camera.to_widget(head.x, head.y)
    painter.save()
    painter.translate(view.snap(left), view.snap(top))
    painter.scale(view.camera.scale, view.camera.scale)
    painter.setPen(QPen(style.color("surface.line"), 1))
    painter.setBrush(style.mixed("surface.raised", "surface.canvas", 0.5))
    painter.drawRoundedRect(QRectF(0.5, 0.5, head.width - 1, head.height - 1), 6, 6)
    middle = head.height / 2
    tip = (
        ((10, middle - 4), (15, middle), (10, middle + 4))
        if cluster.is_folded
        else ((8, middle - 2), (12, middle + 2.5), (16, middle - 2))
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(style.color("text.muted"), 1.4))
    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in tip]))
    painter.setFont(style.fonts[Role.SMALL])
    words = style.elided(cluster_words(cluster), Role.SMALL, head.width - 32)
    flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    painter.drawText(QRectF(24, 0, head.width - 30, head.height), flags, words)
    painter.restore()


def _paint_blocks(painter: QPainter, cards: Cards, cluster: Cluster, view: View) -> None:
    """Draw them from far, in the colours of their states, with what titles fit."""
    style, rects = cards.style, cluster.rects
    if not len(rects):
        return
    rects = rects * view.camera.scale
    rects[:, :2] += (view.camera.x, view.camera.y)
    rects[:, 2:] = np.maximum(rects[:, 2:], 1.5)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setPen(Qt.PenStyle.NoPen)
    tones = np.array([ghost.tone for ghost in cluster.laid.ghosts])
    for tone in np.unique(tones).tolist():
        painter.setBrush(style.mixed(f"state.{tone}", "surface.canvas", 0.45))
        draw_rects(painter, rects[tones == tone])
    if view.camera.scale < TITLED_FROM:
        return
    painter.setPen(style.color("text.strong"))
    flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    for ghost, (x, y, wide, high) in zip(cluster.laid.ghosts, rects.tolist(), strict=True):
        painter.setFont(style.struck(Role.SMALL) if ghost.is_dropped else style.fonts[Role.SMALL])
        title = cards.elided(ghost.title, wide - 6)
        painter.drawText(QRectF(x + 4, y, wide - 6, high), flags, title)
