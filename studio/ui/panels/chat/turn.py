"""One turn of a chat: what was sent, and below it what the run says, calls, asks and gives."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.ids import RunId, StepId
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.chat.composer import MessageText
from studio.ui.panels.chat.tool_row import ToolRow
from studio.ui.panels.forms.make import question_card
from studio.ui.panels.forms.question import QuestionCard
from studio.ui.panels.messages.spoken_text import SpokenText
from studio.ui.panels.result.card import FindsFile, ResultCard
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.panels.widgets.picture import FindsImages, pictures_in
from studio.ui.panels.widgets.short_label import ShortLabel
from studio.ui.removal import empty, take_out
from studio.ui.theme.apply import mark
from studio.ui.viewmodels.chat.chat import TurnRow
from studio.ui.viewmodels.chat.chat_turns import TurnView

MOST_TOOLS = 12
"""Calls of tools that are shown; those before them come when somebody asks."""
ICONS = {"done": "done", "failed": "error", "held": "hold", "running": "run", "skipped": "stop"}


class TurnWidget(QWidget):
    """Shows a turn; of one whose run goes on, only what is new is changed. Signals name what is asked."""

    edited = Signal(str)
    """The message is to be sent again, with this text."""
    beside_asked = Signal(int)
    run_asked = Signal()
    case_asked = Signal()
    step_asked = Signal(str)
    origin_asked = Signal(object)
    file_asked = Signal(object)
    folder_asked = Signal(object)
    answered = Signal(str, object)
    questions_asked = Signal()
    """What an earlier run left open is to be answered."""

    def __init__(
        self, look: Look, row: TurnRow, images: FindsImages, find: FindsFile, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._images, self._find = look, images, find
        self.row = row
        self._view: TurnView | None = None
        self._shows_all_tools = False
        self.cards: list[ResultCard] = []
        self.tools: list[ToolRow] = []
        self.questions: dict[StepId, QuestionCard] = {}
        small = look.length("space.small")
        rows = self._rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, small)
        rows.setSpacing(small)
        self._make_message(rows)
        self.earlier_tools = push_button("", self, self._show_all_tools, is_plain=True)
        self.earlier_tools.hide()
        rows.addWidget(self.earlier_tools, alignment=Qt.AlignmentFlag.AlignLeft)
        self._tool_rows = _column(rows, look.length("space.tight"))
        self._streaming: SpokenText | None = None
        self._body = _column(rows, small)
        self._asking = _column(rows, small)
        self.error = text_label("", self, tone="failed", wraps=True, is_plain=True, is_selectable=True)
        rows.addWidget(self.error)
        self.links = _column(rows, look.length("space.tight"))
        self._make_foot(rows)
        look.changed.connect(self._draw)
        self.show_row(row)
        self.show_view(TurnView(), can_keep=False)

    @property
    def run(self) -> RunId:
        """The run that answers."""
        return self.row.turn.run

    @property
    def streamed(self) -> str:
        """What is being said, as it stands there."""
        return self._streaming.toPlainText() if self._streaming is not None else ""

    @property
    def state(self) -> str:
        """The words for where the run stands."""
        return self.word.text()

    def show_row(self, row: TurnRow) -> None:
        """Show the place of the turn among those that were sent there."""
        self.row = row
        self.before.setVisible(row.count > 1)
        self.after.setVisible(row.count > 1)
        self.place.setVisible(row.count > 1)
        self.place.setText(row.place)
        self.before.setEnabled(row.number > 1)
        self.after.setEnabled(row.number < row.count)

    def show_view(self, view: TurnView, *, can_keep: bool) -> None:
        """Show where the run stands now."""
        before, self._view = self._view, view
        if before is None or before.tools != view.tools:
            self._show_tools()
        if before is None or before.given != view.given or before.streamed != view.streamed:
            self._show_said(view, before)
        if before is None or before.asks != view.asks:
            self._show_asked(view)
        if before is None or before.where != view.where:
            self._show_links(view)
        self.error.setText(view.error)
        self.error.setVisible(bool(view.error))
        self.word.setText(view.word)
        mark(self.word, tone=view.tone)
        self.word.setVisible(bool(view.word))
        said = [view.doing, self.tr("made up") if view.is_made_up else "", view.figures]
        self.about.setText(" · ".join(one for one in said if one))
        mark(self.about, tone="held" if view.is_made_up and view.is_over else "muted")
        why = self.tr("Made-up answers are in it; no language model has said this")
        self.about.setToolTip("\n".join([self.about.text(), *([why] if view.is_made_up else [])]))
        self.again.setVisible(view.is_over)
        self.edit.setEnabled(view.is_over)
        self.open_run.setVisible(bool(view.word))
        self.keep.setVisible(view.is_over and can_keep)
        if before is None or (before.word, before.tone) != (view.word, view.tone):
            self._draw()

    def begin_edit(self) -> None:
        """Write the message anew, in its place."""
        if self._editor is not None or not self.edit.isEnabled():
            return
        box = self._editor = QWidget(self._card)
        rows = column_layout(box, 0, self._look.length("space.small"))
        self.field = MessageText(self._look, box, least=1, most=10)
        self.field.setAccessibleName(self.tr("Edited message"))
        self.field.setPlainText(self.row.turn.text)
        self.field.selectAll()
        self.field.sent.connect(self._send_edited)
        self.field.left.connect(self.end_edit)
        rows.addWidget(self.field)
        foot = QHBoxLayout()
        foot.addStretch(1)
        cancel = push_button(self.tr("Cancel"), box, self.end_edit)
        self.resend = QPushButton(self.tr("Send again"), box)
        self.resend.setProperty("primary", True)
        self.resend.setToolTip(self.tr("What came after it stays as another version of the conversation"))
        self.resend.clicked.connect(self._send_edited)
        foot.addWidget(cancel)
        foot.addWidget(self.resend)
        rows.addLayout(foot)
        self._said.hide()
        self.edit.hide()
        self._card_rows.insertWidget(0, box)
        self.field.setFocus()

    def end_edit(self) -> None:
        """Leave the message as it was."""
        if self._editor is not None:
            take_out(self._card_rows, self._editor)
            self._editor = None
            self._said.show()
            self.edit.show()
            self.edit.setFocus()

    # ---------------------------------------------------------------- parts

    def _make_message(self, rows: QVBoxLayout) -> None:
        look, turn = self._look, self.row.turn
        self._editor: QWidget | None = None
        line = QHBoxLayout()
        line.addSpacing(look.length("space.wide"))
        self._card = QFrame(self)
        self._card.setProperty("card", True)
        small = look.length("space.small")
        self._card_rows = column_layout(
            self._card, (small + look.length("space.tight"), small, small, small), look.length("space.tight")
        )
        self._said = SpokenText(look, self.tr("What you wrote"), self._card)
        self._said.grow(turn.text)
        top = row_layout(spacing=0)
        top.addWidget(self._said, 1)
        self.edit = icon_button(
            look, "edit", self.tr("Edit this message and send it again"), self._card, self.begin_edit
        )
        top.addWidget(self.edit, alignment=Qt.AlignmentFlag.AlignTop)
        self._card_rows.addLayout(top)
        for path in turn.files:
            shown: Sequence[QWidget] = pictures_in(path, self._images, self._card)
            for widget in shown or [_named(path, self._card)]:
                self._card_rows.addWidget(widget)
        foot = row_layout(spacing=0)
        self.before = icon_button(
            look,
            "chevron_left",
            self.tr("The version before"),
            self._card,
            lambda: self.beside_asked.emit(-1),
        )
        self.place = text_label("", self._card, "label", "muted")
        self.after = icon_button(
            look, "chevron_right", self.tr("The version after"), self._card, lambda: self.beside_asked.emit(1)
        )
        foot.addWidget(self.before)
        foot.addWidget(self.place)
        foot.addWidget(self.after)
        foot.addStretch(1)
        self._card_rows.addLayout(foot)
        line.addWidget(self._card, 1)
        rows.addLayout(line)

    def _make_foot(self, rows: QVBoxLayout) -> None:
        look = self._look
        foot = row_layout(spacing=look.length("space.small"))
        self._mark = QLabel(self)
        self.word = text_label("", self, "label", is_plain=True)
        self.about = ShortLabel("", self)
        self.about.setProperty("type", "label")
        self.again = self._button("restart", self.tr("Send this message again"), self._send_same)
        self.keep = self._button(
            "check", self.tr("Turn the step that answered into a case…"), self.case_asked.emit
        )
        self.open_run = self._button(
            "timeline", self.tr("Open the run of this message in the timeline"), self.run_asked.emit
        )
        foot.addWidget(self._mark)
        foot.addWidget(self.word)
        foot.addWidget(self.about, 1)
        for one in (self.again, self.keep, self.open_run):
            foot.addWidget(one)
        rows.addLayout(foot)

    def _button(self, icon: str, words: str, act: Callable[[], object]) -> QToolButton:
        button = icon_button(self._look, icon, words, self)
        button.clicked.connect(lambda: act())  # noqa: PLW0108  # the signal's own argument stops here
        return button

    def _show_tools(self) -> None:
        lines = self._view.tools if self._view is not None else ()
        hidden = 0 if self._shows_all_tools else max(len(lines) - MOST_TOOLS, 0)
        self.earlier_tools.setVisible(hidden > 0)
        self.earlier_tools.setText(self.tr("{count} earlier calls of tools").format(count=hidden))
        shown = {line.step: line for line in lines[hidden:]}
        for row in [one for one in self.tools if one.step not in shown]:
            self.tools.remove(row)
            take_out(self._tool_rows, row)
        known = {row.step: row for row in self.tools}
        for place, (step, line) in enumerate(shown.items()):
            if step in known:
                known[step].show_line(line)
            else:
                made = ToolRow(self._look, line, self)
                self.tools.insert(place, made)
                self._tool_rows.insertWidget(place, made)

    def _show_all_tools(self) -> None:
        self._shows_all_tools = True
        self._show_tools()

    def _show_said(self, view: TurnView, before: TurnView | None) -> None:
        if view.streamed and not view.given:
            if self._streaming is None:
                self._streaming = SpokenText(self._look, self.tr("The answer, as it comes"), self)
                self._body.addWidget(self._streaming)
            self._streaming.grow(view.streamed)
        elif self._streaming is not None:
            take_out(self._body, self._streaming)
            self._streaming = None
        if before is not None and before.given == view.given:
            return
        for card in self.cards:
            take_out(self._body, card)
        self.cards = [ResultCard(self._look, one, self._images, self._find, self) for one in view.given]
        for card in self.cards:
            card.origin_asked.connect(self.origin_asked)
            card.file_asked.connect(self.file_asked)
            card.folder_asked.connect(self.folder_asked)
            self._body.addWidget(card)

    def _show_asked(self, view: TurnView) -> None:
        wanted = {one.step: one for one in view.asks}
        for step, card in tuple(self.questions.items()):
            if step not in wanted or card.asked != wanted[step].asked:
                take_out(self._asking, self.questions.pop(step))
        for step, one in wanted.items():
            if step not in self.questions:
                card = question_card(self._look, one.title, one.asked, self, self._images)
                card.answered.connect(self._answer_of(step))
                self.questions[step] = card
                self._asking.addWidget(card)

    def _answer_of(self, step: StepId) -> Callable[[object], None]:
        def tell(answer: object) -> None:
            self.answered.emit(step, answer)

        return tell

    def _show_links(self, view: TurnView) -> None:
        """A button for each step that somebody has to look at."""
        empty(self.links)
        failed = [view.failed] if view.failed is not None else []
        for one in (*view.held, *failed):
            button = push_button(self.tr("Show “{step}”").format(step=one.title), self)
            button.clicked.connect(lambda _=False, step=one.step: self.step_asked.emit(step))
            self.links.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)
        if view.is_left:
            button = push_button(self.tr("Answer in Questions"), self, self.questions_asked)
            self.links.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)

    def _send_edited(self) -> None:
        text = self.field.toPlainText().strip()
        if text:
            self.end_edit()
            self.edited.emit(text)

    def _send_same(self) -> None:
        self.edited.emit(self.row.turn.text)

    def _draw(self) -> None:
        tone = self._view.tone if self._view is not None else "skipped"
        icon = (
            "help"
            if self._view is not None and (self._view.asks or self._view.is_left)
            else ICONS.get(tone, "info")
        )
        side = self._look.length("size.icon")
        has_words = self._view is not None and bool(self._view.word)
        self._mark.setVisible(has_words)
        self._mark.setPixmap(self._look.icon(icon, f"state.{tone}").pixmap(side, side))


def _column(rows: QVBoxLayout, gap: int) -> QVBoxLayout:
    column = column_layout(spacing=gap)
    rows.addLayout(column)
    return column


def _named(path: str, parent: QWidget) -> QLabel:
    label = ShortLabel(path, parent)
    label.setProperty("type", "label")
    label.setProperty("tone", "muted")
    label.setToolTip(path)
    return label
