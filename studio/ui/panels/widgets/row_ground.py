"""What stands behind the words of a row in a list: that it is chosen, pointed at, or has the keyboard."""

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from studio.ui.look import Look


def paint_ground(
    painter: QPainter, look: Look, option: QStyleOptionViewItem, *, is_current: bool = False
) -> tuple[QRect, bool]:
    """Draw it; gives the row's place, and whether it looks chosen, which one that `is_current` always does.

    Afterwards the painter has no pen.
    """
    rect: QRect = option.rect  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    radius = look.length("radius.bar")
    is_chosen = is_current or bool(state & QStyle.StateFlag.State_Selected)
    if is_chosen or state & QStyle.StateFlag.State_MouseOver:
        painter.setBrush(look.color("surface.selection" if is_chosen else "surface.hover"))
        painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), radius, radius)
    if state & QStyle.StateFlag.State_HasFocus:  # the row of the keyboard, beside the one that is shown
        painter.setPen(look.color("accent.focus"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 1.5, -0.5, -1.5), radius, radius)
        painter.setPen(Qt.PenStyle.NoPen)
    return rect, is_chosen
