"""A card for what a run may have changed outside already: decided one by one, or all alike."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QRadioButton, QWidget

from studio.ids import StepId
from studio.past.open_runs import AGAIN, HAPPENED
from studio.trace.events import ApprovalAsked
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.forms.question import QuestionCard
from studio.ui.slots import of_flag


@dataclass(frozen=True, slots=True)
class DoubtsAsked(ApprovalAsked):
    """The question of each step or call: its name, its title for people, and what it was to do."""

    steps: Sequence[tuple[StepId, str, str]] = ()


class DoubtsCard(QuestionCard):
    """Asks of each change whether it has happened; `answered` gives what was said, by step."""

    def __init__(self, look: Look, who: str, asked: DoubtsAsked, parent: QWidget | None = None) -> None:
        super().__init__(look, who, asked, parent)
        self._decided: dict[StepId, str] = {}
        self.choices: dict[StepId, dict[str, QRadioButton]] = {}
        self.words = {HAPPENED: self.tr("It happened"), AGAIN: self.tr("Do it again")}
        self.buttons: dict[str, QPushButton] = {}
        """Those that say the same of all changes."""
        for step, title, deed in asked.steps:
            self._add(step, title, deed, is_chosen=len(asked.steps) > 1)
        foot = QHBoxLayout()
        self.go_on = QPushButton(self.tr("Continue"), self)
        self.go_on.setProperty("primary", True)
        self.go_on.setEnabled(False)
        self.go_on.setVisible(len(asked.steps) > 1)
        self.go_on.clicked.connect(of_flag(lambda _: self.tell(dict(self._decided))))
        all_words = {HAPPENED: self.tr("All happened"), AGAIN: self.tr("Do all again")}
        for deed, words in (all_words if len(asked.steps) > 1 else self.words).items():
            button = self.buttons[deed] = QPushButton(words, self)
            button.clicked.connect(of_flag(lambda _, deed=deed: self._say_of_all(deed)))
            foot.addWidget(button)
        foot.addStretch(1)
        foot.addWidget(self.go_on)
        self.rows.addLayout(foot)

    def focus_first(self) -> None:
        """Give the keyboard to where nothing is done again by a slip."""
        first = next(iter(self.choices.values()), None)
        (first[HAPPENED] if first is not None else self.buttons[HAPPENED]).setFocus()

    def let_answer(self, *, is_possible: bool) -> None:
        """Let it be answered, or no more; it goes on once all is decided."""
        super().let_answer(is_possible=is_possible)
        self.go_on.setEnabled(is_possible and len(self._decided) == len(self.choices))

    def _add(self, step: StepId, title: str, deed: str, *, is_chosen: bool) -> None:
        """Show one change, with a choice where there are several."""
        texts = column_layout(spacing=0)
        for text, kind in ((title, "strong"), (deed, "small")):
            if text:
                texts.addWidget(text_label(text, self, kind, wraps=True, is_plain=True, is_selectable=True))
        row = QHBoxLayout()
        row.addLayout(texts, 1)
        if is_chosen:
            group = QButtonGroup(self)
            made = self.choices[step] = {}
            for answer, words in self.words.items():
                button = made[answer] = QRadioButton(words, self)
                button.setAccessibleName(f"{title}: {words}")
                button.toggled.connect(
                    of_flag(lambda is_on, answer=answer: self._say_of(step, answer) if is_on else None)
                )
                group.addButton(button)
                row.addWidget(button)
        self.rows.addLayout(row)

    def _say_of(self, step: StepId, answer: str) -> None:
        self._decided[step] = answer
        self.go_on.setEnabled(len(self._decided) == len(self.choices))

    def _say_of_all(self, answer: str) -> None:
        """Say the same of all: of one alone that is the answer, several are shown so first."""
        if not self.choices:
            asked = self.asked
            assert isinstance(asked, DoubtsAsked)  # noqa: S101  # it was made of one
            self.tell({step: answer for step, _, _ in asked.steps})
        for buttons in self.choices.values():
            buttons[answer].setChecked(True)
