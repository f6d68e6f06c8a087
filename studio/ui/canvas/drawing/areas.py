"""Draws loops and maps around what they run, and their ports on the border."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from studio.flow.ports import Structure
from studio.ui.canvas.cards.border_labels import is_inside, is_named, said
from studio.ui.canvas.cards.break_marks import draw_breakpoint, draw_port_breakpoint
from studio.ui.canvas.cards.card import MARGIN, area_head, area_selector, head_text
from studio.ui.canvas.cards.cards import Cards
from studio.ui.canvas.cards.head import draw_beside_title
from studio.ui.canvas.cards.marks import Sign
from studio.ui.canvas.cards.pills import STATE_COLORS
from studio.ui.canvas.cards.pin_marks import draw_pin
from studio.ui.canvas.cards.port_marks import draw_port
from studio.ui.canvas.cards.selector import draw_selector
from studio.ui.canvas.drawing.far_titles import paint_far_title
from studio.ui.canvas.drawing.frames import paint_frames, paint_notes
from studio.ui.canvas.scene import areas as area_shape
from studio.ui.canvas.scene.areas import Area
from studio.ui.canvas.sight import CARDS_FROM, View, widget_rect
from studio.ui.canvas.style import Role, Style


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
            draw_port_breakpoint(painter, card.held_ports, spot, style)
            if is_named(area, pill, spot, cards.scene.areas, style, is_wired=is_wired):
                inside = is_inside(area, pill, spot)
                goes_right = pill.on_left == inside
                gap = (width / 2 + 5) * (1 if goes_right else -1)
                around = area if inside else cards.scene.areas.get(area.region.parent or area.node)
                is_open = around is None or (around is area and not inside)
                ground = style.color("surface.canvas" if is_open else area_color(cards, around or area))
                raised = -4 if area.region.is_folded else 7  # over the wires that end inside
                at = QPointF(middle + gap, pill.y - raised)
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
