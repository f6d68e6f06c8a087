"""Where the canvas is looked at from: scene units to widget points and back."""

from dataclasses import dataclass, replace

CLOSEST = 3.0
FARTHEST = 0.02


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle without Qt: left, top, width, height."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height

    def grown(self, by: float) -> "Rect":
        """The rectangle with `by` more on every side."""
        return Rect(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)

    def united(self, other: "Rect") -> "Rect":
        """The smallest rectangle around both."""
        left, top = min(self.x, other.x), min(self.y, other.y)
        return Rect(left, top, max(self.right, other.right) - left, max(self.bottom, other.bottom) - top)

    def contains(self, x: float, y: float) -> bool:
        """Whether the point lies inside or on the edge."""
        return self.x <= x <= self.right and self.y <= y <= self.bottom

    def meets(self, other: "Rect") -> bool:
        """Whether the two share a point."""
        return (
            self.x <= other.right
            and other.x <= self.right
            and self.y <= other.bottom
            and other.y <= self.bottom
        )


@dataclass(frozen=True, slots=True)
class Camera:
    """A view: `scale` widget points to a scene unit, and where the scene's origin stands."""

    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def to_widget(self, x: float, y: float) -> tuple[float, float]:
        """Where a scene point appears."""
        return x * self.scale + self.x, y * self.scale + self.y

    def to_scene(self, x: float, y: float) -> tuple[float, float]:
        """Which scene point appears there."""
        return (x - self.x) / self.scale, (y - self.y) / self.scale

    def seen(self, width: float, height: float) -> Rect:
        """The part of the scene that a widget of this size shows."""
        left, top = self.to_scene(0, 0)
        return Rect(left, top, width / self.scale, height / self.scale)

    def panned(self, dx: float, dy: float) -> "Camera":
        """The view after moving the paper by widget points."""
        return replace(self, x=self.x + dx, y=self.y + dy)

    def zoomed(self, factor: float, x: float, y: float) -> "Camera":
        """The view after zooming so that what is under the widget point stays under it."""
        scale = min(CLOSEST, max(FARTHEST, self.scale * factor))
        sx, sy = self.to_scene(x, y)
        return Camera(scale, x - sx * scale, y - sy * scale)

    def snapped(self, ratio: float) -> "Camera":
        """The same view with its origin on a whole device pixel, so that hairlines stay crisp."""
        return replace(self, x=round(self.x * ratio) / ratio, y=round(self.y * ratio) / ratio)


def fitted(content: Rect, width: float, height: float, margin: float = 32, closest: float = 1.0) -> Camera:
    """The view that shows all of `content`, centred, and no closer than `closest`."""
    room_x, room_y = max(width - 2 * margin, 1), max(height - 2 * margin, 1)
    scale = min(room_x / max(content.width, 1), room_y / max(content.height, 1), closest)
    scale = min(CLOSEST, max(FARTHEST, scale))
    middle_x, middle_y = content.x + content.width / 2, content.y + content.height / 2
    return Camera(scale, width / 2 - middle_x * scale, height / 2 - middle_y * scale)
