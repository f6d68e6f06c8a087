"""Questions that wait for a person: those of runs that go on, and what earlier runs have left open."""

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from studio.flow.records import CallingLibrary, Flow
from studio.ids import RunId, StepId
from studio.past.open_runs import Waiting
from studio.trace.events import ApprovalAsked
from studio.trace.fold.state import RunState
from studio.ui.look import Look
from studio.ui.panels.forms.doubts import DoubtsAsked, DoubtsCard
from studio.ui.panels.forms.make import question_card
from studio.ui.panels.forms.question import QuestionCard
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.picture import FindsImages
from studio.ui.removal import take_out
from studio.ui.viewmodels.words import count_words

Place = tuple[RunId, StepId]

KEPT = 8
"""How many cards are kept whose questions wait no more: one that waits again has what was typed into it."""


class QuestionsPanel(QWidget):
    """Every question that waits: of the shown run first, then of others that go on, then of earlier ones."""

    answered = Signal(str, object)
    """A question of the shown run: its step, and the answer."""
    answered_aside = Signal(str, str, object)
    """A question of another run that goes on: run, step, and the answer."""
    answered_later = Signal(str, str, object)
    """A question that an earlier run has left open: run, step, and the answer."""
    decided = Signal(str, object)
    """What a person says of the changes that a run may have made already: run, and the answers by step."""
    run_asked = Signal(str)
    """Somebody wants to see the run that asks."""
    counted = Signal(int)
    """How many questions wait; told when they are others."""
    asked = Signal()
    """A question of the shown run is new, or it is shown just now."""

    def __init__(self, look: Look, parent: QWidget | None = None, images: FindsImages | None = None) -> None:
        super().__init__(parent)
        self._look, self._images = look, images
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._shown: RunId | None = None
        self._here: dict[StepId, tuple[str, ApprovalAsked]] = {}
        self._live: dict[Place, Waiting] = {}
        self._over: dict[Place, Waiting] = {}
        self._cards: dict[Place, QuestionCard] = {}
        self._gone: dict[Place, QuestionCard] = {}
        self.empty = EmptyState(
            look,
            "help",
            self.tr("No questions"),
            self.tr("When a step asks a person, its question waits here, even after the window is closed."),
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
        return len(self._cards)

    @property
    def forms(self) -> dict[StepId, QuestionCard]:
        """The questions of the shown run."""
        return {step: self._cards[run, step] for run, step in self._cards if self._is_here((run, step))}

    @property
    def aside(self) -> dict[Place, QuestionCard]:
        """The questions of other runs that go on."""
        others = (one for one in self._cards if not self._is_here(one) and one not in self.stored)
        return {place: self._cards[place] for place in others}

    @property
    def stored(self) -> dict[Place, QuestionCard]:
        """The questions that earlier runs have left open."""
        return {place: card for place, card in self._cards.items() if self._is_left(place)}

    def show_questions(
        self, flow: Flow, state: RunState | None, library: CallingLibrary | None = None
    ) -> None:
        """Show the questions of the shown run as they are now; cards already shown keep what was typed."""
        run = state.run if state is not None else None
        waiting = state.waiting if state is not None else {}
        here = {step: (count_words.step_title(flow, step, library), asked) for step, asked in waiting.items()}
        if (run, here) == (self._shown, self._here):
            return
        before = set(self.forms) if run == self._shown else set[StepId]()
        self._shown, self._here = run, here
        self._arrange()
        forms = self.forms
        fresh = [step for step in forms if step not in before]
        if fresh and self.window().focusWidget() is self:  # the last answer was given here
            forms[fresh[0]].show()
            forms[fresh[0]].focus_first()
        if fresh:
            self._area.verticalScrollBar().setValue(0)  # a question is read from its beginning
            self.asked.emit()

    def show_live(self, waiting: Sequence[Waiting]) -> None:
        """Show what all runs ask that go on, the shown one or not."""
        self._live = {(one.run, one.step): one for one in waiting}
        self._arrange()

    def show_stored(self, waiting: Sequence[Waiting]) -> None:
        """Show what runs have left open that are over, those first that have waited longest."""
        ended = sorted((one for one in waiting if one.is_over), key=lambda one: one.since)
        before = self._over.keys()
        self._over = {(one.run, one.step): one for one in ended}
        self._arrange()
        if any(run == self._shown and (run, step) not in before for run, step in self._over):
            self.asked.emit()

    def _is_left(self, place: Place) -> bool:
        return place in self._over and place not in self._live

    def _is_here(self, place: Place) -> bool:
        run, step = place
        return run == self._shown and step in self._here and not self._is_left(place)

    def _arrange(self) -> None:
        """Show a card for each question, the same one wherever its run stands by now."""
        wanted: dict[Place, tuple[str, ApprovalAsked]] = {}
        if self._shown is not None:
            wanted = {(self._shown, step): said for step, said in self._here.items()}
            wanted = {place: said for place, said in wanted.items() if self._is_here(place)}
        aside = {place: one for place, one in self._live.items() if one.run != self._shown}
        left = {place: one for place, one in self._over.items() if self._is_left(place)}
        if aside or left:  # one among several says whose it is
            mine = self.tr("{step} · this run")
            wanted = {place: (mine.format(step=step), asked) for place, (step, asked) in wanted.items()}
        wanted |= {place: (self._who(one), one.asked) for place, one in (aside | left).items()}
        before = set(self._cards)
        for place in [one for one in self._cards if one not in wanted]:
            self._put_away(place)
        cards: dict[Place, QuestionCard] = {}
        for row, (place, (who, asked)) in enumerate(wanted.items()):
            card = cards[place] = self._card_at(place, who, asked)
            card.who.setText(who)
            card.shows_run.setVisible(not self._is_here(place))
            if self._rows.indexOf(card) != row:
                self._rows.insertWidget(row, card)
        self._cards = cards
        self._stack.setCurrentIndex(1 if cards else 0)
        if set(cards) != before:
            self.counted.emit(len(cards))

    def _card_at(self, place: Place, who: str, asked: ApprovalAsked) -> QuestionCard:
        card = self._cards.get(place)
        if card is not None and card.asked == asked:
            return card
        if card is not None:
            self._drop(self._cards.pop(place))
        kept = self._gone.pop(place, None)
        if kept is not None and kept.asked == asked:
            kept.let_answer(is_possible=True)
            kept.show()
            return kept
        if kept is not None:
            self._drop(kept)
        return self._card(place, who, asked)

    def _card(self, place: Place, who: str, asked: ApprovalAsked) -> QuestionCard:
        card = question_card(self._look, who, asked, self._page, self._images)
        card.shows_run.clicked.connect(lambda: self.run_asked.emit(place[0]))
        # later: what is said there takes room first
        card.refused.connect(self._area.ensureWidgetVisible, Qt.ConnectionType.QueuedConnection)
        card.answered.connect(self._answer_of(place, card))
        return card

    def _who(self, one: Waiting) -> str:
        step = one.step.partition("#")[0]
        if not self._is_left((one.run, one.step)):
            words = self.tr("{flow} · {step} · another run, started {when}")
            return words.format(flow=one.flow_name, step=step, when=count_words.moment(one.begun))
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.since))
        words = self.tr("{flow} · {step} · waiting since {when}")
        if isinstance(one.asked, DoubtsAsked):
            words = self.tr("{flow} · waiting since {when}")
        return words.format(flow=one.flow_name, step=step, when=when)

    def _answer_of(self, place: Place, card: QuestionCard) -> Callable[[object], None]:
        run, step = place

        def tell(answer: object) -> None:
            self.setFocus()  # the form goes; the keyboard stays for what is asked next
            if self._is_left(place):
                if isinstance(card, DoubtsCard):
                    self.decided.emit(run, answer)
                else:
                    self.answered_later.emit(run, step, answer)
                # it goes once its run goes on, and stays where that cannot be
                card.let_answer(is_possible=True)
            elif self._is_here(place):
                self.answered.emit(step, answer)
            else:
                self.answered_aside.emit(run, step, answer)

        return tell

    def _put_away(self, place: Place) -> None:
        """Hide a card: its run may have ended with the question open, or is asked for again."""
        card = self._cards.pop(place)
        self._rows.removeWidget(card)
        card.hide()
        self._gone[place] = card
        while len(self._gone) > KEPT:
            self._drop(self._gone.pop(next(iter(self._gone))))

    def _drop(self, card: QuestionCard) -> None:
        take_out(self._rows, card)
