"""Small words in the colours of a state."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from studio.ui.canvas.style import Role, Style

STATE_COLORS = {
    "ready": "state.skipped",
    "running": "state.running",
    "waiting": "state.held",
    "held": "state.held",
    "done": "state.done",
    "failed": "state.failed",
    "skipped": "state.skipped",
    "stopped": "state.skipped",
}
HEIGHT = 18.0
_PAD = 14.0


def pill_width(text: str, style: Style) -> float:
    """How wide a pill with this text is."""
    return style.metrics[Role.PILL].horizontalAdvance(text) + _PAD


def draw_pill(painter: QPainter, text: str, right: float, middle: float, color: str, style: Style) -> float:
    """Draw a small pill in a state's colours that ends at `right`; gives its left edge."""
    width = pill_width(text, style)
    rect = QRectF(right - width, middle - HEIGHT / 2, width, HEIGHT)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.color(color.replace("state.", "pill.", 1)))
    painter.drawRoundedRect(rect, HEIGHT / 2, HEIGHT / 2)
    painter.setPen(style.color(color))
    painter.setFont(style.fonts[Role.PILL])
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
    return rect.left()
