"""The conversation of a step: its messages one under the other; follows the end while it streams."""

from collections.abc import Sequence
from time import perf_counter

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from studio.ids import StepId
from studio.trace.fold.state import RunState
from studio.ui.buttons import push_button
from studio.ui.look import Look
from studio.ui.panels.messages.bubble import Bubble
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.picture import FindsImages
from studio.ui.removal import take_out
from studio.ui.viewmodels.messages.conversation import Words, words_of

SETTLED = 300
"""Milliseconds after which all messages have the height that they keep."""
MOST = 40
"""Messages shown at once; those before are one click away."""
AT_ONCE, EACH = 4_000, 400
"""Characters that are laid out before the window goes on, and how many each message adds."""
MOMENT = 0.01
"""Seconds of work at a time on messages before those."""


class ConversationPage(QWidget):
    """Shows what was said in one step; `origin_asked` tells of a call where its answer came from is asked."""

    origin_asked = Signal(str)
    step_chosen = Signal(str)
    """A message was clicked: the call in which it was said."""

    def __init__(self, look: Look, parent: QWidget | None = None, images: FindsImages | None = None) -> None:
        super().__init__(parent)
        self._images = images
        self._look = look
        self._state: RunState | None = None
        self._step: StepId | None = None
        self._most = self._wide = MOST
        self._first = 0
        self._bubbles: list[Bubble] = []
        self._read: Bubble | None = None
        self._read_at = 0
        self._wanted: Bubble | None = None
        self._settled = QTimer(self, singleShot=True, interval=SETTLED)
        self._settled.timeout.connect(self._let_go)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._lengthen)
        self.silent = ""
        """The selected node of which there is no conversation; empty for none."""
        self.empty = EmptyState(look, "messages", "", "", self)
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._scroll.setAccessibleName(self.tr("Messages"))
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page = QWidget(self._scroll)
        self._rows = QVBoxLayout(self._page)
        self._rows.setContentsMargins(*(look.length("space.normal"),) * 4)
        self._rows.setSpacing(look.length("space.small"))
        self._earlier = push_button(
            self.tr("Show earlier messages"), self._page, self._show_earlier, is_plain=True
        )
        self._rows.addWidget(self._earlier)
        self._rows.addStretch(1)
        self._scroll.setWidget(self._page)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._scroll)
        self._scroll.verticalScrollBar().rangeChanged.connect(self._stay_at_end)
        self.setFocusProxy(self._scroll)
        self._at_end = True
        self._scroll.verticalScrollBar().valueChanged.connect(self._note_place)
        self._say_why()

    @property
    def bubbles(self) -> Sequence[Bubble]:
        """The messages that are shown, the first one first."""
        return self._bubbles

    @property
    def step(self) -> StepId | None:
        """Whose conversation is shown."""
        return self._step

    def show_step(self, state: RunState | None, step: StepId | None) -> None:
        """Show the conversation of another step."""
        is_other = state is not self._state or step != self._step
        is_other_step = step != self._step
        self._state, self._step = state, step
        if is_other_step:  # of another moment of the same, most messages are there already
            self._wide = MOST
            self._most = _most_at_once(self._words(), step)
            self._first = -1
        if is_other:
            self._at_end = True
        self.refresh()
        if is_other:
            self._show_chosen()

    def _show_chosen(self) -> None:
        """Bring the message into sight that was said in the selected call."""
        chosen = next((bubble for bubble in self._bubbles if bubble.is_chosen), None)
        if chosen is not None and chosen is not self._bubbles[-1]:
            self._go_to(chosen)

    def _go_to(self, bubble: Bubble) -> None:
        """Bring a message into sight, and keep it there until all have found their height."""
        self._at_end = False
        self._wanted = bubble
        self._settled.start()
        self._scroll.ensureWidgetVisible(bubble)

    def seek(self, word: str) -> bool:
        """Scroll to the first message that has a word, and select it there; gives whether one has it."""
        said = self._words()
        places = [at for at, one in enumerate(said) if word.casefold() in one.body.casefold()]
        if not places:
            return False
        if len(said) - places[0] > self._most:
            self._most = len(said) - places[0]
            self._wide = max(self._wide, self._most)
            self.refresh()
        bubble = self._bubbles[places[0] - len(said) + len(self._bubbles)]
        bubble.mark(word)
        self._go_to(bubble)
        return True

    def refresh(self) -> None:
        """Read the conversation again; messages that only grew are not made again."""
        words = self._words()
        first = max(len(words) - self._most, 0)
        self._move_to(first, words)
        self._earlier.setVisible(len(words) > self._wide)
        shown = words[first:]
        self._stack.setCurrentWidget(self._scroll if shown else self.empty)
        if not shown:
            self._say_why()
        for index, one in enumerate(shown):
            if index < len(self._bubbles) and self._bubbles[index].fits(one):
                if self._bubbles[index].words != one:
                    self._bubbles[index].show_words(one)
            else:
                self._put(index, one)
        while len(self._bubbles) > len(shown):
            self._drop(len(self._bubbles) - 1)
        for bubble in self._bubbles:
            is_there = bubble.words.step == self._step
            bubble.choose(is_chosen=is_there and "#" in (self._step or ""))
        if first and self._most < self._wide:
            self._later.start()

    def _words(self) -> list[Words]:
        return words_of(self._state, self._step) if self._state is not None and self._step else []

    def _move_to(self, first: int, words: Sequence[Words]) -> None:
        """Let another message come `first`; those that are shown still are not made again."""
        if 0 <= self._first <= len(words):
            for _ in range(min(first - self._first, len(self._bubbles))):
                self._drop(0)
            if self._bubbles:
                for at in range(self._first - 1, first - 1, -1):
                    self._insert(0, words[at])
        self._first = first

    def _lengthen(self) -> None:
        """Show earlier messages, a few at a time: each takes a while to be laid out."""
        words, until = self._words(), perf_counter() + MOMENT
        while self._most < min(self._wide, len(words)) and perf_counter() < until:
            self._most += 1
            self._move_to(max(len(words) - self._most, 0), words)
        self.refresh()

    def _say_why(self) -> None:
        step = self._state.steps.get(self._step) if self._state is not None and self._step else None
        if step is not None and not step.status.is_final:
            about = self.tr("Messages appear here as soon as the model is called.")
            self.empty.say(self.tr("No messages yet"), about)
        elif self.silent:
            about = self.tr("“{title}” has not called a model in this run.").format(title=self.silent)
            self.empty.say(self.tr("No conversation"), about)
        else:
            about = self.tr("Run the flow and select a node that calls a model.")
            self.empty.say(self.tr("No messages"), about)

    def _put(self, index: int, words: Words) -> None:
        if index < len(self._bubbles):
            self._drop(index)
        self._insert(index, words)

    def _insert(self, index: int, words: Words) -> None:
        bubble = Bubble(self._look, words, self._page, self._images)
        bubble.origin_asked.connect(self.origin_asked)
        bubble.chosen.connect(self.step_chosen)
        self._bubbles.insert(index, bubble)
        self._rows.insertWidget(index + 1, bubble)

    def _drop(self, index: int) -> None:
        bubble = self._bubbles.pop(index)
        if bubble is self._wanted:
            self._wanted = None
        if bubble is self._read:
            self._read = None
        take_out(self._rows, bubble)

    def _let_go(self) -> None:
        self._wanted = None

    def _show_earlier(self) -> None:
        self._wide += MOST
        self._at_end = False
        self.refresh()

    def _note_place(self, value: int) -> None:
        self._at_end = value >= self._scroll.verticalScrollBar().maximum() - 2
        self._read = next((one for one in self._bubbles if one.y() + one.height() > value), None)
        self._read_at = self._read.y() - value if self._read is not None else 0

    def _stay_at_end(self, _least: int, most: int) -> None:
        bar = self._scroll.verticalScrollBar()
        if self._wanted is not None:
            self._scroll.ensureWidgetVisible(self._wanted)
        elif self._at_end:
            bar.setValue(most)
        elif self._read is not None:  # it stays where it is, however often those before it find their height
            bar.setValue(self._read.y() - self._read_at)


def _most_at_once(words: Sequence[Words], step: StepId | None) -> int:
    """How many of the last messages are laid out at once: all from the selected call, and a screen or two."""
    count = next((len(words) - at for at, one in enumerate(words) if one.step == step), 0)
    room, last = AT_ONCE, 0
    for one in reversed(words):
        last += 1
        room -= len(one.body) + EACH
        if room <= 0:
            break
    return min(max(count, last, 1), MOST)
