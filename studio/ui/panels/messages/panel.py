"""The messages of the shown step: as a conversation, by what filled the request, and against another step."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from studio.ids import StepId
from studio.trace.fold.state import RunState
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.messages.bubble import Bubble
from studio.ui.panels.messages.context_page import ContextPage
from studio.ui.panels.messages.conversation_page import ConversationPage
from studio.ui.panels.messages.difference_page import DifferencePage
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.page_choice import PageChoice
from studio.ui.panels.widgets.picture import FindsImages

CONVERSATION, CONTEXT, DIFFERENCES = range(3)
"""The pages, in the order of their tabs."""


class MessagesPanel(QWidget):
    """Shows one step on three pages; `titled` tells whose words they are, `turned` which page is in front."""

    titled = Signal(str)
    turned = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None, images: FindsImages | None = None) -> None:
        super().__init__(parent)
        self._state: RunState | None = None
        self._step: StepId | None = None
        self.title = ""
        """Whose words they are."""
        self._pages = QStackedWidget(self)
        self.conversation = ConversationPage(look, self._pages, images)
        self.context = ContextPage(look, self._pages)
        self.differences = DifferencePage(look, self._pages)
        titles = [self.tr("Conversation"), self.tr("Context"), self.tr("Differences")]
        self.choice = PageChoice(look, self.tr("Pages of the messages"), titles, self)
        for page in (self.conversation, self.context, self.differences):
            self._pages.addWidget(page)
        self.choice.turned.connect(self._turn)
        self.context.chat_chosen.connect(self._show_chat)
        rows = column_layout(self, 0, 0)
        rows.addWidget(self.choice)
        rows.addWidget(self._pages, 1)

    @property
    def bubbles(self) -> Sequence[Bubble]:
        """The messages that are shown, the first one first."""
        return self.conversation.bubbles

    @property
    def empty(self) -> EmptyState:
        """What stands there instead of a conversation."""
        return self.conversation.empty

    @property
    def step(self) -> StepId | None:
        """Whose messages are shown."""
        return self._step

    @property
    def state(self) -> RunState | None:
        """The run that the step is of."""
        return self._state

    @property
    def page(self) -> int:
        """Which page is in front."""
        return self.choice.page

    def turn_to(self, page: int) -> None:
        """Bring a page to the front, and the keyboard into it."""
        self.choice.turn_to(page)
        (self.conversation, self.context, self.differences)[page].setFocus()

    def seek(self, word: str) -> bool:
        """Bring the message that has a word into sight, with the word marked; gives whether one has it."""
        self.choice.turn_to(CONVERSATION)
        return self.conversation.seek(word)

    def show_step(self, state: RunState | None, step: StepId | None, title: str) -> None:
        """Show the messages of another step."""
        self._state, self._step = state, step
        self.conversation.show_step(state, step)
        self._refresh_page()
        if title != self.title:
            self.title = title
            self.titled.emit(title)

    def tell_silent(self, title: str) -> None:
        """Say of which selected node there is no conversation; with an empty name, of none."""
        self.conversation.silent = title

    def refresh(self) -> None:
        """Read the messages again."""
        self.conversation.refresh()
        self._refresh_page()

    def _refresh_page(self) -> None:
        if self.page == CONTEXT:
            self.context.show_step(self._state, self._step)
        elif self.page == DIFFERENCES:
            self.turned.emit(DIFFERENCES)

    def _turn(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self._refresh_page()
        if page != DIFFERENCES:
            self.turned.emit(page)

    def _show_chat(self, chat: str) -> None:
        self._step = StepId(chat)
        self.conversation.show_step(self._state, self._step)
        self._refresh_page()
