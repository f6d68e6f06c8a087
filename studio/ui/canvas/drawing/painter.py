"""Draws the canvas from arrays, a view and a theme. The same functions serve widget, minimap and pictures."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from studio.flow.records import title_of
from studio.ui.canvas.buffers import Floats, draw_rects
from studio.ui.canvas.cards.card import MARGIN
from studio.ui.canvas.cards.cards import Cards
from studio.ui.canvas.cards.pills import STATE_COLORS
from studio.ui.canvas.drawing.areas import paint_areas, paint_pills
from studio.ui.canvas.drawing.ghosts import paint_ghosts
from studio.ui.canvas.drawing.wire_marks import paint_wire_marks
from studio.ui.canvas.drawing.wires import paint_wires
from studio.ui.canvas.scene.scene import Ints, Parts
from studio.ui.canvas.sight import BLOCKS_FROM, CARDS_FROM, View
from studio.ui.canvas.style import Role, Style

LEAST_TITLED = 10.5
"""Points of height from which a block has its title: a collapsed node's too."""
GRID = 24
STRIPE = 3.0
"""Widget points of the stripe in the colour of a block's state, however high the block."""
MOST_LINES = 3
"""Lines of a block's title."""
GLYPH = 11.0
"""Widget points of a block's glyph and of the shape of its state."""
GLYPH_FROM = 60.0
"""The width from which a block with one line has its glyph beside its title."""
WORDS_FROM = 44.0
"""The width below which it has its glyph alone: one or two letters would say less."""


ALL = Parts()

DrawCards: TypeAlias = Callable[[QPainter, Cards, View, Ints], None]
"""Draws the cards of these rows."""


def paint_still(painter: QPainter, cards: Cards, view: View, clip: QRectF, parts: Parts = ALL) -> None:
    """Draw everything that stands still, inside `clip` (widget points)."""
    paint_ground(painter, cards.style, view, clip)
    paint_areas(painter, cards, view, clip)
    paint_ghosts(painter, cards, view, clip)
    paint_content(painter, cards, view, clip, parts)


def paint_content(
    painter: QPainter,
    cards: Cards,
    view: View,
    clip: QRectF,
    parts: Parts = ALL,
    *,
    draw: DrawCards | None = None,
) -> None:
    """Draw wires and nodes over whatever is there, near ones with `draw`: by default as cached pictures."""
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
        (draw or paint_cards)(painter, cards, view, node_rows)
    else:
        paint_blocks(painter, cards, view, node_rows)


# ------------------------------------------------------------------------------------------- ground


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
        _paint_block_titles(painter, cards, rows, rects, view.ratio)


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
    for name in np.unique(names).tolist():
        if name:
            chosen = names == name
            strip = rects[chosen].copy()
            strip[:, 3] = np.minimum(STRIPE, strip[:, 3])
            painter.setBrush(cards.style.color(name))
            draw_rects(painter, strip)


def _paint_block_titles(painter: QPainter, cards: Cards, rows: Ints, rects: Floats, ratio: float) -> None:
    """Write titles on as many lines as fit, the first beside the kind's glyph, and states as small shapes."""
    style, scene, states = cards.style, cards.scene, cards.shown.states
    painter.setFont(style.fonts[Role.SMALL])
    painter.setPen(style.color("text.strong"))
    line = LEAST_TITLED + 2
    titled = np.nonzero((rects[:, 2] >= 30) & (rects[:, 3] >= LEAST_TITLED))[0]
    for place in titled.tolist():
        x, y, width, height = rects[place].tolist()
        node = scene.ids[int(rows[place])]
        status = states[node].status if node in states else ""
        strip = min(STRIPE, height) if status in STATE_COLORS else 0.0
        lines = max(1, min(MOST_LINES, int((height - strip - 1) // line)))
        has_words = lines > 1 or width >= WORDS_FROM
        has_glyph = lines > 1 or not WORDS_FROM <= width < GLYPH_FROM
        indent = GLYPH + 3 if has_glyph else 0.0
        first = width - 10 - indent - (4 if status in STATE_COLORS else 0)
        text = title_of(scene.flow, node)
        title = cards.block_title(text, (first, width - 10), lines) if has_words else ("",)
        if has_glyph and has_words and title[0].endswith("…"):  # the word needs the glyph's room
            has_glyph, indent = False, 0.0
            title = cards.block_title(text, (width - 10, width - 10), lines)
        top = y + max(0.0, (height + strip - line * len(title)) / 2)
        if has_glyph:
            glyph = cards.small_glyph(scene.flow.nodes[node].kind, GLYPH, ratio)
            left = x + (5 if has_words else (width - GLYPH) / 2)
            painter.drawPixmap(QPointF(left, top + (line - GLYPH) / 2), glyph)
        if status in STATE_COLORS:
            corner = QPointF(x + width - GLYPH + 4, y - 4)
            painter.drawPixmap(corner, cards.small_state(status, GLYPH, ratio))
        for index, row in enumerate(title):
            left = x + 5 + (indent if index == 0 else 0)
            painter.drawText(QPointF(left, top + line * index + line - 3), row)
