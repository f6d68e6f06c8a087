"""What a camera shows of the scene on a surface, and from how near what is drawn how."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from studio.ui.canvas.camera import Camera, Rect

CARDS_FROM = 0.45
"""The scale from which nodes are cards; below, they are blocks with titles."""
BLOCKS_FROM = 0.12
"""The scale from which blocks have titles; below, they are rectangles."""


@dataclass(frozen=True, slots=True)
class View:
    """A camera over a surface: its size in points and its device pixels to a point."""

    camera: Camera
    width: float
    height: float
    ratio: float

    def seen(self, clip: QRectF | None = None) -> Rect:
        """The part of the scene that the surface, or a part of it, shows."""
        if clip is None:
            return self.camera.seen(self.width, self.height)
        left, top = self.camera.to_scene(clip.left(), clip.top())
        return Rect(left, top, clip.width() / self.camera.scale, clip.height() / self.camera.scale)

    def snap(self, value: float) -> float:
        """The nearest whole device pixel."""
        return round(value * self.ratio) / self.ratio


def widget_rect(rect: Rect, view: View) -> QRectF:
    """Where a rectangle of the scene appears, on whole device pixels."""
    left, top = view.camera.to_widget(rect.x, rect.y)
    right, bottom = view.camera.to_widget(rect.right, rect.bottom)
    left, top, right, bottom = view.snap(left), view.snap(top), view.snap(right), view.snap(bottom)
    return QRectF(left, top, right - left, bottom - top)
