"""What a panel shows while it has nothing to show: what will stand there, and the action that fills it."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from studio.ui.labels import text_label
from studio.ui.look import Look

WIDEST, NARROWEST = 30, 18
"""How wide the sentence is at most, and its place at least, in small gaps."""


class EmptyState(QWidget):
    """A mark, a title, one sentence, and at most one button."""

    def __init__(self, look: Look, icon: str, title: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._icon = look, icon
        gap = look.length("space.small")
        self._mark = QLabel(self)
        self._title = text_label(title, self, "strong")
        self._hint = text_label(hint, self, "label", "muted")
        self._hint.setFixedWidth(gap * WIDEST)
        self._hint.setWordWrap(True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        for label in (self._mark, self._title):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(*(look.length("space.large"),) * 4)
        self._rows.setSpacing(gap)
        self._rows.addStretch(2)
        self._rows.addWidget(self._mark)
        self._rows.addWidget(self._title)
        self._rows.addWidget(self._hint, alignment=Qt.AlignmentFlag.AlignHCenter)
        self._rows.addStretch(3)
        self._mark.setMinimumHeight(look.length("size.icon") * 2)
        self._is_drawn = False
        look.changed.connect(self._redraw)

    @property
    def title(self) -> str:
        """What it says in short."""
        return self._title.text()

    def say(self, title: str, hint: str) -> None:
        """Change the words."""
        self._title.setText(title)
        self._hint.setText(hint)
        self._fit()

    def offer(self, words: str, act: Callable[[], None]) -> QPushButton:
        """Put a button under the sentence."""
        button = QPushButton(words, self)
        button.clicked.connect(lambda: act())  # noqa: PLW0108  # the signal's own argument stops here
        self._rows.insertWidget(self._rows.count() - 1, button, alignment=Qt.AlignmentFlag.AlignHCenter)
        return button

    def minimumSizeHint(self) -> QSize:
        """A narrow place breaks the sentence into more lines."""
        gap = self._look.length("space.small")
        return QSize(gap * NARROWEST, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the sentence where the place ends."""
        super().resizeEvent(event)
        gap = self._look.length("space.small")
        room = self.width() - 2 * self._look.length("space.large")
        self._hint.setFixedWidth(max(min(room, gap * WIDEST), gap * (NARROWEST - 4)))
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font that the stylesheet gives."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.StyleChange, QEvent.Type.FontChange}:
            self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Know the font for certain, and draw the mark; of most panels nobody ever sees it."""
        super().showEvent(event)
        self._fit()
        if not self._is_drawn:
            self._draw()

    def _fit(self) -> None:
        """Give the sentence the height that its lines need: layouts forget it where widgets are centred."""
        if not self.isVisible():
            return
        self._hint.ensurePolished()
        self._hint.setFixedHeight(max(self._hint.heightForWidth(self._hint.width()), 0))

    def _redraw(self) -> None:
        self._is_drawn = False
        if self.isVisible():
            self._draw()

    def _draw(self) -> None:
        self._is_drawn = True
        side = self._look.length("size.icon") * 2
        self._mark.setPixmap(self._look.icon(self._icon, "text.disabled").pixmap(side, side))
