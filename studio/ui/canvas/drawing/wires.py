"""Draws wires, in a few batches however many there are."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from studio.ui.canvas.buffers import Floats, draw_lines, draw_rects
from studio.ui.canvas.scene.scene import Ints, Scene
from studio.ui.canvas.scene.wires import runs, segments
from studio.ui.canvas.sight import View
from studio.ui.canvas.style import Style

THIN_WIRES_BELOW = 0.45
COARSE_WIRES_BELOW = 0.2


def paint_wires(
    painter: QPainter, scene: Scene, style: Style, view: View, clip: QRectF, rows: Ints, *, width: float = 2.0
) -> None:
    """Draw wires in the colours of their types, in a few batches; bindings dashed while near."""
    if len(rows) == 0:
        return
    scale = view.camera.scale
    chosen = np.zeros(len(scene.wires), dtype=np.bool_)
    chosen[rows] = True
    seen, bounds = view.seen(clip).grown(3 / scale), scene.curve_bounds
    across = (bounds[:, 0] <= seen.right) & (bounds[:, 2] >= seen.x)
    pieces = np.nonzero(
        chosen[scene.piece_wire] & across & (bounds[:, 1] <= seen.bottom) & (bounds[:, 3] >= seen.y)
    )[0]
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
            lines = segments(curves[solid], view.ratio, box)
            if scale < COARSE_WIRES_BELOW:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                draw_rects(painter, runs(lines, view.ratio))
            else:
                painter.setPen(QPen(color, pen_width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap))
                draw_lines(painter, lines)
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
