"""A call of a tool in a chat: one line, and what it was called with and answered once it is opened."""

from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from studio.ids import StepId
from studio.ui.buttons import push_button
from studio.ui.layouts import row_layout
from studio.ui.look import Look
from studio.ui.panels.messages.spoken_text import SpokenText
from studio.ui.panels.widgets.short_label import ShortLabel
from studio.ui.removal import take_out
from studio.ui.theme.apply import mark
from studio.ui.viewmodels.chat.chat_turns import ToolLine
from studio.ui.viewmodels.messages.conversation import as_json

LONG = 6_000
"""Characters of an answer that are shown; the run has all of it."""


class ToolRow(QWidget):
    """Shows one call, folded at first."""

    def __init__(self, look: Look, line: ToolLine, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._line = look, line
        self._texts: list[SpokenText] = []
        rows = self._rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(look.length("space.tight"))
        head = row_layout(spacing=look.length("space.small"))
        self.button = push_button("", self, is_plain=True)
        self.button.setCheckable(True)
        self.button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.button.toggled.connect(self._fold)
        self.short = ShortLabel("", self)
        self.short.setProperty("type", "label")
        self.short.setProperty("tone", "muted")
        self.word = ShortLabel("", self)
        self.word.setProperty("type", "label")
        head.addWidget(self.button)
        head.addWidget(self.short, 1)
        head.addWidget(self.word)
        rows.addLayout(head)
        look.changed.connect(self._draw)
        self._draw()
        self._say()

    @property
    def step(self) -> StepId:
        """The call."""
        return self._line.step

    @property
    def texts(self) -> list[str]:
        """What stands below the line, while it is open."""
        return [one.toPlainText() for one in self._texts]

    def show_line(self, line: ToolLine) -> None:
        """Show how the call stands now."""
        if line == self._line:
            return
        self._line = line
        self._say()
        if self.button.isChecked():
            self._fold(is_open=True)

    def _say(self) -> None:
        line = self._line
        self.button.setText(line.tool)
        self.button.setAccessibleName(
            self.tr("Call of {tool}: {arguments}").format(tool=line.tool, arguments=line.short)
        )
        self.button.setToolTip(self.tr("What it was called with, and what it answered"))
        self.short.setText(line.short)
        self.short.setToolTip(line.short)
        self.word.setText(line.word)
        self.word.setVisible(bool(line.word))
        mark(self.word, tone=line.tone)

    def _fold(self, is_open: bool) -> None:  # noqa: FBT001  # a slot
        self._draw()
        for text in self._texts:
            take_out(self._rows, text)
        self._texts = []
        if not is_open:
            return
        called = self.tr("What {tool} was called with").format(tool=self._line.tool)
        answered = self.tr("What {tool} answered").format(tool=self._line.tool)
        for name, text in ((called, self._line.arguments), (answered, self._line.answer)):
            if text:
                written = as_json(text)
                body = SpokenText(self._look, name, self, language="json" if written else "")
                body.setContentsMargins(self._look.length("space.large"), 0, 0, 0)
                body.setToolTip(name)
                shown = written or text
                body.grow(shown if len(shown) <= LONG else f"{shown[:LONG]} …")
                self._rows.addWidget(body)
                self._texts.append(body)

    def _draw(self) -> None:
        name = "branch_open" if self.button.isChecked() else "branch_closed"
        self.button.setIcon(self._look.icon(name, "text.muted"))
