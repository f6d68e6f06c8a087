"""What was edited in a script, shown before it goes into the flow: each difference with a box to tick."""

import re
from collections.abc import Callable, Sequence
from math import ceil

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QCheckBox, QDialog, QHBoxLayout, QScrollArea, QTextEdit, QWidget

from studio.app.scripts.edits.edits import Edit, Remark, ScriptEdits
from studio.app.scripts.edits.words import Line, lines_of
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.widgets.dialog_end import DialogEnd
from studio.ui.slots import of_flag
from studio.ui.window.window_size import open_at

FAINT = 60
"""How strong the ground of lines is that were or are instead, of 255."""
MOST_LINES = 200
"""How many lines of one difference are shown."""

Consequences = Callable[[Sequence[Edit]], Sequence[str]]
"""Says what edits bring about besides."""


class ScriptSheet(QDialog):
    """Lists the edits of a script; those that nothing speaks against are ticked. `chosen` tells those."""

    chosen = Signal(object)

    def __init__(
        self, look: Look, about: str, found: ScriptEdits, consequences: Consequences, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._found, self._consequences = look, found, consequences
        self.setWindowTitle(self.tr("Apply edits from a Python script"))
        large, wide = look.length("space.large"), look.length("space.wide")
        open_at(self, QSize(wide * 36, wide * 28))
        self.boxes: list[QCheckBox] = []
        self.differences: list[DifferenceText] = []
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(area)
        self._rows = column_layout(page, (0, 0, look.length("space.small"), 0), look.length("space.tight"))
        self._fill(page)
        area.setWidget(page)
        self.then = text_label("", self, "small", "muted", wraps=True, is_plain=True)
        self.then.hide()
        whole = column_layout(self, large, look.length("space.normal"))
        whole.addWidget(text_label(about, self, "small", "muted", wraps=True, is_plain=True))
        whole.addWidget(area, 1)
        whole.addWidget(self.then)
        whole.addLayout(self._buttons())
        self._follow()

    @property
    def ticked(self) -> Sequence[Edit]:
        """The edits whose boxes are ticked."""
        return [one for one, box in zip(self._found.edits, self.boxes, strict=True) if box.isChecked()]

    def _fill(self, page: QWidget) -> None:
        for one in self._found.edits:
            self._add(one, page)
        if not self._found.edits:
            said = self.tr("Nothing to apply: the flow has the texts and settings of the script.")
            self._rows.addWidget(text_label(said, page, "small", "muted", wraps=True, is_plain=True))
        if self._found.remarks:
            self._rows.addSpacing(self._look.length("space.normal"))
            heading = text_label(self.tr("Other differences, which cannot be applied"), page, tone="strong")
            self._rows.addWidget(heading)
        for one in self._found.remarks:
            self._rows.addWidget(
                text_label(self._remark(one), page, "small", "muted", wraps=True, is_plain=True)
            )
        self._rows.addStretch(1)

    def _add(self, one: Edit, page: QWidget) -> None:
        look = self._look
        named = self.tr("{label} of “{title}”").format(label=one.label, title=one.title)
        if one.flow:
            named = self.tr("{edit} in {flow}").format(edit=named, flow=one.flow)
        box = QCheckBox(named.replace("&", "&&"), page)
        box.setChecked(not one.conflict)
        box.toggled.connect(of_flag(lambda _: self._follow()))
        self.boxes.append(box)
        row = QHBoxLayout()
        row.addWidget(box, 1)
        place = text_label(self.tr("line {number}").format(number=one.line), page, "small", "muted")
        row.addWidget(place)
        self._rows.addLayout(row)
        if one.conflict:
            self._rows.addWidget(text_label(one.conflict, page, "small", "held", wraps=True, is_plain=True))
        text = DifferenceText(look, lines_of(one), page)
        text.setAccessibleName(named)
        self.differences.append(text)
        self._rows.addWidget(text)
        self._rows.addSpacing(look.length("space.small"))

    def _remark(self, one: Remark) -> str:
        line = self.tr("Line {number}: ").format(number=one.line) if one.line else ""
        words = _without_code(one.words)
        return f"{one.flow}, {line}{words}" if one.flow else f"{line}{words}"

    def _buttons(self) -> QHBoxLayout:
        end = DialogEnd(self, self.tr("Apply to the flow"), self._apply)
        self.apply_button = end.button
        self.apply_button.setToolTip(self.tr("One edit, which can be undone"))
        return end

    def _follow(self) -> None:
        self.apply_button.setEnabled(bool(self.ticked))
        said = "\n".join(map(_without_code, self._consequences(self.ticked)))
        self.then.setText(said)
        self.then.setVisible(bool(said))

    def _apply(self) -> None:
        self.chosen.emit(self.ticked)
        self.accept()


def _without_code(words: str) -> str:
    """Quote what a terminal shows as code."""
    return re.sub(r"`([^`]*)`", r"“\1”", words)


class DifferenceText(QTextEdit):
    """A difference, as high as its lines are: each has its sign, and a ground in the colour of it."""

    def __init__(self, look: Look, lines: Sequence[Line], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._lines = look, lines
        self.setReadOnly(True)
        self.setProperty("mono", True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self.document().setDocumentMargin(look.length("space.tight"))
        self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the lines anew, and be as high as they are then."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow a font that the stylesheet or the theme changed."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._write()

    def _write(self) -> None:
        self.clear()
        cursor = self.textCursor()
        shown = [*self._lines[:MOST_LINES]]
        if len(self._lines) > MOST_LINES:
            more = self.tr("{count} more lines").format(count=len(self._lines) - MOST_LINES)
            shown.append(Line("@", more))
        for number, one in enumerate(shown):
            if number:
                cursor.insertBlock()
            self._write_line(cursor, one)
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.setTextCursor(cursor)
        self._fit()

    def _write_line(self, cursor: QTextCursor, one: Line) -> None:
        ground, form = QTextBlockFormat(), QTextCharFormat()
        signs = self.fontMetrics().horizontalAdvance("+ ")
        ground.setLeftMargin(signs)  # what wraps stands below the text, not below the sign
        ground.setTextIndent(-signs)
        color = {"-": "state.failed", "+": "state.done"}.get(one.mark)
        if color is not None:
            back = self._look.color(color)
            back.setAlpha(FAINT)
            ground.setBackground(back)
        form.setForeground(self._look.color("text.muted" if one.mark in {" ", "@"} else "text.normal"))
        cursor.setBlockFormat(ground)
        sign = "…" if one.mark == "@" else one.mark
        cursor.insertText(f"{sign} {one.text}", form)

    def _fit(self) -> None:
        room = self.contentsMargins()
        self.setFixedHeight(ceil(self.document().size().height()) + room.top() + room.bottom() + 2)
