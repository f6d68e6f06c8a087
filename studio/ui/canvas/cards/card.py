"""Draws one node's card: all it says, at any scale. The card's upper left corner is the painter's origin."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from studio.ui.canvas.cards.break_marks import draw_breakpoint, draw_port_breakpoint
from studio.ui.canvas.cards.head import Head, HeadText, draw_beside_title, head_of
from studio.ui.canvas.cards.labels import label_of, literal_of
from studio.ui.canvas.cards.marks import Sign, draw_mark, port_mark
from studio.ui.canvas.cards.pills import STATE_COLORS
from studio.ui.canvas.cards.pin_marks import draw_pin
from studio.ui.canvas.cards.port_marks import draw_port
from studio.ui.canvas.cards.selector import Selector, draw_selector, selector_from, selector_until
from studio.ui.canvas.document import NO_STATE, BreakpointMark, NodeState
from studio.ui.canvas.scene.areas import TITLE
from studio.ui.canvas.scene.geometry import FOOT, HEADER, INSET, LINE, Box, Side
from studio.ui.canvas.style import Role, Style
from studio.ui.theme.kind_glyphs import draw_kind

MARGIN = 12
"""Room around a card for its shadow, ports and breakpoint."""
RADIUS = 10
_FAINT = 0.45


@dataclass(frozen=True, slots=True)
class Card:
    """Everything that a card shows; two equal cards look the same."""

    box: Box
    title: str
    category: str
    kind: str = ""
    telling: str = ""
    """Said in the body until a run says something."""
    model: str = ""
    """What answers its chats."""
    state: NodeState = NO_STATE
    is_missing: bool = False
    switched: str = ""
    """`muted` or `bypassed`."""
    problem: str = ""
    sign: Sign | None = None
    """How the card's problems are marked."""
    port_signs: frozenset[tuple[str, Sign]] = frozenset()
    """The inputs that have a problem of their own."""
    breakpoint: BreakpointMark | None = None
    wired: frozenset[tuple[str, bool]] = frozenset()
    """The ports that a wire ends at, by name and whether they are outputs."""
    held_ports: frozenset[tuple[str, BreakpointMark]] = frozenset()
    """The ports that have a breakpoint."""
    pin: str | None = None
    """Why what is pinned to it does not fit any more; empty where it does, None where nothing is pinned."""


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
    signs = dict(card.port_signs)
    for spot in card.box.spots:
        if spot.is_spare:
            continue
        is_wired = (spot.port, spot.is_output) in card.wired
        if is_wired or not spot.is_order:
            draw_port(painter, spot, QPointF(spot.x, spot.y), style, is_wired=is_wired)
        draw_port_breakpoint(painter, card.held_ports, spot, style)
        if not spot.is_output and (sign := signs.get(spot.port)) is not None:
            draw_mark(painter, sign, port_mark(spot), style)
    if card.breakpoint is not None:
        draw_breakpoint(painter, card.breakpoint, style)
    if card.pin is not None:
        draw_pin(painter, QPointF(card.box.width - 2, 2), style, fits=not card.pin)


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
    if state.is_made_up:
        parts.append(QCoreApplication.translate("card", "made up"))
    return parts


def head_text(card: Card) -> HeadText:
    """What a card says beside its title."""
    return HeadText(card.title, card.state.status, card.is_missing, card.switched, card.sign)


def card_head(card: Card, style: Style) -> Head:
    """Where the parts of a card's title row stand."""
    return head_of(head_text(card), style, INSET + 19, card.box.width - 10, HEADER / 2)


def area_head(card: Card, width: float, style: Style) -> Head:
    """Where the parts of an area's title row stand."""
    return head_of(head_text(card), style, 16, width - 12, TITLE / 2 + 1)


def card_selector(card: Card, style: Style) -> Selector | None:
    """Where a card lets another of its steps be chosen: at the right of its foot, or of its last line."""
    steps, box = card.state.steps, card.box
    if steps is None or not box.body_lines:
        return None
    middle = box.height - FOOT / 2 - 1 if box.has_foot else _last_line(box) - 4
    return selector_until(steps, style, box.width - INSET + 6, middle)


def area_selector(card: Card, width: float, style: Style) -> Selector | None:
    """The same for an area: beside its title."""
    steps = card.state.steps
    if steps is None:
        return None
    head = area_head(card, width, style)
    title = style.elided(card.title, Role.TITLE, head.title.width())
    left = head.title.left() + style.metrics[Role.TITLE].horizontalAdvance(title) + 2
    found = selector_from(steps, style, left, head.title.center().y())
    return found if found.later.right() <= head.title.right() else None


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
    if card.sign is Sign.ERROR:
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
    draw_kind(painter, card.kind, QRectF(INSET - 3, middle - 8, 16, 16), style.color(name))
    text = head_text(card)
    head = card_head(card, style)
    draw_beside_title(painter, head, text, style)
    painter.setPen(style.color("text.strong"))
    painter.setFont(style.fonts[Role.TITLE])
    painter.drawText(
        head.title,
        Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
        style.elided(card.title, Role.TITLE, head.title.width()),
    )
    if card.box.height <= HEADER:
        return
    thin = max(1.0, round(scale)) / scale
    y = (round(HEADER * scale) - 0.5 * thin * scale) / scale
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setPen(QPen(style.color("surface.line"), thin))
    painter.drawLine(QPointF(thin * 2, y), QPointF(card.box.width - thin * 2, y))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _draw_labels(painter: QPainter, card: Card, style: Style) -> None:
    painter.setFont(style.fonts[Role.LABEL])
    for spot in card.box.spots:
        label = None if spot.is_spare else label_of(card.box, spot, style)
        if label is None:
            continue
        align = Qt.AlignmentFlag.AlignLeft if spot.side is Side.LEFT else Qt.AlignmentFlag.AlignRight
        painter.setPen(style.color("text.muted"))
        painter.drawText(label.place, align | Qt.AlignmentFlag.AlignVCenter, label.text)
        field = literal_of(card.box, spot, style)
        if field is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(style.color("surface.hover"))
            painter.drawRoundedRect(field.place, 4, 4)
            painter.setPen(style.color("text.normal"))
            painter.drawText(field.place, Qt.AlignmentFlag.AlignCenter, field.text)


def is_streamed(state: NodeState) -> bool:
    """Whether a card shows the end of its text, which is what is new, and not the beginning."""
    return bool(state.text) and state.status == "running"


def _last_line(box: Box) -> float:
    """The baseline of the last line of the body."""
    return box.body_top + LINE * (box.body_lines - 1) + 12.5


def _draw_body(painter: QPainter, card: Card, style: Style) -> None:
    box, state = card.box, card.state
    if box.body_lines == 0:
        return
    text, color = state.text, "text.normal"
    if not text:
        fault = card.problem.replace("`", "") if card.sign is Sign.ERROR else ""
        text, color = fault or card.telling, "state.failed" if fault else "text.muted"
    width = box.width - 2 * INSET
    last = width if box.has_foot else _draw_aside(painter, card, style, _last_line(box), text) - INSET
    painter.setFont(style.fonts[Role.BODY])
    painter.setPen(style.color(color))
    rows = style.wrapped(text, Role.BODY, width, box.body_lines, tail=is_streamed(state))
    for index, row in enumerate(rows):
        room = last if index == box.body_lines - 1 else width
        at = QPointF(INSET, box.body_top + LINE * index + 12.5)
        painter.drawText(at, row if room >= width else style.elided(row, Role.BODY, room))


def _draw_foot(painter: QPainter, card: Card, style: Style) -> None:
    parts = [card.model, *foot_parts(card.state)] if card.model else foot_parts(card.state)
    _draw_figures(painter, card, style, card.box.height - FOOT / 2 + 3, parts)


def _draw_aside(painter: QPainter, card: Card, style: Style, baseline: float, text: str) -> float:
    """On cards without a foot: figures at the right of the last line; gives where they begin.

    What the card says comes first: it keeps half of the line where it needs as much.
    """
    box, parts = card.box, foot_parts(card.state)
    metrics = style.metrics[Role.SMALL]
    need = style.metrics[Role.BODY].horizontalAdvance(text[:80]) if box.body_lines == 1 else box.width
    room = box.width - 2 * INSET - min(need, (box.width - 2 * INSET) / 2)
    while len(parts) > 1 and metrics.horizontalAdvance("   ".join(parts)) > room:
        parts.pop()
    said = style.elided("   ".join(parts), Role.SMALL, room)
    wide = metrics.horizontalAdvance(said)
    return _draw_figures(painter, card, style, baseline, [said] if said else [], box.width - INSET - wide)


def _draw_figures(
    painter: QPainter, card: Card, style: Style, baseline: float, parts: list[str], left: float = INSET
) -> float:
    """Draw figures from `left` on, and at the right which step is shown; gives where that begins."""
    right = card.box.width - INSET
    metrics = style.metrics[Role.SMALL]
    selector = card_selector(card, style)
    if selector is not None:
        draw_selector(painter, selector, style)
        right = selector.earlier.left() - 2
    painter.setFont(style.fonts[Role.SMALL])
    painter.setPen(style.color("text.muted"))
    if selector is None and card.state.round:
        width = metrics.horizontalAdvance(card.state.round)
        painter.drawText(QPointF(right - width, baseline), card.state.round)
        right -= width + 10
    if card.box.has_foot:
        while len(parts) > 1 and metrics.horizontalAdvance("   ".join(parts)) > right - left:
            parts.pop(0)
    elif right < card.box.width - INSET:  # the step takes the place of figures
        return right - 4
    text = style.elided("   ".join(parts), Role.SMALL, right - left)
    painter.drawText(QPointF(left, baseline), text)
    return left - 8 if text else card.box.width - INSET
