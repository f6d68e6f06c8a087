"""What stands above the lanes: by what they are made, the critical path, totals of the chosen part."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QToolButton, QVBoxLayout, QWidget

from studio.trace.figures import cost, duration
from studio.trace.timeline.critical_path import CriticalPath
from studio.trace.timeline.lanes import Grouping
from studio.trace.timeline.totals import Totals
from studio.ui.look import Look
from studio.ui.panels.widgets.button_rows import Wrapping
from studio.ui.panels.widgets.short_label import ShortLabel
from studio.ui.viewmodels.words.count_words import tokens

LEAST = 0.0005
"""Seconds of held or queued time that are not worth telling."""


class TimelineHead(QWidget):
    """A row of switches, and what they found, beneath them where there is no room beside."""

    grouping_chosen = Signal(object)
    path_turned = Signal(bool)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lanes = QComboBox(self)
        self.lanes.setAccessibleName(self.tr("Lanes by"))
        self.lanes.setToolTip(self.tr("What each lane stands for"))
        for grouping, title in (
            (Grouping.NODE, self.tr("Nodes")),
            (Grouping.AGENT, self.tr("Agents")),
            (Grouping.SCOPE, self.tr("Rounds and items")),
        ):
            self.lanes.addItem(title, grouping)
        self.lanes.setMinimumWidth(
            look.length("space.wide") * 3
        )  # a narrow dock still has room for the button
        self.lanes.activated.connect(self._choose)
        self.path = QToolButton(self)
        self.path.setText(self.tr("Critical path"))
        self.path.setCheckable(True)
        self.path.setToolTip(self.tr("Highlight the chain of steps that determined how long the run took"))
        self.path.clicked.connect(self.path_turned)
        self.path_label, self.part_label = ShortLabel(self), ShortLabel(self)
        for label in (self.path_label, self.part_label):
            label.setProperty("tone", "muted")
            label.setProperty("type", "label")
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.hide()
        rows = QVBoxLayout(self)
        normal, tight = look.length("space.normal"), look.length("space.tight")
        rows.setContentsMargins(normal, tight, normal, 0)
        row = Wrapping(spacing=look.length("space.small"))
        height = max(self.lanes.sizeHint().height(), self.path.sizeHint().height())
        for widget in (self.lanes, self.path, self.path_label, self.part_label):
            widget.setMinimumHeight(height)
            row.addWidget(widget)
        rows.addLayout(row)

    @property
    def grouping(self) -> Grouping:
        """By what lanes are made."""
        return Grouping(str(self.lanes.currentData()))

    @property
    def marks_path(self) -> bool:
        """Whether the critical path is to be marked."""
        return self.path.isChecked()

    def _choose(self, _index: int) -> None:
        self.grouping_chosen.emit(self.grouping)

    def show_choices(self, grouping: str, *, marks_path: bool) -> None:
        """Show what is chosen; a grouping that is not known is by node."""
        self.lanes.setCurrentIndex(max(self.lanes.findData(grouping), 0))
        self.path.setChecked(marks_path)

    def show_path(self, path: CriticalPath | None, lasted: float) -> None:
        """Say how long the chain took of a run that lasted so long."""
        if path is None:
            self._say(self.path_label, "")
            return
        words = self.tr("{took} of {lasted} in {steps}")
        said = [
            words.format(
                took=duration(path.took), lasted=duration(lasted), steps=self._counted(len(path.steps))
            )
        ]
        said += _waits(self.tr("paused {time}"), path.held) + _waits(self.tr("queued {time}"), path.queued)
        self._say(self.path_label, " · ".join(said))

    def show_part(self, part: tuple[float, float] | None, sums: Totals | None) -> None:
        """Say what lies in the chosen part of the run."""
        if part is None or sums is None:
            self._say(self.part_label, "")
            return
        words, steps = self.tr("{first} to {last}: {steps}"), self._counted(sums.steps)
        said = [words.format(first=duration(part[0]), last=duration(part[1]), steps=steps)]
        said.append(self.tr("worked {time}").format(time=duration(sums.worked)))
        said += _waits(self.tr("paused {time}"), sums.held) + _waits(self.tr("waited {time}"), sums.waited)
        said += _waits(self.tr("queued {time}"), sums.queued)
        if sums.tokens:
            said.append(tokens(sums.tokens))
        if sums.cost:
            said.append(cost(sums.cost))
        self._say(self.part_label, " · ".join(said))

    def _say(self, label: ShortLabel, text: str) -> None:
        """Say something; the totals of a chosen part stand where the length of the path does otherwise."""
        if label.text() != text:
            label.setText(text)
            label.setToolTip(text)
        self.part_label.setVisible(bool(self.part_label.text()))
        self.path_label.setVisible(bool(self.path_label.text()) and not self.part_label.text())

    def _counted(self, steps: int) -> str:
        return self.tr("1 step") if steps == 1 else self.tr("{count} steps").format(count=f"{steps:,}")


def _waits(words: str, seconds: float) -> list[str]:
    return [words.format(time=duration(seconds))] if seconds >= LEAST else []
