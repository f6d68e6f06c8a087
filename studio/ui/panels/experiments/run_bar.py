"""What is done with an experiment: run, pause, cancel, within a cost; score again, label, report."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDoubleSpinBox, QMenu, QToolButton, QWidget

from studio.app.experiments.progress import Stage, Told
from studio.ui.buttons import push_button
from studio.ui.layouts import row_layout
from studio.ui.look import Look
from studio.ui.theme.apply import mark

MOST = 100_000.0
"""US dollars that can be allowed here."""


class RunBar(QWidget):
    """Buttons whose words and states follow the stage; none of them does nothing."""

    run_asked = Signal(object)
    """What is left is to be run, for so many US dollars at most, or None."""
    pause_asked = Signal()
    resume_asked = Signal()
    cancel_asked = Signal()
    rescore_asked = Signal()
    label_asked = Signal()
    edit_asked = Signal()
    page_asked = Signal()
    file_asked = Signal()
    nodes_asked = Signal(int)

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._stage = look, Stage.CLOSED
        self.limit = QDoubleSpinBox(self)
        self.limit.setRange(0.0, MOST)
        self.limit.setDecimals(2)
        self.limit.lineEdit().setTextMargins(look.length("space.small"), 0, 0, 0)
        self.limit.setPrefix(self.tr("at most $"))
        self.limit.setSpecialValueText(self.tr("no cost limit"))
        self.limit.setAccessibleName(self.tr("Cost limit in US dollars"))
        tip = self.tr("Dataset, variants, scorers, repeats and limits of the experiment")
        self.edit_button = push_button(self.tr("Edit…"), self, self.edit_asked, tip=tip)
        self.run_button = push_button(self.tr("Run trials"), self, self._run)
        mark(self.run_button, primary=True)
        self.pause_button = push_button(self.tr("Pause"), self, self._pause)
        self.cancel_button = push_button(self.tr("Cancel"), self, self.cancel_asked)
        self.more = QToolButton(self)
        self.more.setText(self.tr("More"))
        self.more.setToolTip(self.tr("Score again, label, report"))
        self.more.setAccessibleName(self.tr("More actions on the experiment"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self.rescore = menu.addAction(self.tr("Score stored trials again"), self.rescore_asked.emit)
        self.label = menu.addAction(self.tr("Label trials…"), self.label_asked.emit)
        self.nodes = menu.addMenu(self.tr("Show on the canvas what nodes took"))
        menu.addSeparator()
        self.page = menu.addAction(self.tr("Save report…"), self.page_asked.emit)
        menu.addAction(self.tr("Show the experiment’s file"), self.file_asked.emit)
        self.more.setMenu(menu)
        row = row_layout(self, 0)
        for widget in (
            self.limit,
            self.edit_button,
            self.run_button,
            self.pause_button,
            self.cancel_button,
            self.more,
        ):
            row.addWidget(widget)
        look.changed.connect(self._draw_icons)
        self._draw_icons()

    def show_table(self, variants: Sequence[str], scorers: Sequence[str]) -> None:
        """Offer what a table has."""
        self.nodes.clear()
        for number, name in enumerate(variants):
            self.nodes.addAction(name).triggered.connect(partial(self.nodes_asked.emit, number))
        self.label.setVisible(bool(scorers))
        self.rescore.setVisible(bool(scorers))

    def show_stage(self, told: Told) -> None:
        """Follow what is done with the experiment."""
        self._stage = told.stage
        is_going = told.stage.is_going
        found = told.estimate
        has_rest = found is None or found.to_run > 0
        self.edit_button.setVisible(not is_going)
        self.run_button.setVisible(not is_going)
        self.run_button.setEnabled(told.stage is not Stage.OPENING and has_rest)
        has_trials = found is not None and found.stored > 0
        self.run_button.setText(self.tr("Run the rest") if has_trials and has_rest else self.tr("Run trials"))
        self.limit.setVisible(not is_going and has_rest and found is not None and not found.is_free)
        self.pause_button.setVisible(is_going)
        self.pause_button.setEnabled(told.stage is not Stage.CANCELLING)
        self.pause_button.setText(self.tr("Continue") if told.stage is Stage.PAUSED else self.tr("Pause"))
        self.cancel_button.setVisible(is_going)
        self.cancel_button.setEnabled(told.stage is not Stage.CANCELLING)
        can_read = has_trials and not is_going
        for action in (self.rescore, self.label, self.page, self.nodes.menuAction()):
            action.setEnabled(can_read)

    def _draw_icons(self) -> None:
        self.run_button.setIcon(self._look.icon("run", "accent.on_action"))
        self.more.setIcon(self._look.icon("more"))

    def _run(self) -> None:
        limit = self.limit.value()
        self.run_asked.emit(limit if self.limit.isVisible() and limit > 0 else None)

    def _pause(self) -> None:
        if self._stage is Stage.PAUSED:
            self.resume_asked.emit()
        else:
            self.pause_asked.emit()
