"""The conversation of a step against that of another: message by message, with marks on what differs."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QComboBox, QStackedLayout, QTextEdit, QToolButton, QWidget

from studio.trace.conversations.message_difference import MessagePair, text_of
from studio.trace.conversations.messages import Spoken
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.slots import of_number
from studio.ui.viewmodels.messages.conversation import COLORS, heading_of

FAINT = 60
"""How much of the colour behind marked words is seen, of 255."""


@dataclass(frozen=True, slots=True)
class Against:
    """Something that a conversation can be compared with: a step of the run, or another run."""

    key: str
    title: str


class DifferencePage(QWidget):
    """Shows pairs of messages; `against_chosen` tells the key of what shall be compared with."""

    against_chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._choices: tuple[Against, ...] = ()
        self._pairs: Sequence[MessagePair] = ()
        self._places: list[int] = []
        self.empty = EmptyState(look, "messages", "", "", self)
        page = QWidget(self)
        self.chooser = QComboBox(page)
        self.chooser.setAccessibleName(self.tr("Compare with"))
        self.chooser.setPlaceholderText(self.tr("Compare with…"))
        self.chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.chooser.setMinimumWidth(look.length("space.wide") * 3)  # it takes what room there is
        self.chooser.activated.connect(of_number(lambda at: self.against_chosen.emit(self._choices[at].key)))
        self.count = text_label("", page, "small", "muted")
        before = self._button("chevron_up", self.tr("Previous difference"), -1, page)
        after = self._button("chevron_down", self.tr("Next difference"), 1, page)
        self.text = QTextEdit(page)
        self.text.setReadOnly(True)
        self.text.setFrameShape(QTextEdit.Shape.NoFrame)
        self.text.setAccessibleName(self.tr("Differences"))
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        small = look.length("space.small")
        head = row_layout(spacing=small)
        head.addWidget(self.chooser, 1)
        for widget in (self.count, before, after):
            head.addWidget(widget)
        normal = look.length("space.normal")
        rows = column_layout(page, normal, small)
        rows.addLayout(head)
        rows.addWidget(self.text, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)
        self.setFocusProxy(self.chooser)
        look.changed.connect(self._draw)
        self.offer((), "")

    @property
    def choices(self) -> Sequence[Against]:
        """What can be compared with."""
        return self._choices

    @property
    def pairs(self) -> Sequence[MessagePair]:
        """What is shown."""
        return self._pairs

    def offer(self, choices: Sequence[Against], chosen: str) -> None:
        """Offer what to compare with; without any, say so."""
        if tuple(choices) != self._choices:
            self._choices = tuple(choices)
            self.chooser.clear()
            self.chooser.addItems([one.title for one in choices])
        keys = [one.key for one in choices]
        self.chooser.setCurrentIndex(keys.index(chosen) if chosen in keys else -1)
        self._stack.setCurrentIndex(1 if choices else 0)
        if not choices:
            self.empty.say(
                self.tr("Nothing to compare with"),
                self.tr("Select a step that calls a model and ran more than once."),
            )

    def show_pairs(self, pairs: Sequence[MessagePair]) -> None:
        """Show two conversations as one."""
        if list(pairs) != list(self._pairs) or not pairs:
            self._pairs = tuple(pairs)
            self._draw()

    def say(self, text: str) -> None:
        """Say why nothing is compared."""
        self._pairs, self._places = (), []
        self.count.clear()
        self.text.setPlainText(text)

    def go(self, by: int) -> None:
        """Put the cursor at the next difference (1), or the one before (-1); the first follows the last."""
        if not self._places:
            return
        at = self.text.textCursor().position()
        ahead = (
            [one for one in self._places if one > at] if by > 0 else [one for one in self._places if one < at]
        )
        place = (ahead or self._places)[0] if by > 0 else (ahead or self._places)[-1]
        cursor = self.text.textCursor()
        cursor.setPosition(place)
        self.text.setTextCursor(cursor)
        self.text.ensureCursorVisible()

    def _button(self, icon: str, tip: str, by: int, parent: QWidget) -> QToolButton:
        button = QToolButton(parent)
        button.setProperty("plain", True)
        button.setIcon(self._look.icon(icon, "text.muted"))
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.clicked.connect(lambda: self.go(by))
        return button

    def _draw(self) -> None:
        self.text.clear()
        self._places = []
        cursor = self.text.textCursor()
        same = 0
        for pair in self._pairs:
            if pair.change == "same":
                same += 1
                continue
            self._write_same(cursor, same)
            same = 0
            self._write_pair(cursor, pair)
        self._write_same(cursor, same)
        many = len(self._places)
        self.count.setText(
            self.tr("no difference")
            if not many
            else self.tr("1 difference")
            if many == 1
            else self.tr("{count} differences").format(count=many)
        )
        start = self.text.textCursor()
        start.setPosition(self._places[0] if many else 0)
        self.text.setTextCursor(start)

    def _write_same(self, cursor: QTextCursor, many: int) -> None:
        if many:
            said = self.tr("1 message is the same") if many == 1 else self.tr("{count} messages are the same")
            self._write(cursor, f"{said.format(count=many)}\n\n", self._format("text.muted"))

    def _write_pair(self, cursor: QTextCursor, pair: MessagePair) -> None:
        spoken = pair.second or pair.first
        if spoken is None:
            return
        self._places.append(cursor.position())
        heading = self._format(_color(spoken))
        heading.setFontWeight(int(self._look.theme.value("type.strong")))
        words = {
            "gone": self.tr("{who}, only there"),
            "new": self.tr("{who}, only here"),
            "changed": "{who}",
            "same": "{who}",
        }[pair.change]
        self._write(cursor, words.format(who=heading_of(spoken)) + "\n", heading)
        if pair.change == "changed":
            for stretch in pair.words:
                self._write(cursor, stretch.text, self._mark(stretch.change))
        else:
            self._write(cursor, text_of(spoken), self._mark(pair.change))
        self._write(cursor, "\n\n", self._format("text.normal"))

    @staticmethod
    def _write(cursor: QTextCursor, text: str, form: QTextCharFormat) -> None:
        cursor.insertText(text, form)

    def _format(self, color: str) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setForeground(self._look.color(color))
        return form

    def _mark(self, change: str) -> QTextCharFormat:
        """What is gone is struck through, what is new underlined: colours alone would not tell everybody."""
        form = self._format("text.normal")
        if change in {"gone", "new"}:
            back = self._look.color("state.failed" if change == "gone" else "state.done")
            back.setAlpha(FAINT)
            form.setBackground(back)
            form.setFontStrikeOut(change == "gone")
            form.setFontUnderline(change == "new")
        return form


def _color(spoken: Spoken) -> str:
    return COLORS.get("failed" if spoken.is_error else spoken.role, COLORS["system"])
