"""What is to be expected of a step that becomes a case."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QFormLayout, QLineEdit, QScrollArea, QWidget

from studio.experiments.cases.case_files import Case
from studio.flow.plain_text import quoted
from studio.sdk.node import NodeType
from studio.ui.editors.make import Surroundings
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.panels.widgets.dialog_end import DialogEnd
from studio.ui.window.cases.case_output import CaseOutput
from studio.ui.window.window_size import open_at


class CaseSheet(QDialog):
    """Asks for a case's name, and for each output what it is to be; at first nothing for those in `loose`."""

    def __init__(
        self,
        around: Surroundings,
        case: Case,
        loose: Collection[str],
        warning: str,
        parent: QWidget | None = None,
        *,
        checks: Sequence[NodeType] = (),
    ) -> None:
        super().__init__(parent)
        look = around.look
        self._case = case
        self.setWindowTitle(self.tr("Turn a step into a case"))
        rows = column_layout(self, spacing=look.length("space.normal"))
        words = self.tr("The step runs alone on the inputs it had here and has to return what you expect.")
        rows.addWidget(text_label(f"{words} {warning}".strip(), self, wraps=True))
        page = QWidget(self)
        form = QFormLayout(page)
        form.setContentsMargins(0, 0, look.length("space.normal"), 0)
        self.name = QLineEdit(case.name, self)
        self.name.selectAll()
        form.addRow(self.tr("Name"), self.name)
        self.outputs = {
            port: CaseOutput(around, port, one, checks, self) for port, one in case.expected.items()
        }
        for port, output in self.outputs.items():
            form.addRow(port, output)
            if port in loose:
                output.how.setCurrentIndex(output.how.count() - 1)
            output.edited.connect(self._check)
            output.grown.connect(self._make_room)
        area = QScrollArea(self)  # an agent has many outputs: the buttons stay on the screen
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        rows.addWidget(area, 1)
        self.reason = text_label("", self, wraps=True)
        self.reason.setProperty("tone", "failed")
        rows.addWidget(self.reason)
        end = DialogEnd(self, self.tr("Save case"), self.accept)
        self.keep = end.button
        rows.addLayout(end)
        self._check()
        margins = rows.contentsMargins()
        self._page = page
        self._rest = rows.sizeHint().height() - area.sizeHint().height() + margins.bottom()
        open_at(self, QSize(look.length("space.large") * 32, page.sizeHint().height() + self._rest))

    def case(self) -> Case:
        """The case as it was asked for; raises `ValueError` for a value or setting that does not fit."""
        expected = {port: one.expected() for port, one in self.outputs.items()}
        wanted = {port: one for port, one in expected.items() if one is not None}
        return replace(self._case, name=self.name.text().strip() or self._case.name, expected=wanted)

    def _make_room(self) -> None:
        """Become as high as what is asked for now, where the screen has so much room; never less."""
        page = self._page.layout()
        if page is not None:
            page.activate()
        height = max(self.height(), self._page.sizeHint().height() + self._rest)
        open_at(self, QSize(self.width(), height))
        room = self.screen().availableGeometry()
        below = self.frameGeometry().bottom() - room.bottom()
        if below > 0:
            self.move(self.x(), max(room.top(), self.y() - below))

    def _check(self) -> None:
        reason = ""
        try:
            case = self.case()
            if not case.expected and not case.absent:
                reason = self.tr("No expectations are set.")
        except json.JSONDecodeError as error:
            reason = self.tr("This is not JSON: {reason}.").format(reason=error)
        except ValueError as error:
            reason = f"{str(error).rstrip('.')}."
        self.reason.setText(quoted(reason))
        self.keep.setEnabled(not reason)
