"""A bar above the canvas: what went wrong in one sentence, and the buttons that mend it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from studio.ui.look import Look
from studio.ui.theme.apply import mark


@dataclass(frozen=True, slots=True)
class Remedy:
    """A button's words, and what it does."""

    words: str
    act: Callable[[], None]


class NoticeBar(QFrame):
    """Shows the last notice until it is closed, mended, or no longer true. Never modal."""

    shown = Signal(bool)
    """Whether there is a notice."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._key = ""
        self.setProperty("card", True)
        self._icon = QLabel(self)
        self._text = QLabel(self)
        self._text.setWordWrap(True)
        self._buttons: list[QPushButton] = []
        self._close = QToolButton(self)
        self._close.setProperty("plain", True)
        self._close.setToolTip(self.tr("Close this notice"))
        self._close.setAccessibleName(self.tr("Close this notice"))
        self._close.clicked.connect(self.clear)
        row = self._row = QHBoxLayout(self)
        normal = look.length("space.normal")
        row.setContentsMargins(
            normal, look.length("space.small"), look.length("space.small"), look.length("space.small")
        )
        row.setSpacing(normal)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self._close)
        look.changed.connect(self._draw)
        self._tone = "failed"
        self._draw()
        self.hide()

    @property
    def text(self) -> str:
        """The sentence that is shown; empty when there is none."""
        return self._text.text() if not self.isHidden() else ""

    @property
    def key(self) -> str:
        """The matter that the notice is about; empty where there is none."""
        return self._key

    @property
    def buttons(self) -> Sequence[QPushButton]:
        """The buttons of the remedies, in their order."""
        return tuple(self._buttons)

    def say(
        self,
        text: str,
        remedy: Remedy | Sequence[Remedy] | None = None,
        *,
        tone: str = "failed",
        key: str = "",
    ) -> None:
        """Show a sentence, and a button for each remedy.

        `key` names the matter, so that `settle` can take it away when it is over.
        """
        self._text.setText(text)
        self._key, self._tone = key, tone
        remedies = [remedy] if isinstance(remedy, Remedy) else list(remedy or ())
        self._clear_buttons()
        for number, one in enumerate(remedies):
            button = QPushButton(one.words, self)
            button.clicked.connect(lambda _=False, one=one: self._mend(one))
            self._row.insertWidget(2 + number, button)
            self._buttons.append(button)
        self._draw()
        self.setAccessibleName(text)
        self.show()
        self.shown.emit(True)

    def settle(self, key: str) -> None:
        """Take the notice away if it is about this matter."""
        if self._key == key:
            self.clear()

    def clear(self) -> None:
        """Take the notice away."""
        self._key = ""
        self._clear_buttons()
        self.hide()
        self.shown.emit(False)

    def _mend(self, remedy: Remedy) -> None:
        self.clear()
        remedy.act()

    def _clear_buttons(self) -> None:
        for button in self._buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons.clear()

    def _draw(self) -> None:
        side = self._look.length("size.icon")
        name = "error" if self._tone == "failed" else "warning" if self._tone == "held" else "info"
        self._icon.setPixmap(self._look.icon(name, f"state.{self._tone}").pixmap(side, side))
        self._close.setIcon(self._look.icon("close", "text.muted"))
        mark(self._text, tone="strong")
