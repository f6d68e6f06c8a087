"""A chat with a flow: its turns, what becomes of earlier ones, and where a message is written."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from studio.ids import RunId
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.chat.composer import Composer, is_attachable
from studio.ui.panels.chat.inputs import OtherInputs
from studio.ui.panels.chat.turn import TurnWidget
from studio.ui.panels.result.card import FindsFile
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.panels.widgets.picture import FindsImages
from studio.ui.removal import take_out
from studio.ui.slots import of_number, of_text
from studio.ui.viewmodels.chat.chat import EarlierWords, TurnRow
from studio.ui.viewmodels.chat.chat_turns import TurnView

NEAR = 8
"""Pixels above the end at which somebody still reads along."""


class ChatPanel(QWidget):
    """Shows a conversation; signals tell what a person wants."""

    sent = Signal(str)
    stop_asked = Signal()
    edited = Signal(str, str)
    """The turn of this run is to be sent again, with this text."""
    beside_asked = Signal(str, int)
    new_asked = Signal()
    delete_asked = Signal()
    """The conversation that is shown is to go."""
    conversation_chosen = Signal(str)
    earlier_asked = Signal()
    """More of the turns before those that are shown."""
    place_asked = Signal()
    """The flow is to have a place for earlier messages."""
    input_asked = Signal()
    """The flow is to have an input for messages."""
    to_chosen = Signal(str)
    run_asked = Signal(str)
    case_asked = Signal(str)
    step_asked = Signal(str, str)
    origin_asked = Signal(str, object)
    file_asked = Signal(object)
    folder_asked = Signal(object)
    answered = Signal(str, str, object)
    questions_asked = Signal()

    def __init__(
        self,
        look: Look,
        root: Path,
        images: FindsImages,
        find: FindsFile,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look, self._images, self._find = look, images, find
        self._turns: dict[RunId, TurnWidget] = {}
        self._follows = True
        self._from_end: int | None = None
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # by the one who writes
        self.empty = EmptyState(
            look,
            "messages",
            self.tr("Nothing to write to"),
            self.tr("A chat needs a flow input of type text: what you write goes there."),
            self,
        )
        self.add_input = self.empty.offer(self.tr("Add a text input"), self.input_asked.emit)
        chat = QWidget(self)
        normal, small = look.length("space.normal"), look.length("space.small")
        rows = column_layout(chat, (0, 0, 0, normal), small)
        rows.addLayout(self._head(chat))
        self.area = QScrollArea(chat)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = self._page = QWidget(self.area)
        self._rows = column_layout(page, (normal, small, normal, small), normal)
        self.show_earlier = push_button("", page, self.earlier_asked, is_plain=True)
        self._rows.addWidget(self.show_earlier, alignment=Qt.AlignmentFlag.AlignHCenter)
        self.hint = text_label(
            self.tr("Each message is a run of this flow; its answer comes here."),
            page,
            "label",
            "muted",
            wraps=True,
        )
        self.hint.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._rows.addWidget(self.hint)
        self._rows.addStretch(1)
        self.area.setWidget(page)
        rows.addWidget(self.area, 1)
        self._foot(root, chat, rows)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(chat)
        bar = self.area.verticalScrollBar()
        bar.rangeChanged.connect(self._keep_end)
        bar.valueChanged.connect(self._note_end)

    # ---------------------------------------------------------------- parts

    def _head(self, parent: QWidget) -> QHBoxLayout:
        head = QHBoxLayout()
        normal = self._look.length("space.normal")
        head.setContentsMargins(normal, self._look.length("space.small"), normal, 0)
        self.choice = QComboBox(parent)
        self.choice.setAccessibleName(self.tr("Conversation"))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.setMinimumContentsLength(8)
        self.choice.activated.connect(self._choose)
        self.begin_anew = icon_button(self._look, "add", self.tr("New conversation"), parent, self.new_asked)
        head.addWidget(self.choice, 1)
        head.addWidget(self.begin_anew)
        self.delete = icon_button(
            self._look, "delete", self.tr("Delete this conversation"), parent, self.delete_asked
        )
        head.addWidget(self.delete)
        return head

    def _foot(self, root: Path, parent: QWidget, rows: QVBoxLayout) -> None:
        look = self._look
        foot = QVBoxLayout()
        normal, small = look.length("space.normal"), look.length("space.small")
        foot.setContentsMargins(normal, 0, normal, 0)
        foot.setSpacing(small)
        self.earlier = text_label("", parent, "label", "muted", wraps=True, is_plain=True)
        foot.addWidget(self.earlier)
        self.add_place = push_button("", parent, self.place_asked)
        foot.addWidget(self.add_place, alignment=Qt.AlignmentFlag.AlignLeft)
        self.others = OtherInputs(look, root, parent)
        foot.addWidget(self.others)
        self.to = QComboBox(parent)
        self.to.setAccessibleName(self.tr("The input that the message goes to"))
        self.to.activated.connect(of_number(lambda place: self.to_chosen.emit(str(self.to.itemData(place)))))
        foot.addWidget(self.to)
        self.composer = Composer(look, root, parent)
        self.composer.sent.connect(self._send)
        self.composer.stop_asked.connect(self.stop_asked)
        self.composer.back_asked.connect(self._edit_last)
        foot.addWidget(self.composer)
        rows.addLayout(foot)
        self.setFocusProxy(self.composer)

    # ---------------------------------------------------------------- what is shown

    @property
    def turns(self) -> list[TurnWidget]:
        """The turns that are shown, from the first."""
        return list(self._turns.values())

    @property
    def is_possible(self) -> bool:
        """Whether the flow can be talked with."""
        return self._stack.currentIndex() == 1

    def show_flow(self, *, has_input: bool, can_add: bool) -> None:
        """Let the flow be talked with, or say what it lacks."""
        self._stack.setCurrentIndex(1 if has_input else 0)
        self.add_input.setVisible(can_add)
        self.setFocusProxy(self.composer if has_input else self.add_input)

    def show_earlier_words(self, words: EarlierWords, *, can_add: bool) -> None:
        """Say what becomes of earlier turns, and offer to change it."""
        self.earlier.setText(words.sentence)
        self.add_place.setText(words.offer)
        self.add_place.setVisible(bool(words.offer) and can_add)

    def show_inputs(self, inputs: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer the inputs that a message can go to, by id and label, where there are several."""
        self.to.clear()
        for node, label in inputs:
            self.to.addItem(self.tr("To: {input}").format(input=label), node)
        self.to.setCurrentIndex(next((at for at, (node, _) in enumerate(inputs) if node == chosen), 0))
        self.to.setVisible(len(inputs) > 1)

    def show_conversations(self, listed: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer the conversations, by id and words; an empty `chosen` is one that has not begun."""
        self.choice.clear()
        rows = [*listed] if chosen else [("", self.tr("New conversation")), *listed]
        for name, words in rows:
            self.choice.addItem(words, name)
        self.choice.setCurrentIndex(next((at for at, (name, _) in enumerate(rows) if name == chosen), 0))
        self.choice.setEnabled(bool(listed))
        self.begin_anew.setEnabled(bool(chosen))
        self.delete.setEnabled(bool(chosen))

    def show_turns(self, rows: Sequence[TurnRow], hidden: int) -> None:
        """Show these turns; those that stand there already stay as they are."""
        self.show_earlier.setVisible(hidden > 0)
        self.show_earlier.setText(self.tr("Show earlier messages ({count})").format(count=hidden))
        self.hint.setVisible(not rows)
        wanted = {row.turn.run: row for row in rows}
        for run in [one for one in self._turns if one not in wanted]:
            gone = self._turns.pop(run)
            take_out(self._rows, gone)
        turns: dict[RunId, TurnWidget] = {}
        for place, (run, row) in enumerate(wanted.items()):
            turn = turns[run] = self._turns.get(run) or self._turn(row)
            turn.show_row(row)
            if self._rows.indexOf(turn) != place + 2:  # below the button and the hint
                self._rows.insertWidget(place + 2, turn)
        self._turns = turns

    def show_turn(self, run: RunId, view: TurnView, *, can_keep: bool) -> None:
        """Show where the run of one turn stands."""
        turn = self._turns.get(run)
        if turn is not None:
            turn.show_view(view, can_keep=can_keep)

    def hold_place(self) -> None:
        """Let what is read stay where it stands while turns come above it, until somebody scrolls."""
        bar = self.area.verticalScrollBar()
        self._follows, self._from_end = False, bar.maximum() - bar.value()

    def go_to_end(self) -> None:
        """Show the last turn, and what comes of it."""
        self._follows, self._from_end = True, None
        bar = self.area.verticalScrollBar()
        bar.setValue(bar.maximum())

    # ---------------------------------------------------------------- what is done with it

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files and pictures where the flow does."""
        if self.is_possible and self.composer.attach.isEnabled() and is_attachable(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Send along what was dropped."""
        if self.composer.text.pass_on(event.mimeData()):
            event.acceptProposedAction()

    def _send(self) -> None:
        self.sent.emit(self.composer.message)

    def _edit_last(self) -> None:
        if self._turns:
            self.turns[-1].begin_edit()

    def _choose(self, place: int) -> None:
        name = str(self.choice.itemData(place) or "")
        if name:
            self.conversation_chosen.emit(name)

    def _turn(self, row: TurnRow) -> TurnWidget:
        made = TurnWidget(self._look, row, self._images, self._find, self._page)
        run = row.turn.run
        made.edited.connect(of_text(lambda text: self.edited.emit(run, text)))
        made.beside_asked.connect(of_number(lambda by: self.beside_asked.emit(run, by)))
        made.run_asked.connect(lambda: self.run_asked.emit(run))
        made.case_asked.connect(lambda: self.case_asked.emit(run))
        made.step_asked.connect(of_text(lambda step: self.step_asked.emit(run, step)))

        def ask_origin(spot: object) -> None:
            self.origin_asked.emit(run, spot)

        def answer(step: str, given: object) -> None:
            self.answered.emit(run, step, given)

        made.origin_asked.connect(ask_origin)
        made.answered.connect(answer)
        made.questions_asked.connect(self.questions_asked)
        made.file_asked.connect(self.file_asked)
        made.folder_asked.connect(self.folder_asked)
        return made

    def _keep_end(self, _least: int, most: int) -> None:
        from_end = 0 if self._follows else self._from_end
        if from_end is not None:
            self.area.verticalScrollBar().setValue(most - from_end)

    def _note_end(self, value: int) -> None:
        rest = self.area.verticalScrollBar().maximum() - value
        if rest != self._from_end:  # somebody scrolled
            self._follows, self._from_end = rest <= NEAR, None
