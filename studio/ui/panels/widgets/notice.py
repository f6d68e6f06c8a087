"""A bar above the canvas: what went wrong in one sentence, and the buttons that mend it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from studio.flow.plain_text import quoted
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.look import Look
from studio.ui.removal import take_out
from studio.ui.slots import of_flag
from studio.ui.theme.apply import mark


@dataclass(frozen=True, slots=True)
class Remedy:
    """A button's words, and what it does."""

    words: str
    act: Callable[[], None]


LEAVES_AFTER = 5_000
"""Milliseconds that a notice stays which asks nothing of anybody; twice as long where it offers something."""

PASSING = frozenset({"done", "skipped"})
"""The tones of such notices: of what succeeded, and of what only explains."""


@dataclass(slots=True, eq=False)
class _Notice:
    text: str
    remedies: Sequence[Remedy]
    tone: str
    key: str
    leaves: QTimer | None = None


class NoticeBar(QFrame):
    """Shows the last notice until it is closed, mended, no longer true, or its time is over. Never modal.

    What was said before it comes to light again then, unless that is over too.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._notices: list[_Notice] = []
        self.leaves_after = LEAVES_AFTER
        self.setProperty("card", True)
        self._icon = QLabel(self)
        self._text = text_label("", self, wraps=True)
        self._buttons: list[QPushButton] = []
        self._close = QToolButton(self)
        self._close.setProperty("plain", True)
        self._close.setToolTip(self.tr("Close this notice"))
        self._close.setAccessibleName(self.tr("Close this notice"))
        self._close.clicked.connect(of_flag(lambda _: self._leave(self._notices[-1])))
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
        self._draw()
        self.hide()

    @property
    def text(self) -> str:
        """The sentence that is shown; empty when there is none."""
        return self._notices[-1].text if self._notices else ""

    @property
    def key(self) -> str:
        """The matter that the notice is about; empty where there is none."""
        return self._notices[-1].key if self._notices else ""

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
        lasts: bool = False,
    ) -> None:
        """Show a sentence, and a button for each remedy.

        `key` names the matter, so that `settle` can take it away when it is over; what was said of it before
        goes. What succeeded, or only explains, goes by itself unless it `lasts`, as long as work goes on.
        """
        remedies = [remedy] if isinstance(remedy, Remedy) else list(remedy or ())
        notice = _Notice(quoted(text), remedies, tone, key)
        if not key and any(one.text == notice.text for one in self._notices):
            return  # said already, of a matter that settles it
        for one in [
            one for one in self._notices if one.key == key or (not one.key and one.text == notice.text)
        ]:
            self._forget(one)
        if tone in PASSING and not lasts:
            timer = notice.leaves = QTimer(self, singleShot=True)
            timer.timeout.connect(lambda: self._pass(notice))
            timer.start(self.leaves_after * (2 if remedies else 1))
        self._notices.append(notice)
        self._show()

    def settle(self, key: str) -> None:
        """Take the notice about this matter away, if there is one."""
        for one in [one for one in self._notices if one.key == key]:
            self._leave(one)

    def clear(self) -> None:
        """Take all notices away."""
        for one in tuple(self._notices):
            self._forget(one)
        self._show()

    def _mend(self, notice: _Notice, remedy: Remedy) -> None:
        self._leave(notice)
        remedy.act()

    def _pass(self, notice: _Notice) -> None:
        """Let a notice go whose time is over; one that somebody is about to press stays meanwhile."""
        if notice is self._notices[-1] and notice.leaves is not None and self.underMouse():
            notice.leaves.start(self.leaves_after)
            return
        self._leave(notice)

    def _leave(self, notice: _Notice) -> None:
        self._forget(notice)
        self._show()

    def _forget(self, notice: _Notice) -> None:
        if notice.leaves is not None:
            notice.leaves.stop()
            notice.leaves.deleteLater()
        if notice in self._notices:
            self._notices.remove(notice)

    def _show(self) -> None:
        """Show the last notice, or none."""
        self._clear_buttons()
        if not self._notices:
            self.hide()
            return
        notice = self._notices[-1]
        self._text.setText(notice.text)
        for number, one in enumerate(notice.remedies):
            button = push_button(one.words, self)
            button.clicked.connect(lambda _=False, one=one: self._mend(notice, one))
            self._row.insertWidget(2 + number, button)
            self._buttons.append(button)
        self._draw()
        self.setAccessibleName(notice.text)
        self.show()

    def _clear_buttons(self) -> None:
        for button in self._buttons:
            take_out(self._row, button)
        self._buttons.clear()

    def _draw(self) -> None:
        side = self._look.length("size.icon")
        tone = self._notices[-1].tone if self._notices else "failed"
        name = "error" if tone == "failed" else "warning" if tone == "held" else "info"
        self._icon.setPixmap(self._look.icon(name, f"state.{tone}").pixmap(side, side))
        self._close.setIcon(self._look.icon("close", "text.muted"))
        mark(self._text, tone="strong")
