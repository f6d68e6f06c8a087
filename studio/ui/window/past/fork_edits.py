"""What was made different in a fork, offered to the flow: what each would change is said first."""

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio.app.reuse.fork_edits import Taken, all_of, edits_to_take
from studio.errors import StoreError
from studio.ids import RunId
from studio.trace.fold.state import RunState
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.dialog_end import DialogEnd
from studio.ui.slots import of_flag
from studio.ui.window.past.run_reader import RunReader
from studio.ui.window.window_size import open_at
from studio.ui.window.workspace import Workspace


class TakeOverSheet(QDialog):
    """Lists the differences; those with a place in the flow can be ticked. `taken` tells the chosen ones."""

    taken = Signal(object)

    def __init__(self, look: Look, offered: Sequence[Taken], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._offered = look, offered
        self.setWindowTitle(self.tr("Apply this run's edits to the flow"))
        large = look.length("space.large")
        wide = look.length("space.wide")
        open_at(self, QSize(wide * 32, wide * 18))
        self.boxes: list[QCheckBox] = []
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        page = QWidget(area)
        rows = column_layout(page, spacing=look.length("space.tight"))
        for one in offered:
            self._add(one, page, rows)
        if not offered:
            rows.addWidget(self._small(self.tr("The flow already has all of these edits."), page))
        rows.addStretch(1)
        area.setWidget(page)
        end = DialogEnd(self, self.tr("Apply to the flow"), self._take)
        self.take_button = end.button
        self.take_button.setToolTip(self.tr("One edit, which can be undone"))
        whole = column_layout(self, large)
        whole.addWidget(area, 1)
        whole.addLayout(end)
        self._follow()

    @property
    def chosen(self) -> Sequence[Taken]:
        """What is ticked."""
        return [one for one, box in zip(self._offered, self.boxes, strict=True) if box.isChecked()]

    def _add(self, one: Taken, page: QWidget, rows: QVBoxLayout) -> None:
        box = QCheckBox(one.title, page)
        box.setChecked(one.change is not None)
        box.setEnabled(one.change is not None)
        box.toggled.connect(of_flag(lambda _: self._follow()))
        self.boxes.append(box)
        rows.addWidget(box)
        for line in one.says if one.change is not None else (one.reason,):
            rows.addWidget(self._small(line, page))

    def _small(self, text: str, page: QWidget) -> QLabel:
        label = text_label(text, page, "small", "muted", wraps=True, is_plain=True)
        label.setIndent(self._look.length("space.wide"))
        return label

    def _follow(self) -> None:
        self.take_button.setEnabled(bool(self.chosen))

    def _take(self) -> None:
        self.taken.emit(self.chosen)
        self.accept()


class ForkEdits(QObject):
    """Offers what the shown fork did otherwise to the flow of its workspace."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._work = workspace
        self._reader = RunReader(workspace, self)

    def close(self) -> None:
        """Stop listening."""
        self._reader.close()

    @property
    def can_ask(self) -> bool:
        """Whether a fork of this flow is shown, and the flow can be edited."""
        state, session = self._work.shown.live_state, self._work.session
        if state is None or state.forked_from is None or session.is_read_only:
            return False
        return state.flow_name == session.flow.name

    def ask(self) -> None:
        """Read the run that the shown one goes back to, and offer what is different since."""
        shown = self._work.shown.live_state
        if shown is None or shown.forked_from is None:
            return
        try:
            runs = (RunId(shown.forked_from.run), shown.run)
            self._reader.read(runs, lambda read: self._offer(read[1], read[0]))
        except StoreError:
            self._offer(shown, None)  # the earlier run is gone

    def _offer(self, fork: RunState, origin: RunState | None) -> None:
        session = self._work.session
        offered = edits_to_take(fork, origin, session.flow, session.registry)
        sheet = TakeOverSheet(self._work.look, offered, self._work.canvas)

        def take(chosen: object) -> None:
            session.history.do(all_of(session.flow, cast("Sequence[Taken]", chosen)))
            session.refresh_problems()

        sheet.taken.connect(take)
        sheet.open()
