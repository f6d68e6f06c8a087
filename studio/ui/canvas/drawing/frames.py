"""Draws frames and notes, by level of detail: with text from near, as coloured paper from far."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QPainter,
    QPalette,
    QPen,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from studio.flow.records import FRAME_COLORS, Frame, Note
from studio.ui.canvas.camera import Rect
from studio.ui.canvas.cards.cards import Cards
from studio.ui.canvas.drawing.far_titles import paint_far_title
from studio.ui.canvas.scene.box_places import TITLE, Key
from studio.ui.canvas.sight import CARDS_FROM, View, widget_rect
from studio.ui.canvas.style import Role, Style

RADIUS = 14.0
NOTE_RADIUS = 6.0
PAD = 12.0
_TITLED_FROM = 60
"""Widget points of width from which a frame seen from far has its title."""
_PAPERS = 200
HELD = 0.35
"""How much of its ground a frame or note keeps in the hand, where it lies over nodes, not behind them."""


def paint_frames(painter: QPainter, cards: Cards, view: View, clip: QRectF, *, in_areas: bool) -> None:
    """Draw the frames that stand still: those in loops and maps, drawn over these, or the others."""
    standing = cards.scene.standing
    areas = [area.rect for area in cards.scene.areas.values()]
    still = {
        key: rect
        for key, rect in standing.rects().items()
        if key not in standing.held and any(_lies_in(rect, area) for area in areas) is in_areas
    }
    _paint(painter, cards, view, clip, still, "frame")


def paint_notes(painter: QPainter, cards: Cards, view: View, clip: QRectF) -> None:
    """Draw the notes that stand still."""
    standing = cards.scene.standing
    still = {key: rect for key, rect in standing.rects().items() if key not in standing.held}
    _paint(painter, cards, view, clip, still, "note")


def paint_held(painter: QPainter, cards: Cards, view: View) -> None:
    """Draw the frames and notes that are in the hand."""
    held = cards.scene.standing.held
    if held:
        clip = QRectF(0, 0, view.width, view.height)
        _paint(painter, cards, view, clip, held, "frame", HELD)
        _paint(painter, cards, view, clip, held, "note", HELD)


def paint_chosen(painter: QPainter, cards: Cards, view: View, chosen: Iterable[Key]) -> None:
    """Draw the outer ring of selected frames and notes."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(cards.style.color("accent.action"), 2.0))
    for key in chosen:
        rect = cards.scene.standing.rect(key)
        if rect is not None and rect.grown(8).meets(view.seen()):
            radius = (RADIUS if key.kind == "frame" else NOTE_RADIUS) * min(1.0, max(view.camera.scale, 0.3))
            place = widget_rect(rect, view).adjusted(-2.5, -2.5, 2.5, 2.5)
            painter.drawRoundedRect(place, radius + 2.5, radius + 2.5)


def paint_small(painter: QPainter, cards: Cards, scale: float, x: float, y: float) -> None:
    """Draw frames and notes as the minimap has them."""
    style, standing = cards.style, cards.scene.standing
    for key, rect in standing.rects().items():
        frame = standing.frame(key)
        painter.setPen(QPen(_line(style, frame), 1))
        painter.setBrush(_ground(style, frame))
        place = QRectF(rect.x * scale + x, rect.y * scale + y, rect.width * scale, rect.height * scale)
        painter.drawRoundedRect(place, 2, 2)


def ink(style: Style, frame: Frame) -> QColor:
    """The colour of a frame's title."""
    name = frame.color if frame.color in FRAME_COLORS else ""
    return style.color(f"frame.{name}" if name else "area.frame_title")


def _paint(
    painter: QPainter,
    cards: Cards,
    view: View,
    clip: QRectF,
    rects: Mapping[Key, Rect],
    kind: str,
    ground: float = 1.0,
) -> None:
    seen = view.seen(clip).grown(4)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for key, rect in rects.items():
        if key.kind != kind or not rect.meets(seen):
            continue
        box = cards.scene.standing.box(key)
        if isinstance(box, Frame):
            _paint_frame(painter, cards.style, view, box, rect, ground)
        elif isinstance(box, Note):
            _paint_note(painter, cards.style, view, box, rect, ground)


def _paint_frame(
    painter: QPainter, style: Style, view: View, frame: Frame, rect: Rect, ground: float
) -> None:
    scale, place = view.camera.scale, widget_rect(rect, view)
    thin = max(1.0, round(view.ratio)) / view.ratio
    painter.setPen(QPen(_line(style, frame), thin))
    painter.setBrush(_veiled(_ground(style, frame), ground))
    radius = RADIUS * min(1.0, max(scale, 0.3))
    half = thin / 2
    painter.drawRoundedRect(place.adjusted(half, half, -half, -half), radius, radius)
    title = frame.title
    if frame.holds:
        count = len(frame.holds)
        title = f"{title}  ({count})" if title else f"({count})"
    if scale >= CARDS_FROM:
        painter.save()
        painter.translate(place.topLeft())
        painter.scale(scale, scale)
        painter.setFont(style.fonts[Role.TITLE])
        painter.setPen(ink(style, frame))
        painter.drawText(QPointF(16, TITLE / 2 + 5), style.elided(title, Role.TITLE, rect.width - 32))
        painter.restore()
    else:
        paint_far_title(painter, style, place, title, ink(style, frame), scale)


def _paint_note(painter: QPainter, style: Style, view: View, note: Note, rect: Rect, ground: float) -> None:
    scale, place = view.camera.scale, widget_rect(rect, view)
    thin = max(1.0, round(view.ratio)) / view.ratio
    painter.setPen(QPen(style.color("note.line"), thin))
    painter.setBrush(_veiled(style.color("note.paper"), ground))
    radius = NOTE_RADIUS * min(1.0, max(scale, 0.3))
    half = thin / 2
    painter.drawRoundedRect(place.adjusted(half, half, -half, -half), radius, radius)
    if scale >= CARDS_FROM:
        painter.save()
        painter.setClipRect(place, Qt.ClipOperation.IntersectClip)
        painter.translate(place.topLeft())
        painter.scale(scale, scale)
        painter.translate(PAD, PAD / 2)
        drawing = QAbstractTextDocumentLayout.PaintContext()
        drawing.palette.setColor(QPalette.ColorRole.Text, style.color("text.normal"))
        paper = _paper(style, note.text, rect.width - 2 * PAD)
        room = rect.height - PAD
        shown = whole_lines(paper, room)
        drawing.clip = QRectF(0, 0, rect.width - 2 * PAD, shown)
        painter.setClipRect(drawing.clip.adjusted(-PAD, -PAD, PAD, 0), Qt.ClipOperation.IntersectClip)
        paper.documentLayout().draw(painter, drawing)
        painter.restore()
        if shown < paper.size().height():
            _paint_more(painter, style, view, place)
    elif place.width() > _TITLED_FROM and place.height() > 18 and note.text:
        painter.setFont(style.fonts[Role.SMALL])
        painter.setPen(style.color("text.normal"))
        first = note.text.strip().splitlines()[0].lstrip("#*- ") if note.text.strip() else ""
        text = style.elided(first, Role.SMALL, place.width() - 12)
        painter.drawText(place.topLeft() + QPointF(6, 14), text)


def whole_lines(paper: QTextDocument, room: float) -> float:
    """The height of the lines that fit whole into `room`; a note's last line is not cut through."""
    if paper.size().height() <= room:
        return paper.size().height()
    shown, block = 0.0, paper.begin()
    while block.isValid():
        top, layout = paper.documentLayout().blockBoundingRect(block).top(), block.layout()
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            if top + line.y() + line.height() > room:
                return shown
            shown = top + line.y() + line.height()
        block = block.next()
    return shown


def _paint_more(painter: QPainter, style: Style, view: View, place: QRectF) -> None:
    """Mark in its corner that a note has more text than its paper holds."""
    scale = view.camera.scale
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.color("text.muted"))
    for number in range(3):
        x = place.right() - (8 + 5 * number) * scale
        painter.drawEllipse(QPointF(x, place.bottom() - 5 * scale), 1.3 * scale, 1.3 * scale)


def _lies_in(inner: Rect, outer: Rect) -> bool:
    return outer.contains(inner.x, inner.y) and outer.contains(inner.right, inner.bottom)


class _Paper(QTextDocument):
    """A text that shows nothing but itself: a picture named in it is not fetched."""

    def loadResource(self, kind: int, name: QUrl | str) -> None:
        """Give nothing."""


def _paper(style: Style, text: str, width: float) -> QTextDocument:
    """A note's text laid out; the same object as long as text and width are."""
    found = style.papers.get((text, width))
    if found is None:
        if len(style.papers) > _PAPERS:
            style.papers.clear()
        found = _Paper()
        found.setDocumentMargin(0)
        found.setDefaultFont(style.fonts[Role.BODY])
        found.setMarkdown(
            text,
            QTextDocument.MarkdownFeature.MarkdownDialectCommonMark
            | QTextDocument.MarkdownFeature.MarkdownNoHTML,
        )
        _calm_headings(found)
        found.setPageSize(QSizeF(max(width, 1), -1))
        style.papers[text, width] = found
    return found


def _calm_headings(paper: QTextDocument) -> None:
    """Let headings be one step larger than the text, as becomes a small paper."""
    cursor, calm = QTextCursor(paper), QTextCharFormat()
    calm.setProperty(QTextFormat.Property.FontSizeAdjustment, 1)
    block = paper.begin()
    while block.isValid():
        if block.blockFormat().headingLevel():
            cursor.setPosition(block.position())
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(calm)
        block = block.next()


def _veiled(color: QColor, share: float) -> QColor:
    veiled = QColor(color)
    veiled.setAlphaF(color.alphaF() * share)
    return veiled


def _line(style: Style, frame: Frame | None) -> QColor:
    if frame is None:
        return style.color("note.line")
    name = frame.color if frame.color in FRAME_COLORS else ""
    return style.mixed(f"frame.{name}", "area.frame", 0.5) if name else style.color("area.frame_line")


def _ground(style: Style, frame: Frame | None) -> QColor:
    if frame is None:
        return style.color("note.paper")
    name = frame.color if frame.color in FRAME_COLORS else ""
    return style.color(f"frame.{name}_fill" if name else "area.frame")
