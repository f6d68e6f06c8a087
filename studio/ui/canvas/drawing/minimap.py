"""The whole flow in a corner: where everything is, and which part is in view."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPixmap

from studio.ui.canvas.buffers import draw_rects
from studio.ui.canvas.camera import Camera, Rect, fitted
from studio.ui.canvas.cards.cards import Cards
from studio.ui.canvas.drawing.areas import area_color
from studio.ui.canvas.drawing.frames import paint_small
from studio.ui.canvas.sight import View

WIDTH = 152
HEIGHT = 96
GAP = 16
LEAST_WIDGET = 420


def minimap_rect(width: float, height: float) -> QRectF | None:
    """Where the minimap stands in a widget of this size; None where it would be in the way."""
    if width < LEAST_WIDGET or height < LEAST_WIDGET * 0.6:
        return None
    return QRectF(width - WIDTH - GAP, height - HEIGHT - GAP, WIDTH, HEIGHT)


class Blocks:
    """What stands still in the minimap, as a picture that is drawn again when it has changed."""

    def __init__(self) -> None:
        self._key: tuple[int, object, float, Camera] | None = None
        self._picture = QPixmap()

    def paint(self, painter: QPainter, cards: Cards, camera: Camera, ratio: float) -> None:
        """Draw the panel with areas and nodes, the minimap's corner at the painter's origin."""
        key = (cards.scene.generation, cards.style, ratio, camera)
        if key != self._key:
            self._key = key
            self._picture = QPixmap(round(WIDTH * ratio), round(HEIGHT * ratio))
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
            inner = QPainter(self._picture)
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            inner.setPen(QPen(cards.style.color("surface.line"), 1))
            inner.setBrush(cards.style.color("surface.panel", 0.94))
            inner.drawRoundedRect(QRectF(0.5, 0.5, WIDTH - 1, HEIGHT - 1), 6, 6)
            inner.setClipRect(_inside(QRectF(0, 0, WIDTH, HEIGHT)))
            _paint_blocks(inner, cards, camera.scale, camera.x, camera.y)
            inner.end()
        painter.drawPixmap(QPointF(0, 0), self._picture)


def paint_minimap(painter: QPainter, cards: Cards, view: View, place: QRectF, blocks: Blocks) -> None:
    """Draw the minimap into `place`."""
    style, extent = cards.style, _extent(cards)
    if extent is None:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    seen = view.seen()
    camera = _camera(extent)
    painter.translate(place.topLeft())
    blocks.paint(painter, cards, camera, view.ratio)
    painter.setClipRect(_inside(QRectF(0, 0, WIDTH, HEIGHT)))
    _paint_ghosts(painter, cards, camera)
    left, top = camera.to_widget(seen.x, seen.y)
    painter.setPen(QPen(style.color("text.muted", 0.7), 1))
    painter.setBrush(style.color("text.muted", 0.06))
    painter.drawRoundedRect(QRectF(left, top, seen.width * camera.scale, seen.height * camera.scale), 3, 3)
    painter.restore()


def minimap_point(cards: Cards, place: QRectF, at: QPointF) -> tuple[float, float] | None:
    """The scene point under a point of the minimap."""
    extent = _extent(cards)
    if extent is None:
        return None
    return _camera(extent).to_scene(at.x() - place.left(), at.y() - place.top())


def _extent(cards: Cards) -> Rect | None:
    """All that stands on the canvas, with what steps make as they go."""
    extent, ghosts = cards.scene.extent(), cards.ghosts.extent()
    return extent.united(ghosts) if extent is not None and ghosts is not None else extent


def _paint_ghosts(painter: QPainter, cards: Cards, camera: Camera) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(cards.style.color("text.muted", 0.45))
    for cluster in cards.ghosts.clusters:
        rects = cluster.rects * camera.scale
        if len(rects):
            rects[:, :2] += (camera.x, camera.y)
            rects[:, 2:] = np.maximum(rects[:, 2:], 1.0)
            draw_rects(painter, rects)


def _inside(place: QRectF) -> QRectF:
    """The part of the minimap that shows the flow."""
    return place.adjusted(4, 4, -4, -4)


def _camera(extent: Rect) -> Camera:
    return fitted(extent, WIDTH, HEIGHT, margin=12, closest=0.2)


def _paint_blocks(painter: QPainter, cards: Cards, scale: float, x: float, y: float) -> None:
    scene, style = cards.scene, cards.style
    paint_small(painter, cards, scale, x, y)
    for area in sorted(scene.areas.values(), key=lambda one: one.depth):
        painter.setPen(QPen(style.color(f"{area_color(cards, area)}_line"), 1))
        painter.setBrush(style.color(area_color(cards, area)))
        rect = area.rect
        painter.drawRoundedRect(
            QRectF(rect.x * scale + x, rect.y * scale + y, rect.width * scale, rect.height * scale), 2, 2
        )
    rows = np.nonzero(scene.has_card)[0]
    rects = scene.rects[rows] * scale
    rects[:, :2] += (x, y)
    rects[:, 2:] = np.maximum(rects[:, 2:], 1.5)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(rows) < 200)
    categories = scene.categories[rows]
    for number, name in enumerate(scene.category_names):
        painter.setBrush(style.mixed(style.category(name) if name else "state.failed", "surface.panel", 0.75))
        draw_rects(painter, rects[categories == number])
