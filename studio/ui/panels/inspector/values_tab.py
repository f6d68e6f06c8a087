"""What the shown step read and gave, with where each value comes from."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from studio.flow.plain_text import quoted
from studio.flow.records import Flow
from studio.ids import StepId
from studio.trace.fold.state import RunState
from studio.trace.fold.steps import StepState
from studio.ui.labels import text_label
from studio.ui.look import Look
from studio.ui.panels.inspector.memory_cards import has_memories, memory_cards
from studio.ui.panels.value_card import clear_cards, value_cards
from studio.ui.panels.widgets.empty import EmptyState
from studio.ui.panels.widgets.picture import FindsImages
from studio.ui.slots import of_number
from studio.ui.viewmodels.words import count_words
from studio.ui.viewmodels.words.step_words import figures

MOST_STEPS = 200
"""Steps of one node that can be chosen from; of a longer map, the last ones."""


class ValuesTab(QWidget):
    """Shows one step of the inspected node; another can be chosen where there are several."""

    step_chosen = Signal(str)
    origin_asked = Signal(str, str, str)
    """A step, the side of its work, and the port whose value it is."""
    memory_asked = Signal(str, str)
    """A memory, and the id of the item of it that is to be shown."""

    def __init__(self, look: Look, parent: QWidget | None = None, images: FindsImages | None = None) -> None:
        super().__init__(parent)
        self._images = images
        self._look = look
        self._key: object = None
        self._steps: list[StepId] = []
        self._cards: list[QWidget] = []
        self._empty = EmptyState(
            look,
            "runs",
            self.tr("No values yet"),
            self.tr("This node's inputs and outputs appear here after it has run."),
            self,
        )
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._page = QWidget(area)
        self._rows = QVBoxLayout(self._page)
        self._rows.setContentsMargins(*(look.length("space.large"),) * 4)
        self._rows.setSpacing(look.length("space.small"))
        self.chooser = QComboBox(self._page)
        self.chooser.setAccessibleName(self.tr("Step"))
        self.chooser.activated.connect(of_number(lambda index: self.step_chosen.emit(self._steps[index])))
        self._rows.addWidget(self.chooser)
        self._figures = text_label("", self._page, "label", "muted", wraps=True)
        self._rows.addWidget(self._figures)
        self._rows.addStretch(1)
        area.setWidget(self._page)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(area)

    def show_step(
        self, flow: Flow, state: RunState | None, step: StepState | None, steps: Sequence[StepId]
    ) -> None:
        """Show one of the node's `steps`, or that there is none."""
        if step is None or state is None:
            self._key = None
            self._stack.setCurrentIndex(0)
            return
        self._stack.setCurrentIndex(1)
        self._offer(flow, list(steps[-MOST_STEPS:]), step.id)
        said = figures(state, step)
        self._figures.setText(said)
        self._figures.setVisible(bool(said))
        key = (id(step), step.id, step.status, id(step.inputs), id(step.outputs), id(step.error))
        key = (*key, *has_memories(step))
        if key != self._key:
            self._key = key
            self._fill(step)

    def _offer(self, flow: Flow, steps: list[StepId], shown: StepId) -> None:
        self.chooser.setVisible(len(steps) > 1)
        if steps != self._steps:
            self._steps = steps
            self.chooser.clear()
            self.chooser.addItems([count_words.place(flow, one) or str(one) for one in steps])
        if shown in steps:
            self.chooser.setCurrentIndex(steps.index(shown))

    def _fill(self, step: StepState) -> None:
        clear_cards(self._cards)
        sides = (("input", self.tr("Inputs"), step.inputs), ("output", self.tr("Outputs"), step.outputs))
        for side, title, values in sides:
            if side == "output":
                self._put_memories(step)
            if values:
                self._put(text_label(title, self._page, "section"))
                ask = partial(self.origin_asked.emit, step.id, side)
                for card in value_cards(self._look, list(values.items()), self._page, self._images, ask):
                    self._put(card)
        if step.error is not None:
            wrong = text_label(
                quoted(f"{step.error.message} {step.error.hint}".strip()),
                self._page,
                tone="failed",
                wraps=True,
            )
            self._put(wrong)
        elif step.note and not step.outputs:
            note = text_label(quoted(step.note), self._page, tone="muted", wraps=True)
            self._put(note)

    def _put_memories(self, step: StepState) -> None:
        cards = memory_cards(self._look, step, self._page, self.memory_asked.emit)
        if cards:
            self._put(text_label(self.tr("Memories"), self._page, "section"))
        for card in cards:
            self._put(card)

    def _put(self, widget: QWidget) -> None:
        self._cards.append(widget)
        self._rows.insertWidget(self._rows.count() - 1, widget)
