"""Draws the canvas from arrays, a view and a theme. The same functions serve widget, minimap and pictures."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

from studio.flow.ports import Structure
from studio.flow.records import title_of
from studio.ui.canvas.buffers import Floats, draw_lines, draw_rects
from studio.ui.canvas.cards.border_labels import is_inside, is_named, said
from studio.ui.canvas.cards.card import MARGIN, area_head, area_selector, head_text
from studio.ui.canvas.cards.cards import Cards
from studio.ui.canvas.cards.head import draw_beside_title
from studio.ui.canvas.cards.marks import Sign
from studio.ui.canvas.cards.pills import STATE_COLORS
from studio.ui.canvas.cards.pin_marks import draw_pin
from studio.ui.canvas.cards.port_marks import draw_breakpoint, draw_port
from studio.ui.canvas.cards.selector import draw_selector
from studio.ui.canvas.drawing.far_titles import paint_far_title
from studio.ui.canvas.drawing.frames import paint_frames, paint_notes
from studio.ui.canvas.drawing.sight import BLOCKS_FROM, CARDS_FROM, View, widget_rect
from studio.ui.canvas.drawing.wire_marks import paint_wire_marks
from studio.ui.canvas.scene import areas as area_shape
from studio.ui.canvas.scene.areas import Area
from studio.ui.canvas.scene.scene import Bools, Ints, Scene
from studio.ui.canvas.scene.wires import segments
from studio.ui.canvas.style import Role, Style

THIN_WIRES_BELOW = 0.45
LEAST_TITLED = 10.5
"""Points of height from which a block has its title: a collapsed node's too."""
COARSE_WIRES_BELOW = 0.2
GRID = 24


@dataclass(frozen=True, slots=True)
class Parts:
    """Which nodes and wires to draw, as masks over the scene's rows; None draws all."""

    nodes: Bools | None = None
    wires: Bools | None = None


ALL = Parts()


def paint_still(painter: QPainter, cards: Cards, view: View, clip: QRectF, parts: Parts = ALL) -> None:
    """Draw everything that stands still, inside `clip` (widget points)."""
    paint_ground(painter, cards.style, view, clip)
    paint_areas(painter, cards, view, clip)
    paint_content(painter, cards, view, clip, parts)


def paint_content(painter: QPainter, cards: Cards, view: View, clip: QRectF, parts: Parts = ALL) -> None:
    """Draw wires and nodes over whatever is there."""
    scene = cards.scene
    seen = view.seen(clip).grown(MARGIN + 4)
    wire_rows = scene.wire_rows_in(seen) if len(scene.wires) else np.empty(0, np.int64)
    if parts.wires is not None:
        wire_rows = wire_rows[parts.wires[wire_rows]]
    node_rows = scene.rows_in(seen) if len(scene.ids) else np.empty(0, np.int64)
    if parts.nodes is not None:
        node_rows = node_rows[parts.nodes[node_rows]]
    paint_wires(painter, scene, cards.style, view, clip, wire_rows)
    if view.camera.scale >= CARDS_FROM:
        paint_wire_marks(painter, cards, view.camera, seen, wire_rows)
        paint_pills(painter, cards, view)
        paint_cards(painter, cards, view, node_rows)
    else:
        paint_blocks(painter, cards, view, node_rows)


# ------------------------------------------------------------------------------------- ground and areas


def paint_ground(painter: QPainter, style: Style, view: View, clip: QRectF, *, dots: bool = True) -> None:
    """Fill the canvas and set its dots, one strip of them for all rows."""
    painter.fillRect(clip, style.color("surface.canvas"))
    step = GRID * view.camera.scale
    while step < 14:
        step *= 4
    if not dots or view.camera.scale < BLOCKS_FROM:
        return
    dot = max(1, round(1.9 * min(view.camera.scale, 1.0) * view.ratio))
    strip = QPixmap(round(view.width * view.ratio), dot)
    strip.fill(style.color("surface.canvas"))
    marks = QPainter(strip)
    columns = np.arange(view.camera.x % step - step, view.width, step)
    squares = np.zeros((len(columns), 4))
    squares[:, 0] = np.round(columns * view.ratio)
    squares[:, 2:] = dot
    marks.setPen(Qt.PenStyle.NoPen)
    marks.setBrush(style.color("surface.grid"))
    draw_rects(marks, squares)
    marks.end()
    strip.setDevicePixelRatio(view.ratio)
    for y in np.arange(view.camera.y % step - step, view.height, step).tolist():
        if clip.top() - 3 <= y <= clip.bottom():
            painter.drawPixmap(QPointF(0, view.snap(y)), strip)


def paint_areas(painter: QPainter, cards: Cards, view: View, clip: QRectF) -> None:
    """Draw frames, the areas of loops and maps, the outer ones first, and notes."""
    paint_frames(painter, cards, view, clip, in_areas=False)
    seen = view.seen(clip).grown(MARGIN)
    for area in sorted(cards.scene.areas.values(), key=lambda one: one.depth):
        if area.rect.grown(area_shape.PILL_WIDTH).meets(seen):
            _paint_area(painter, area, cards, view)
    paint_frames(painter, cards, view, clip, in_areas=True)
    paint_notes(painter, cards, view, clip)


def _paint_area(painter: QPainter, area: Area, cards: Cards, view: View) -> None:
    style, scale = cards.style, view.camera.scale
    card = cards.card(area.node)
    tint = area_color(cards, area)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    rect = widget_rect(area.rect, view)
    line = style.color(f"{tint}_line")
    width = 1.0
    if card.sign is Sign.ERROR:
        line = style.color("state.failed")
    if card.state.status in {"held", "failed"}:
        line = style.color(STATE_COLORS[card.state.status])
        width = 1.5
    pen = QPen(line, max(1.0, round(width * view.ratio)) / view.ratio)
    if card.switched == "bypassed" or card.is_missing:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(style.color(tint))
    half = pen.widthF() / 2
    radius = area_shape.RADIUS * min(1.0, max(scale, 0.3))
    painter.setOpacity(0.5 if card.switched == "muted" else 1.0)
    painter.drawRoundedRect(rect.adjusted(half, half, -half, -half), radius, radius)
    painter.setOpacity(1.0)
    if scale >= CARDS_FROM:
        _paint_area_title(painter, area, cards, rect.topLeft(), view)
    else:
        paint_far_title(painter, style, rect, card.title, style.color(f"{tint}_title"), scale)


def _paint_area_title(painter: QPainter, area: Area, cards: Cards, corner: QPointF, view: View) -> None:
    style, card = cards.style, cards.card(area.node)
    painter.save()
    painter.translate(corner)
    painter.scale(view.camera.scale, view.camera.scale)
    head = area_head(card, area.rect.width, style)
    draw_beside_title(painter, head, head_text(card), style)
    painter.setFont(style.fonts[Role.TITLE])
    painter.setPen(style.color(f"{area_color(cards, area)}_title"))
    baseline = head.title.center().y() + 4.5
    title = style.elided(card.title, Role.TITLE, head.title.width())
    painter.drawText(QPointF(head.title.left(), baseline), title)
    left = head.title.left() + style.metrics[Role.TITLE].horizontalAdvance(title) + 10
    selector = area_selector(card, area.rect.width, style)
    if selector is not None:
        draw_selector(painter, selector, style)
        left = selector.later.right() + 4
    note = "" if selector is not None else card.state.note or card.state.round or card.problem
    if not area.region.body and not note:
        note = "no body yet"
    painter.setFont(style.fonts[Role.BODY])
    painter.setPen(style.color("text.muted"))
    painter.drawText(QPointF(left, baseline), style.elided(note, Role.BODY, head.title.right() - left))
    if card.breakpoint is not None:
        draw_breakpoint(painter, card.breakpoint, style)
    pins = [pin for node in (area.node, *area.region.collects) if (pin := cards.card(node).pin) is not None]
    if pins:
        draw_pin(painter, QPointF(area.rect.width - 2, 2), style, fits=not any(pins))
    painter.restore()


def area_color(cards: Cards, area: Area) -> str:
    """The name of an area's fill; its outline and title are called alike."""
    signature = cards.scene.signatures[area.node]
    is_map = signature is not None and signature.structure is Structure.FOR_EACH
    return "area.map" if is_map else "area.loop"


def paint_pills(painter: QPainter, cards: Cards, view: View) -> None:
    """Draw the ports on the borders of areas, above the wires that end at them."""
    seen = view.seen()
    for area in cards.scene.areas.values():
        if area.rect.grown(area_shape.PILL_WIDTH * 3).meets(seen):
            _paint_area_pills(painter, area, cards, view)


def _paint_area_pills(painter: QPainter, area: Area, cards: Cards, view: View) -> None:
    style = cards.style
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.save()
    painter.translate(*view.camera.to_widget(area.rect.x, area.rect.y))
    painter.scale(view.camera.scale, view.camera.scale)
    for pill in area.pills:
        card = cards.card(pill.node)
        middle = 0.0 if pill.on_left else area.rect.width
        height, width = area_shape.PILL_HEIGHT, area_shape.PILL_WIDTH
        painter.setPen(QPen(style.color(f"{area_color(cards, area)}_line"), 1.2))
        painter.setBrush(style.color("surface.raised"))
        painter.drawRoundedRect(
            QRectF(middle - width / 2, pill.y - height / 2, width, height), height / 2, height / 2
        )
        for spot in pill.spots:
            is_wired = (spot.port, spot.is_output) in card.wired
            draw_port(painter, spot, QPointF(spot.x, spot.y), style, is_wired=is_wired, size=0.9)
            if is_named(area, pill, spot, cards.scene.areas, style, is_wired=is_wired):
                inside = is_inside(area, pill, spot)
                goes_right = pill.on_left == inside
                gap = (width / 2 + 5) * (1 if goes_right else -1)
                around = area if inside else cards.scene.areas.get(area.region.parent or area.node)
                is_open = around is None or (around is area and not inside)
                ground = style.color("surface.canvas" if is_open else area_color(cards, around or area))
                at = QPointF(middle + gap, pill.y - 7)
                _paint_label(painter, said(spot, style), at, style, ground, right=goes_right)
    for spot in area.spots_of(area.node):
        if spot.is_order and (spot.port, spot.is_output) in cards.card(area.node).wired:
            draw_port(painter, spot, QPointF(spot.x, spot.y), style, is_wired=True)
    painter.restore()


def _paint_label(
    painter: QPainter, label: str, at: QPointF, style: Style, ground: QColor, *, right: bool
) -> None:
    """Write a small label that begins, or ends, at a point; wires give way around its letters."""
    painter.setFont(style.fonts[Role.SMALL])
    metrics = style.metrics[Role.SMALL]
    start = at - QPointF(0 if right else metrics.horizontalAdvance(label), 0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(metrics.tightBoundingRect(label).translated(start).adjusted(-2, -2, 2, 2), 3, 3)
    painter.setPen(style.color("text.muted"))
    painter.drawText(start, label)


# -------------------------------------------------------------------------------------------- wires


def paint_wires(
    painter: QPainter, scene: Scene, style: Style, view: View, clip: QRectF, rows: Ints, *, width: float = 2.0
) -> None:
    """Draw wires in the colours of their types, in a few batches; bindings dashed while near."""
    if len(rows) == 0:
        return
    scale = view.camera.scale
    chosen = np.zeros(len(scene.wires), dtype=np.bool_)
    chosen[rows] = True
    pieces = np.nonzero(chosen[scene.piece_wire])[0]
    curves = scene.curves[pieces] * scale + np.tile([view.camera.x, view.camera.y], 4)
    is_near = scale >= THIN_WIRES_BELOW
    pen_width = width * min(1.0, max(scale, 0.7)) if is_near else 1.0 / view.ratio if scale < 0.3 else 1.0
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, scale >= COARSE_WIRES_BELOW)
    box = (clip.left() - 3, clip.top() - 3, clip.right() + 3, clip.bottom() + 3)
    owners = scene.piece_wire[pieces]
    colors, styles = scene.wire_color[owners], scene.wire_style[owners]
    for index, name in enumerate(scene.wire_colors):
        color = style.color(f"port.{name}", 1.0 if is_near else 0.75)
        solid = (colors == index) & (styles != 1 if is_near else True)
        if solid.any():
            painter.setPen(QPen(color, pen_width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap))
            draw_lines(painter, segments(curves[solid], view.ratio, box))
        if is_near:
            _paint_dashed(painter, curves[(colors == index) & (styles == 1)], color, pen_width)


def _paint_dashed(painter: QPainter, curves: Floats, color: QColor, width: float) -> None:
    if len(curves) == 0:
        return
    pen = QPen(color, width)
    pen.setDashPattern([3, 2.5])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for curve in curves:
        painter.drawPath(wire_path(curve))


def wire_path(*curves: Floats) -> QPainterPath:
    """One wire as a path, in the coordinates that its curves have."""
    path = QPainterPath()
    for place, curve in enumerate(curves):
        x0, y0, x1, y1, x2, y2, x3, y3 = curve.tolist()
        if place == 0:
            path.moveTo(x0, y0)
        path.cubicTo(x1, y1, x2, y2, x3, y3)
    return path


# -------------------------------------------------------------------------------------------- nodes


def paint_cards(painter: QPainter, cards: Cards, view: View, rows: Iterable[int]) -> None:
    """Set the cached pictures of cards, each on whole device pixels."""
    scene, scale = cards.scene, view.camera.scale
    for row in rows:
        x, y = scene.rects[row, :2].tolist()
        left, top = view.camera.to_widget(x, y)
        pad = round(MARGIN * scale * view.ratio) / view.ratio
        picture = cards.picture(scene.ids[row], scale, view.ratio)
        painter.drawPixmap(QPointF(view.snap(left) - pad, view.snap(top) - pad), picture)


def paint_blocks(painter: QPainter, cards: Cards, view: View, rows: Ints) -> None:
    """Draw nodes seen from far as blocks in the colours of their categories, with what titles fit."""
    scene, style, scale = cards.scene, cards.style, view.camera.scale
    if len(rows) == 0:
        return
    rects = np.empty((len(rows), 4))
    rects[:, :2] = scene.rects[rows, :2] * scale + (view.camera.x, view.camera.y)
    rects[:, 2:] = np.maximum(scene.rects[rows, 2:] * scale, 1.5)
    rects = np.round(rects * view.ratio) / view.ratio
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setPen(Qt.PenStyle.NoPen)
    share = 0.42 if scale >= BLOCKS_FROM else 0.7
    categories = scene.categories[rows]
    for place, name in enumerate(scene.category_names):
        painter.setBrush(
            style.mixed(style.category(name) if name else "state.failed", "surface.raised", share)
        )
        draw_rects(painter, rects[categories == place])
    _paint_block_states(painter, cards, rows, rects)
    if scale >= BLOCKS_FROM:
        _paint_block_titles(painter, cards, rows, rects)


def _paint_block_states(painter: QPainter, cards: Cards, rows: Ints, rects: Floats) -> None:
    states = cards.shown.states
    if not states:
        return
    names = np.array(
        [
            STATE_COLORS.get(states[node].status, "") if (node := cards.scene.ids[int(row)]) in states else ""
            for row in rows
        ]
    )
    bar = np.maximum(2.0, np.round(rects[:, 3] * 0.12))
    for name in np.unique(names).tolist():
        if name:
            chosen = names == name
            strip = rects[chosen].copy()
            strip[:, 3] = bar[chosen]
            painter.setBrush(cards.style.color(name))
            draw_rects(painter, strip)


def _paint_block_titles(painter: QPainter, cards: Cards, rows: Ints, rects: Floats) -> None:
    style = cards.style
    painter.setFont(style.fonts[Role.SMALL])
    painter.setPen(style.color("text.strong"))
    flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    for row, (x, y, width, height) in zip(rows.tolist(), rects.tolist(), strict=True):
        if width < 30 or height < LEAST_TITLED:
            continue
        node = cards.scene.ids[int(row)]
        title = cards.elided(title_of(cards.scene.flow, node), width - 8)
        painter.drawText(QRectF(x + 5, y, width - 8, height), flags, title)
