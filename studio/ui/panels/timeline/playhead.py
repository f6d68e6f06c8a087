"""What lies over the lanes: the moment that is shown, what is to come then, the chosen part, folded time."""

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from studio.trace.figures import duration
from studio.ui.look import Look
from studio.ui.panels.timeline.picture import Picture

TO_COME_ALPHA = 0.55
"""How much what has not happened yet at the shown moment is covered."""
CHOSEN_ALPHA = 0.12


def paint_to_come(painter: QPainter, look: Look, area: QRect, picture: Picture) -> None:
    """Cover what happens after the moment that is shown."""
    if picture.moment is None:
        return
    left = max(round(picture.left + picture.scale.x(picture.moment)), picture.left)
    cover = QColor(look.color("surface.panel"))
    cover.setAlphaF(TO_COME_ALPHA)
    painter.fillRect(QRect(left, picture.top, area.right() - left + 1, area.height() - picture.top), cover)


def paint_folds(painter: QPainter, look: Look, area: QRect, picture: Picture) -> None:
    """Mark where time is folded in which the run did not work, and say how long it was."""
    folds, free = picture.scale.folds, 0.0
    painter.setFont(look.font("small"))
    for since, until in zip(folds.starts, folds.ends, strict=True):
        left, right = (round(picture.left + picture.scale.x(one)) for one in (since, until))
        if left < picture.left or left > area.right():
            continue
        painter.setPen(QPen(look.color("state.held"), 1, Qt.PenStyle.DashLine))
        for x in (left, right):
            painter.drawLine(x, picture.top, x, area.bottom())
        said = duration(until - since)
        wide = painter.fontMetrics().horizontalAdvance(said)
        middle = (left + right - wide) / 2
        box = QRectF(max(middle, picture.left), 0, wide + 2, picture.top)
        if box.left() > free:
            painter.fillRect(box, look.color("surface.panel"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, said)
            free = box.right() + look.length("space.tight")


def paint_range(painter: QPainter, look: Look, area: QRect, picture: Picture) -> None:
    """Mark the part of the run that was chosen."""
    if picture.chosen is None:
        return
    first, last = (picture.left + picture.scale.x(one) for one in picture.chosen)
    left, right = max(first, picture.left), min(last, area.right())
    if right < picture.left or left > area.right():
        return
    fill = QColor(look.color("accent.focus"))
    fill.setAlphaF(CHOSEN_ALPHA)
    painter.fillRect(QRectF(left, 0, right - left, area.height()), fill)
    painter.setPen(QPen(look.color("accent.focus"), 1))
    for x in (first, last):
        if x >= picture.left:
            painter.drawLine(QPointF(x, 0), QPointF(x, area.height()))


def paint_playhead(painter: QPainter, look: Look, area: QRect, picture: Picture) -> None:
    """Draw where the run has come to, and the moment that is shown with its time."""
    painter.save()
    painter.setClipRect(area.adjusted(picture.left, 0, 0, 0))
    now = round(picture.left + picture.scale.x(picture.now))
    painter.setPen(QPen(look.color("state.held" if picture.is_live else "text.disabled"), 1))
    painter.drawLine(now, picture.top, now, area.bottom())
    if picture.moment is not None:
        _moment(painter, look, area, picture, picture.moment)
    painter.restore()


def _moment(painter: QPainter, look: Look, area: QRect, picture: Picture, moment: float) -> None:
    x = picture.left + picture.scale.x(moment)
    color = look.color("accent.action")
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(color, 1.5))
    painter.drawLine(QPointF(x, picture.top), QPointF(x, area.bottom()))
    font = look.font("small", strong=True)
    text, pad = duration(moment), look.length("space.tight")
    width = QFontMetricsF(font).horizontalAdvance(text) + pad * 2
    left = min(max(x - width / 2, picture.left), area.right() - width)
    box = QRectF(left, pad / 2, width, picture.top - pad * 2)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(box, look.length("radius.bar"), look.length("radius.bar"))
    low = box.bottom()
    painter.drawPolygon(QPolygonF([QPointF(x - pad, low), QPointF(x + pad, low), QPointF(x, low + pad)]))
    painter.setFont(font)
    painter.setPen(look.color("accent.on_action"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
