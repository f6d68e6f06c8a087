"""The name of what is inspected: its kind's glyph, its title, which can be changed, its kind and state."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionFrame,
    QStylePainter,
    QWidget,
)

from studio.ui.editors.editor import leaves_undo
from studio.ui.look import Look
from studio.ui.panels.widgets.mark import KindMark
from studio.ui.theme.apply import mark

PILL_SLACK = 4
"""Pixels beside a pill's letters and its padding."""
ROOM = 88
"""Pixels that margins, gaps, the mark and a cursor take."""


class _Title(QLineEdit):
    """A field that shows an ellipsis where its text is cut, until somebody writes in it."""

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        inside = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        room = inside.adjusted(2, 0, -2, 0)
        said = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        if self.hasFocus() or said == self.text():
            super().paintEvent(event)
            return
        painter = QStylePainter(self)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option)
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, said)


class Header(QWidget):
    """Shows who is inspected; `renamed` tells each letter of a new title."""

    renamed = Signal(str)
    visited = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.mark = KindMark(look, parent=self)
        self.title = _Title(self)
        self.title.setAccessibleName(self.tr("Title"))
        self.title.setObjectName("node_title")
        self.title.setProperty("plain", True)
        self.title.setFont(look.font("heading", strong=True))
        self.title.setPlaceholderText(self.tr("Untitled"))
        self.title.installEventFilter(self)
        self.title.textEdited.connect(self.renamed)
        self.kind = QLabel(self)
        self.kind.setProperty("mono", True)
        self.kind.setProperty("tone", "muted")
        self.pill = QLabel(self)
        self.pill.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.pill.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        large = look.length("space.large")
        row.setContentsMargins(
            large - look.length("space.hair"), look.length("space.small"), large, look.length("space.tight")
        )
        row.setSpacing(look.length("space.small"))
        row.addWidget(self.mark)
        row.addSpacing(-look.length("space.tight"))
        row.addWidget(self.title, 1)
        for label in (self.kind, self.pill):
            row.addWidget(label, alignment=Qt.AlignmentFlag.AlignVCenter)

    def show_name(self, title: str, kind: str) -> None:
        """Show a node's title and kind."""
        self.mark.set_kind(kind)
        self.mark.setVisible(bool(kind))
        if self.title.text() != title:
            place = self.title.cursorPosition()
            self.title.setText(title)
            self.title.setCursorPosition(min(place, len(title)))
        self.kind.setText(kind)
        self.kind.setToolTip(kind)
        self.title.setToolTip(title)
        self._fit()

    def show_status(self, word: str, tone: str) -> None:
        """Show a state in its colour; an empty word shows none."""
        self.pill.setVisible(bool(word))
        if word and (self.pill.text(), self.pill.property("pill")) != (word, tone):
            self.pill.setText(word)
            mark(self.pill, pill=tone)
            letters = QFontMetrics(self._look.font("small", strong=True)).horizontalAdvance(word)
            self.pill.setFixedWidth(letters + 2 * self._look.length("space.small") + PILL_SLACK)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the kind where there is room for it beside the whole title."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        title = self.title.fontMetrics().horizontalAdvance(self.title.text() or self.title.placeholderText())
        taken = title + self.kind.sizeHint().width()
        taken += self.pill.width() if not self.pill.isHidden() else 0
        self.kind.setVisible(taken + ROOM <= self.width())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A visit of the title is one step of undo, and undo is the flow's."""
        return leaves_undo(event, self.visited) or super().eventFilter(watched, event)
