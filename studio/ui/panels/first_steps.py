"""The first steps above the canvas: five in a row, ticked off as they are done, and what to do next."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from studio.ui.buttons import push_button
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout, row_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.button_rows import Wrapping
from studio.ui.panels.widgets.icon_button import icon_button
from studio.ui.viewmodels.help.first_steps import FirstStep, FirstSteps


class FirstStepsCard(QFrame):
    """Tells of one step at a time: the first that is not done, or the one that was chosen."""

    place_asked = Signal(object)
    """Show the place where this step is done."""
    guide_asked = Signal()

    def __init__(
        self, look: Look, steps: FirstSteps, key_of: Callable[[str], str], parent: QWidget | None = None
    ) -> None:
        """Show `steps`; `key_of` names the key of a command, as the person chose it."""
        super().__init__(parent)
        self._look, self._steps, self._key_of = look, steps, key_of
        self._next = steps.next
        self.setProperty("card", True)
        self.setAccessibleName(self.tr("First steps"))
        self.title = text_label(self.tr("First steps"), self, "strong")
        self.buttons = {one: self._button(one) for one in FirstStep}
        self.text = text_label("", self, wraps=True)
        self.show_button = push_button("", self, self._ask)
        self.close_button = icon_button(
            look, "close", self.tr("Close; Help brings the first steps back"), self, steps.close
        )
        self._lay_out()
        self.chosen = steps.next
        end = steps.on_change(self.refresh)
        self.destroyed.connect(end)
        look.changed.connect(self.refresh)
        self.refresh()

    def choose(self, step: FirstStep) -> None:
        """Tell of a step, whether it is done or not."""
        self.chosen = step
        self.refresh()

    def refresh(self) -> None:
        """Tick off what is done; go on to the next step where one was done just now."""
        done, following = self._steps.done, self._steps.next
        if following is not self._next or not self._steps.is_open:
            self._next = self.chosen = following
        for number, (one, button) in enumerate(self.buttons.items(), 1):
            is_done = one in done
            words = self._titles()[one]
            button.setText(words if is_done else f"{number}  {words}")
            button.setIcon(self._look.icon("done", "state.done") if is_done else QIcon())
            button.setChecked(one is self.chosen)
            state = self.tr("done") if is_done else self.tr("not done")
            name = self.tr("Step {number} of {all}: {words}, {state}")
            button.setAccessibleName(
                name.format(number=number, all=len(self.buttons), words=words, state=state)
            )
        self.text.setText(self._sentence())
        self.show_button.setText(self.tr("Show me") if self.chosen is not None else self.tr("Open the guide"))
        self.show_button.setAccessibleDescription(self.text.text())

    def _ask(self) -> None:
        if self.chosen is None:
            self.guide_asked.emit()
        else:
            self.place_asked.emit(self.chosen)

    def _titles(self) -> dict[FirstStep, str]:
        return {
            FirstStep.RUN: self.tr("Run"),
            FirstStep.RESULT: self.tr("See the result"),
            FirstStep.PAUSE: self.tr("Pause"),
            FirstStep.EDIT: self.tr("Edit and continue"),
            FirstStep.BACK: self.tr("Go back in time"),
        }

    def _sentence(self) -> str:
        key = self._key_of
        match self.chosen:
            case FirstStep.RUN:
                said = self.tr(
                    "Run the example with {run}. Its answers are scripted: no key, no cost."
                ).format(run=key("run.run"))
            case FirstStep.RESULT:
                said = self.tr("Result shows what a finished run gave, how long it took and what it cost.")
            case FirstStep.PAUSE:
                said = self.tr(
                    "Select the critic, set a breakpoint with {breakpoint}, and run: the run pauses there."
                ).format(breakpoint=key("canvas.breakpoint"))
            case FirstStep.EDIT:
                said = self.tr(
                    "Edit what the critic will read, then continue with {go_on};"
                    " or run again from a step with {again}."
                ).format(go_on=key("run.continue"), again=key("run.from_here"))
            case FirstStep.BACK:
                said = self.tr(
                    "Drag in the ruler of the timeline: the whole window shows the run as it was then."
                )
            case None:
                said = self.tr("All five are done. The guide goes on from here.")
        return said

    def _button(self, step: FirstStep) -> QPushButton:
        button = push_button("", self, is_plain=True)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda: self.choose(step))
        return button

    def _lay_out(self) -> None:
        look = self._look
        tight, small, normal = (look.length(f"space.{size}") for size in ("tight", "small", "normal"))
        places = Wrapping(spacing=tight)
        for button in self.buttons.values():
            places.addWidget(button)
        head = row_layout(spacing=normal)
        head.addWidget(self.title, alignment=Qt.AlignmentFlag.AlignTop)
        head.addLayout(places, 1)
        head.addWidget(self.close_button, alignment=Qt.AlignmentFlag.AlignTop)
        self.title.setFixedHeight(self.close_button.height())
        told = row_layout(spacing=normal)
        told.addWidget(self.text, 1)
        told.addWidget(self.show_button)
        rows = column_layout(self, (normal, small, small, small), tight)
        rows.addLayout(head)
        rows.addLayout(told)
