"""Questions that wait for a person: those of the shown run, and what earlier runs have left open."""

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from studio.app.waiting import Waiting
from studio.flow.records import CallingLibrary, Flow
from studio.ids import RunId, StepId
from studio.trace.events import ApprovalAsked
from studio.trace.state import RunState
from studio.ui.look import Look
from studio.ui.panels.empty import EmptyState
from studio.ui.panels.forms.approval import ApprovalCard, is_approval
from studio.ui.panels.forms.question import QuestionCard, QuestionForm
from studio.ui.panels.icon_button import icon_button
from studio.ui.panels.picture import FindsImages
from studio.ui.viewmodels import wording

Place = tuple[RunId, StepId]


class QuestionsPanel(QWidget):
    """Every question that waits; `forms` has those of the shown run, `stored` those of earlier ones."""

    answered = Signal(str, object)
    """A question of the shown run: its step, and the answer."""
    answered_later = Signal(str, str, object)
    """A question that an earlier run has left open: run, step, and the answer."""
    run_asked = Signal(str)
    """Somebody wants to see the run that asks."""
    counted = Signal(int)
    """How many questions wait; told when they are others."""
    asked = Signal()
    """A question is new."""

    def __init__(self, look: Look, parent: QWidget | None = None, images: FindsImages | None = None) -> None:
        super().__init__(parent)
        self._look, self._images = look, images
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.forms: dict[StepId, QuestionCard] = {}
        self.stored: dict[Place, QuestionCard] = {}
        self.empty = EmptyState(
            look,
            "help",
            self.tr("No questions"),
            self.tr("When a step asks a person, the question waits here, also after the window was closed."),
            self,
        )
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        page = QWidget(area)
        self._rows = QVBoxLayout(page)
        self._rows.setContentsMargins(*(look.length("space.normal"),) * 4)
        self._rows.setSpacing(look.length("space.small"))
        self._rows.addStretch(1)
        area.setWidget(page)
        self._page = page
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(area)
        self._area = area

    @property
    def count(self) -> int:
        """How many questions wait."""
        return len(self.forms) + len(self.stored)

    def show_questions(
        self, flow: Flow, state: RunState | None, library: CallingLibrary | None = None
    ) -> None:
        """Show the questions that wait now; those already shown keep what was typed."""
        waiting = state.waiting if state is not None else {}
        before = set(self.forms)
        for step in [one for one in self.forms if one not in waiting]:
            self._drop(self.forms.pop(step))
        for step, asked in waiting.items():
            if step not in self.forms:
                card = self._card(wording.step_title(flow, step, library), asked)
                card.answered.connect(self._answer_of(step))
                self._rows.insertWidget(len(self.forms), card)
                self.forms[step] = card
        fresh = [step for step in self.forms if step not in before]
        if fresh and self.window().focusWidget() is self:  # the last answer was given here
            self.forms[fresh[0]].show()
            self.forms[fresh[0]].focus_first()
        self._settle(is_other=set(self.forms) != before)
        if fresh:
            self._area.verticalScrollBar().setValue(0)  # a question is read from its beginning
            self.asked.emit()

    def show_stored(self, waiting: Sequence[Waiting]) -> None:
        """Show what runs have left open that are over, those first that have waited longest."""
        open_now = {(one.run, one.step): one for one in waiting if one.is_over}
        before = set(self.stored)
        for place in [one for one in self.stored if one not in open_now]:
            self._drop(self.stored.pop(place))
        for place, one in sorted(open_now.items(), key=lambda item: item[1].since):
            if place not in self.stored:
                card = self._stored_card(one)
                self._rows.insertWidget(self.count, card)
                self.stored[place] = card
        self._settle(is_other=set(self.stored) != before)

    def _settle(self, *, is_other: bool) -> None:
        self._stack.setCurrentIndex(1 if self.count else 0)
        if is_other:
            self.counted.emit(self.count)

    def _card(self, who: str, asked: ApprovalAsked) -> QuestionCard:
        if is_approval(asked):
            card = ApprovalCard(self._look, who, asked, self._page, self._images)
        else:
            card = QuestionForm(self._look, who, asked, self._page)
        # later: what is said there takes room first
        card.refused.connect(self._area.ensureWidgetVisible, Qt.ConnectionType.QueuedConnection)
        return card

    def _stored_card(self, one: Waiting) -> QuestionCard:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.since))
        who = self.tr("{flow} · {step} · has waited since {when}").format(
            flow=one.flow_name, step=one.step.partition("#")[0], when=when
        )
        card = self._card(who, one.asked)
        show = icon_button(self._look, "open", self.tr("Show the run that asks"), card)
        show.clicked.connect(lambda: self.run_asked.emit(one.run))
        card.head.addWidget(show)
        card.answered.connect(self._later_answer_of(one, card))
        return card

    def _later_answer_of(self, one: Waiting, card: QuestionCard) -> Callable[[object], None]:
        def tell(answer: object) -> None:
            self.setFocus()
            self.answered_later.emit(one.run, one.step, answer)
            card.let_answer(is_possible=True)  # it goes once its run goes on, and stays where that cannot be

        return tell

    def _drop(self, card: QuestionCard) -> None:
        self._rows.removeWidget(card)
        card.hide()
        card.deleteLater()

    def _answer_of(self, step: StepId) -> Callable[[object], None]:
        def tell(answer: object) -> None:
            self.setFocus()  # the form goes; the keyboard stays for what is asked next
            self.answered.emit(step, answer)

        return tell
