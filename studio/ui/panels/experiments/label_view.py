"""People label trials by keyboard, one after the other, without seeing whose they are."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QTextBrowser,
    QWidget,
)

from studio.app.experiments.label_queue import Sitting
from studio.errors import StepwireError
from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.theme.apply import mark
from studio.ui.viewmodels.experiments.output_words import output_words

RIGHT, WRONG, UNSURE = 1.0, 0.0, 0.5
KEYS = {
    Qt.Key.Key_1: RIGHT,
    Qt.Key.Key_J: RIGHT,
    Qt.Key.Key_2: WRONG,
    Qt.Key.Key_K: WRONG,
    Qt.Key.Key_0: UNSURE,
    Qt.Key.Key_H: UNSURE,
}


class LabellingView(QWidget):
    """Shows a trial, takes a label by one key, shows the next; at the end, how far the scorer agrees."""

    left = Signal()
    """The person goes back to the table."""
    named = Signal(str)
    """Another person labels now."""
    ended = Signal()
    """The last trial was labelled."""
    failed = Signal(str)

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._sitting: Sitting | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Label trials"))
        self.head = text_label("", self, "heading")
        self.who = QLineEdit(self)
        self.who.setPlaceholderText(self.tr("Your name"))
        self.who.setAccessibleName(self.tr("Who labels"))
        self.who.setMaximumWidth(look.length("space.wide") * 8)
        self.who.editingFinished.connect(self._name)
        back = push_button(self.tr("Back to the table"), self, self.left)
        head = QHBoxLayout()
        head.addWidget(self.head, 1)
        head.addWidget(text_label(self.tr("Labelled by"), self))
        head.addWidget(self.who)
        head.addWidget(back)
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.text = QTextBrowser(self)
        self.text.setOpenLinks(False)
        self.text.setAccessibleName(self.tr("The trial to label"))
        self.text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.buttons = [
            self._button(self.tr("Right  1"), RIGHT),
            self._button(self.tr("Wrong  2"), WRONG),
            self._button(self.tr("Unsure  0"), UNSURE),
        ]
        mark(self.buttons[0], primary=True)
        self.skip_button = push_button(self.tr("Skip  →"), self, self._skip)
        self.undo_button = push_button(self.tr("Undo  ←"), self, self._undo)
        foot = QHBoxLayout()
        for button in (*self.buttons, self.skip_button, self.undo_button):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            foot.addWidget(button)
        foot.addStretch(1)
        keys = self.tr("Keys: 1 or J right, 2 or K wrong, 0 or H unsure, → skip, ← undo, Esc back")
        self.hint = text_label(keys, self, tone="muted")
        foot.addWidget(self.hint)
        rows = column_layout(self, look.length("space.large"), look.length("space.small"))
        rows.addLayout(head)
        rows.addWidget(self.progress)
        rows.addWidget(self.text, 1)
        rows.addLayout(foot)

    @property
    def scorer(self) -> str:
        """In whose place labels are given."""
        return self._sitting.scorer if self._sitting is not None else ""

    def begin(self, sitting: Sitting) -> None:
        """Show the first trial of a sitting."""
        self._sitting = sitting
        self.who.setText(sitting.by)
        self._show()
        self.setFocus()

    def show_agreement(self, words: Sequence[str]) -> None:
        """Show at the end how far people and scorer agree."""
        if self._sitting is not None and self._sitting.shown is None:
            self.text.setPlainText("\n\n".join(words))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Label, skip, take back or leave by one key."""
        key = Qt.Key(event.key())
        if key in KEYS:
            self._say(KEYS[key])
        elif key == Qt.Key.Key_Right:
            self._skip()
        elif key in {Qt.Key.Key_Left, Qt.Key.Key_Backspace}:
            self._undo()
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _button(self, title: str, score: float) -> QPushButton:
        return push_button(title, self, lambda: self._say(score))

    def _name(self) -> None:
        name = self.who.text().strip()
        if name and (self._sitting is None or name != self._sitting.by):
            self.named.emit(name)
        self.setFocus()

    def _say(self, score: float) -> None:
        if self._sitting is not None and self._sitting.shown is not None:
            self._try(lambda sitting: sitting.say(score))

    def _skip(self) -> None:
        self._try(lambda sitting: sitting.skip())

    def _undo(self) -> None:
        self._try(lambda sitting: sitting.undo())

    def _try(self, act: Callable[[Sitting], None]) -> None:
        if self._sitting is None:
            return
        try:
            act(self._sitting)
        except StepwireError as error:
            self.failed.emit(str(error))
        self._show()

    def _show(self) -> None:
        sitting = self._sitting
        if sitting is None:
            return
        shown = sitting.shown
        self.progress.setMaximum(max(sitting.total, 1))
        self.progress.setValue(sitting.done)
        for button in (*self.buttons, self.skip_button):
            button.setEnabled(shown is not None)
        self.undo_button.setEnabled(sitting.done > 0)
        if shown is None:
            self.head.setText(self.tr("{count} trials labelled").format(count=sitting.done))
            self.text.setPlainText(self.tr("No trial is left to label."))
            self.ended.emit()
            return
        said = self.tr("Trial {number} of {all}, in place of “{scorer}”")
        self.head.setText(said.format(number=sitting.done + 1, all=sitting.total, scorer=sitting.scorer))
        outputs = "\n\n".join(
            f"{name}:\n{output_words(value, is_blind=True)}" for name, value in shown.outputs.items()
        )
        self.text.setPlainText(f"{shown.said}\n\n────────\n\n{outputs}")
