"""The retained picture of what stands still: blitted, scrolled, patched, and drawn afresh when it must be."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from studio.ui.canvas.sight import View

SLOW = 0.010
"""Seconds from which a crisp picture is put off until the zooming hand rests."""

Draw = Callable[[QPainter, View, QRectF], None]


@dataclass(slots=True)
class _Picture:
    pixmap: QPixmap
    view: View


class StillLayer:
    """Holds one picture of the canvas and knows the cheapest way to bring it up to a view."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._picture: _Picture | None = None
        self.last_cost = 0.0
        """Seconds that the last whole crisp picture took."""

    def clear(self) -> None:
        """Throw the picture away: what it shows has changed."""
        self._picture = None

    def paint(self, painter: QPainter, view: View, *, may_blur: bool = False) -> bool:
        """Draw the picture for `view`; tells whether it is crisp. `may_blur` allows a scaled old one."""
        held = self._picture
        if held is not None and held.view == view:
            painter.drawPixmap(QPointF(0, 0), held.pixmap)
            return True
        if held is not None and self._scroll(held, view):
            painter.drawPixmap(QPointF(0, 0), held.pixmap)
            return True
        if held is not None and may_blur and self.last_cost > SLOW and held.view.ratio == view.ratio:
            self._paint_scaled(painter, held, view)
            return False
        painter.drawPixmap(QPointF(0, 0), self._fresh(view).pixmap)
        return True

    def patch(self, place: QRectF, draw: Callable[[QPainter, View], None]) -> bool:
        """Draw over one part of the picture; False when there is none to patch."""
        held = self._picture
        if held is None:
            return False
        painter = QPainter(held.pixmap)
        painter.setClipRect(place)
        draw(painter, held.view)
        painter.end()
        return True

    def _fresh(self, view: View) -> _Picture:
        started = perf_counter()
        pixmap = QPixmap(round(view.width * view.ratio), round(view.height * view.ratio))
        pixmap.setDevicePixelRatio(view.ratio)
        pixmap.fill(Qt.GlobalColor.black)
        painter = QPainter(pixmap)
        self._draw(painter, view, QRectF(0, 0, view.width, view.height))
        painter.end()
        self._picture = _Picture(pixmap, view)
        self.last_cost = perf_counter() - started
        return self._picture

    def _scroll(self, held: _Picture, view: View) -> bool:
        """Shift the picture by whole device pixels and draw the strips that come into sight."""
        old, new = held.view, view
        if (old.camera.scale, old.width, old.height, old.ratio) != (
            new.camera.scale,
            new.width,
            new.height,
            new.ratio,
        ):
            return False
        dx = (new.camera.x - old.camera.x) * new.ratio
        dy = (new.camera.y - old.camera.y) * new.ratio
        across, down = round(dx), round(dy)
        if abs(dx - across) > 1e-3 or abs(dy - down) > 1e-3:
            return False
        whole = QRect(QPoint(0, 0), held.pixmap.size())
        if abs(across) >= whole.width() * 0.7 or abs(down) >= whole.height() * 0.7:
            return False
        held.pixmap.scroll(across, down, whole)
        held.view = view
        painter = QPainter(held.pixmap)
        for strip in _strips(view, across / view.ratio, down / view.ratio):
            painter.setClipRect(strip)
            self._draw(painter, view, strip)
        painter.end()
        return True

    def _paint_scaled(self, painter: QPainter, held: _Picture, view: View) -> None:
        factor = view.camera.scale / held.view.camera.scale
        left = view.camera.x - held.view.camera.x * factor
        top = view.camera.y - held.view.camera.y * factor
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
        target = QRectF(left, top, held.view.width * factor, held.view.height * factor)
        painter.drawPixmap(target, held.pixmap, QRectF(QPointF(0, 0), held.pixmap.size().toSizeF()))


def _strips(view: View, dx: float, dy: float) -> list[QRectF]:
    strips: list[QRectF] = []
    if dx:
        strips.append(QRectF(0 if dx > 0 else view.width + dx, 0, abs(dx), view.height))
    if dy:
        strips.append(QRectF(0, 0 if dy > 0 else view.height + dy, view.width, abs(dy)))
    return strips
