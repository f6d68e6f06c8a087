"""Draws one node's card: all it says, at any scale. The card's upper left corner is the painter's origin."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from studio.ui.canvas.document import NO_STATE, Breakpoint, NodeState
from studio.ui.canvas.geometry import FOOT, HEADER, INSET, LINE, PORT_RADIUS, Box, Side, Spot, type_name
from studio.ui.canvas.style import Role, Style

MARGIN = 12
"""Room around a card for its shadow, ports and breakpoint."""
RADIUS = 10
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
_FAINT = 0.45


@dataclass(frozen=True, slots=True)
class Card:
    """Everything that a card shows; two equal cards look the same."""

    box: Box
    title: str
    category: str
    summary: str = ""
    """Said in the body until a run says something."""
    state: NodeState = NO_STATE
    is_missing: bool = False
    switched: str = ""
    """`muted` or `bypassed`."""
    problem: str = ""
    breakpoint: Breakpoint | None = None
    wired: frozenset[tuple[str, bool]] = frozenset()
    """The ports that a wire ends at, by name and whether they are outputs."""
    held_ports: frozenset[tuple[str, Breakpoint]] = frozenset()
    """The ports that have a breakpoint."""


def draw_card(painter: QPainter, card: Card, style: Style, scale: float) -> None:
    """Draw the card above its shadow; `scale` is device pixels to a scene unit, for lines of whole pixels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    body = QRectF(0, 0, card.box.width, card.box.height)
    painter.save()
    if card.switched == "muted":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color("surface.canvas"))
        painter.drawRoundedRect(body, RADIUS, RADIUS)
        painter.setOpacity(_FAINT)
    _draw_ground(painter, body, card, style, scale)
    _draw_head(painter, card, style, scale)
    _draw_labels(painter, card, style)
    _draw_body(painter, card, style)
    if card.box.has_foot:
        _draw_foot(painter, card, style)
    painter.restore()
    for spot in card.box.spots:
        is_wired = (spot.port, spot.is_output) in card.wired
        if is_wired or not spot.is_order:
            draw_port(painter, spot, QPointF(spot.x, spot.y), style, is_wired=is_wired)
        draw_port_breakpoint(painter, card, spot, style)
    if card.breakpoint is not None:
        draw_breakpoint(painter, card.breakpoint, style)


def draw_port(
    painter: QPainter,
    spot: Spot,
    at: QPointF,
    style: Style,
    *,
    is_wired: bool,
    size: float = 1.0,
    fade: float = 1.0,
) -> None:
    """Draw a port: a dot for data, a diamond for bindings, a small square for order; hollow while unwired."""
    color = style.color(f"port.{type_name(spot.type)}", fade)
    if not spot.is_known:
        color = style.color("state.failed", fade)
    ground = style.color("surface.canvas")
    is_list = spot.type.depth > 0
    radius = PORT_RADIUS * size
    painter.setPen(QPen(color, 1.6))
    painter.setBrush(color if is_wired and not spot.type.is_binding else ground)
    if spot.type.is_binding:
        reach = radius + 1
        path = QPainterPath(at + QPointF(0, -reach))
        for dx, dy in ((reach, 0), (0, reach), (-reach, 0)):
            path.lineTo(at + QPointF(dx, dy))
        path.closeSubpath()
        painter.drawPath(path)
        if is_wired:
            painter.setBrush(color)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(at, 1.8 * size, 1.8 * size)
    elif spot.is_order:
        half = 3.2 * size
        painter.drawRect(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half))
    else:
        painter.drawEllipse(at, radius - 0.8, radius - 0.8)
        if is_list:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color, 1.0))
            painter.drawEllipse(at, radius + 1.8, radius + 1.8)


def draw_port_breakpoint(painter: QPainter, card: Card, spot: Spot, style: Style) -> None:
    """Draw the breakpoint of a card's port over it, if there is one."""
    kind = dict(card.held_ports).get(spot.port)
    if kind is not None:
        painter.save()
        painter.translate(spot.x - 1.5, spot.y - 1.5)
        draw_breakpoint(painter, kind, style)
        painter.restore()


def draw_pill(painter: QPainter, text: str, right: float, middle: float, color: str, style: Style) -> float:
    """Draw a small pill in a state's colours that ends at `right`; gives its left edge."""
    width = style.metrics[Role.PILL].horizontalAdvance(text) + 14
    rect = QRectF(right - width, middle - 9, width, 18)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.color(color.replace("state.", "pill.", 1)))
    painter.drawRoundedRect(rect, 9, 9)
    painter.setPen(style.color(color))
    painter.setFont(style.fonts[Role.PILL])
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
    return rect.left()


def duration_text(seconds: float) -> str:
    """A duration as people read it: `0 ms`, `1.8 s`, `2:05`."""
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


def foot_parts(state: NodeState) -> list[str]:
    """Duration, tokens and cost, as far as they are known; the note alone where there is one."""
    if state.note:
        return [state.note]
    parts: list[str] = []
    if state.duration is not None:
        parts.append(duration_text(state.duration))
    if state.tokens:
        parts.append(f"{state.tokens:,} tok")
    if state.cost is not None:
        parts.append("<$0.0001" if 0 < state.cost < 0.00005 else f"${state.cost:.4f}")
    return parts


def draw_shadow(painter: QPainter, body: QRectF, style: Style) -> None:
    """Draw what a card of this size casts; the same for all cards of a size."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.shadow(0.16))
    for grow in (1, 2, 3.5, 5.5, 8):
        painter.drawRoundedRect(
            body.adjusted(-grow, -grow + 2.5, grow, min(grow, MARGIN - 3) + 2.5), RADIUS + grow, RADIUS + grow
        )


def _draw_ground(painter: QPainter, body: QRectF, card: Card, style: Style, scale: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.color("surface.panel" if card.is_missing else "surface.raised"))
    painter.drawRoundedRect(body, RADIUS, RADIUS)
    thin = max(1.0, round(scale)) / scale
    line = QPen(style.color("surface.edge"), thin)
    inset = thin / 2
    if card.problem:
        line = QPen(style.color("state.failed"), max(1.0, round(1.5 * scale)) / scale)
    if card.is_missing or card.switched == "bypassed":
        line.setDashPattern([4, 3])
        line.setColor(style.color("state.failed" if card.is_missing else "text.muted"))
    if card.state.status in {"running", "waiting", "held", "done", "failed"}:
        wide = max(1.0, round(1.6 * scale)) / scale
        line = QPen(style.color(STATE_COLORS[card.state.status]), wide)
        inset = wide / 2
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(line)
    painter.drawRoundedRect(body.adjusted(inset, inset, -inset, -inset), RADIUS - inset, RADIUS - inset)


def _draw_head(painter: QPainter, card: Card, style: Style, scale: float) -> None:
    middle = HEADER / 2
    name = "state.failed" if card.is_missing else style.category(card.category)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.color(name))
    painter.drawRoundedRect(QRectF(INSET, middle - 5, 10, 10), 3, 3)
    right = card.box.width - 10
    word, color = _head_pill(card)
    if word:
        right = draw_pill(painter, word, right, middle, color, style) - 8
    painter.setPen(style.color("text.strong"))
    painter.setFont(style.fonts[Role.TITLE])
    left = INSET + 18
    title = style.elided(card.title, Role.TITLE, right - left)
    painter.drawText(
        QRectF(left, 0, right - left, HEADER),
        Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
        title,
    )
    thin = max(1.0, round(scale)) / scale
    y = (round(HEADER * scale) - 0.5 * thin * scale) / scale
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setPen(QPen(style.color("surface.line"), thin))
    painter.drawLine(QPointF(thin * 2, y), QPointF(card.box.width - thin * 2, y))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _head_pill(card: Card) -> tuple[str, str]:
    if card.is_missing:
        return "missing", "state.failed"
    if card.state.status:
        word = "waits for you" if card.state.status == "waiting" else card.state.status
        return word, STATE_COLORS[card.state.status]
    if card.switched:
        return card.switched, "state.skipped"
    return ("problem", "state.failed") if card.problem else ("", "")


def _draw_labels(painter: QPainter, card: Card, style: Style) -> None:
    metrics = style.metrics[Role.LABEL]
    painter.setFont(style.fonts[Role.LABEL])
    width = card.box.width
    taken = {
        spot.y: metrics.horizontalAdvance(spot.label) for spot in card.box.spots if spot.side is Side.RIGHT
    }
    for spot in card.box.spots:
        if not spot.label or spot.side not in {Side.LEFT, Side.RIGHT}:
            continue
        painter.setPen(style.color("text.muted" if not spot.literal else "text.normal"))
        row = QRectF(INSET, spot.y - 10, width - 2 * INSET, 20)
        is_left = spot.side is Side.LEFT
        align = Qt.AlignmentFlag.AlignLeft if is_left else Qt.AlignmentFlag.AlignRight
        room = width - 2 * INSET - (taken.get(spot.y, 0) + 8 if is_left and spot.y in taken else 0)
        label = style.elided(spot.label, Role.LABEL, room)
        painter.setPen(style.color("text.muted"))
        painter.drawText(row, align | Qt.AlignmentFlag.AlignVCenter, label)
        if spot.literal:
            start = INSET + metrics.horizontalAdvance(label) + 8
            _draw_literal(painter, spot, start, room + INSET - start, style)


def _draw_literal(painter: QPainter, spot: Spot, left: float, room: float, style: Style) -> None:
    text = style.elided(spot.literal, Role.LABEL, room - 12)
    if room < 24 or not text:
        return
    width = style.metrics[Role.LABEL].horizontalAdvance(text) + 12
    field = QRectF(left, spot.y - 9, width, 18)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.color("surface.hover"))
    painter.drawRoundedRect(field, 4, 4)
    painter.setPen(style.color("text.normal"))
    painter.drawText(field, Qt.AlignmentFlag.AlignCenter, text)


def is_streamed(state: NodeState) -> bool:
    """Whether a card shows the end of its text, which is what is new, and not the beginning."""
    return bool(state.text) and state.status == "running"


def _draw_body(painter: QPainter, card: Card, style: Style) -> None:
    box, state = card.box, card.state
    if box.body_lines == 0:
        return
    text, color = state.text, "text.normal"
    if not text:
        text = card.problem or (state.note if not box.has_foot else "") or card.summary
        color = "state.failed" if card.problem else "text.muted"
    painter.setFont(style.fonts[Role.BODY])
    painter.setPen(style.color(color))
    width = box.width - 2 * INSET
    rows = style.wrapped(text, Role.BODY, width, box.body_lines, tail=is_streamed(state))
    for index, row in enumerate(rows):
        painter.drawText(QPointF(INSET, box.body_top + LINE * index + 12.5), row)


def _draw_foot(painter: QPainter, card: Card, style: Style) -> None:
    right = card.box.width - INSET
    baseline = card.box.height - FOOT / 2 + 3
    painter.setFont(style.fonts[Role.SMALL])
    painter.setPen(style.color("text.muted"))
    metrics = style.metrics[Role.SMALL]
    if card.state.round:
        width = metrics.horizontalAdvance(card.state.round)
        painter.drawText(QPointF(right - width, baseline), card.state.round)
        right -= width + 10
    parts = foot_parts(card.state)
    while len(parts) > 1 and metrics.horizontalAdvance("   ".join(parts)) > right - INSET:
        parts.pop(0)
    text = style.elided("   ".join(parts), Role.SMALL, right - INSET)
    painter.drawText(QPointF(INSET, baseline), text)


def draw_breakpoint(painter: QPainter, kind: Breakpoint, style: Style) -> None:
    """Draw a breakpoint on the corner or port at the origin: full while it holds, hollow while it is off."""
    color = style.color("state.failed")
    is_on = kind == "on"
    painter.setPen(QPen(style.color("surface.canvas") if is_on else color, 2.0 if is_on else 1.6))
    painter.setBrush(color if is_on else style.color("surface.canvas"))
    painter.drawEllipse(QPointF(1.5, 1.5), 6, 6)
