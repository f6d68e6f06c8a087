"""Code to read: numbered lines, those of what is selected marked, and which line a person points at."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.ui.editors.highlight import LineHighlighter, Span
from studio.ui.look import Look
from studio.ui.slots import of_number

FADED = 150
"""How much of the ground lies over what is no longer true, of 255."""
FAINT = 110
"""How strong the mark of what is only used by what is selected is, of 255."""
ABOVE = 4
"""Of how many parts of the height one lies above a line that is brought into sight."""


@dataclass(frozen=True, slots=True)
class Marked:
    """Lines from 1 on, the last one included."""

    first: int
    last: int
    is_strong: bool


class CodeView(QPlainTextEdit):
    """A text that nobody edits. `line_chosen` tells the line where a person puts the cursor."""

    line_chosen = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._marks: Sequence[Marked] = ()
        self._colors: Sequence[Sequence[Span]] = ()
        self._drawn: frozenset[int] = frozenset()
        self._is_faded = False
        self._is_ours = False
        self._line = 0
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self.setProperty("plain", True)
        self.setProperty("mono", True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.document().setDocumentMargin(look.length("space.small"))
        self._highlighter = LineHighlighter(self.document(), look)
        self._gutter = _Gutter(self)
        self.updateRequest.connect(self._scroll_gutter)
        self.blockCountChanged.connect(of_number(lambda _: self._make_room()))
        self.cursorPositionChanged.connect(self._choose)
        look.changed.connect(self._make_room)
        self._make_room()

    @property
    def marks(self) -> Sequence[Marked]:
        """The lines that are marked."""
        return self._marks

    @property
    def drawn(self) -> frozenset[int]:
        """The lines that run a part as it is drawn."""
        return self._drawn

    @property
    def is_faded(self) -> bool:
        """Whether the text is shown as one that is no longer true."""
        return self._is_faded

    def show_code(self, text: str, colors: Sequence[Sequence[Span]]) -> None:
        """Show a text; what is as before stays where it is, and so do the cursor and the place."""
        self._is_ours = True
        self._highlighter.take_colors(colors)
        above, below = self._replace(self.toPlainText().split("\n"), text.split("\n"))
        before, self._colors = self._colors, colors
        moved = len(colors) - len(before)
        for row in (*range(min(above, len(colors))), *range(len(colors) - below, len(colors))):
            was = row if row < above else row - moved
            if not 0 <= was < len(before) or before[was] != colors[row]:
                self._highlighter.recolor(row)
        self._is_ours = False
        self._line = self.textCursor().blockNumber() + 1

    def fade(self, *, is_faded: bool) -> None:
        """Say that the text is no longer true, or that it is again."""
        if is_faded != self._is_faded:
            self._is_faded = is_faded
            self.viewport().update()

    def show_marks(self, marks: Sequence[Marked]) -> None:
        """Mark these lines and no others."""
        if list(marks) != list(self._marks):
            self._marks = tuple(marks)
            self.viewport().update()
            self._gutter.update()

    def show_drawn(self, lines: Iterable[int]) -> None:
        """Mark the lines that run a part as it is drawn."""
        self._drawn = frozenset(lines)
        self._make_room()
        self._gutter.update()

    def go_to(self, line: int) -> None:
        """Put the cursor into a line, and bring that into sight; nobody chose it."""
        self._is_ours = True
        self.setTextCursor(QTextCursor(self.document().findBlockByNumber(line - 1)))
        self._is_ours = False
        self._line = line
        self.bring_up(line, line)

    def bring_up(self, first: int, last: int) -> None:
        """Scroll to lines, unless they can be seen; the cursor stays."""
        bar = self.verticalScrollBar()
        shown = max(self.viewport().height() // max(self.fontMetrics().lineSpacing(), 1) - 1, 1)
        top = bar.value() + 1
        if first < top or min(last, first + shown - 1) >= top + shown:
            bar.setValue(max(first - 1 - shown // ABOVE, 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Lay the marks under the text."""
        painter = QPainter(self.viewport())
        for line, place in self._lines_in_sight():
            mark = self._mark_of(line)
            if mark is not None:
                color = self._look.color("surface.selection")
                if not mark.is_strong:
                    color.setAlpha(FAINT)
                painter.fillRect(QRect(0, place.top(), self.viewport().width(), place.height()), color)
        painter.end()
        super().paintEvent(event)
        if self._is_faded:
            painter = QPainter(self.viewport())
            ground = self._look.color("surface.panel")
            ground.setAlpha(FADED)
            painter.fillRect(self.viewport().rect(), ground)
            painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the numbers beside the text."""
        super().resizeEvent(event)
        self._make_room()

    def gutter_width(self) -> int:
        """How much room the numbers take."""
        digits = max(len(str(self.blockCount())), 3)
        mark = self._look.length("space.normal") if self._drawn else 0
        return mark + self.fontMetrics().horizontalAdvance("9") * digits + self._look.length("space.normal")

    def paint_gutter(self, painter: QPainter, width: int) -> None:
        """Draw the numbers, and a bar beside the lines that are marked."""
        look = self._look
        painter.fillRect(self._gutter.rect(), look.color("surface.panel"))
        painter.setFont(self.font())
        bar = max(look.length("space.tight") // 2, 2)
        for line, place in self._lines_in_sight():
            mark = self._mark_of(line)
            if mark is not None:
                color = look.color("accent.action" if mark.is_strong else "surface.edge")
                painter.fillRect(0, place.top(), bar, place.height(), color)
            if line in self._drawn:
                side = look.length("space.small")
                painter.setPen(look.color("text.muted"))
                painter.drawRect(bar + bar, place.center().y() - side // 2, side, side)
            painter.setPen(look.color("text.muted" if mark is not None else "text.disabled"))
            room = QRect(0, place.top(), width - look.length("space.tight"), place.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(line))

    def _lines_in_sight(self) -> list[tuple[int, QRect]]:
        found: list[tuple[int, QRect]] = []
        block = self.firstVisibleBlock()
        offset, height = self.contentOffset(), self.viewport().height()
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(offset).toRect()
            if place.top() > height:
                break
            found.append((block.blockNumber() + 1, place))
            block = block.next()
        return found

    def _mark_of(self, line: int) -> Marked | None:
        found = [one for one in self._marks if one.first <= line <= one.last]
        return next((one for one in found if one.is_strong), found[0] if found else None)

    def _replace(self, old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
        """Put new lines in the place of the old ones, as few as will do; how many stay above and below."""
        if old == new:
            return len(new), 0
        most = min(len(old), len(new)) - 1
        same = 0
        while same < most and old[same] == new[same]:
            same += 1
        below = 0
        while below < most - same and old[-1 - below] == new[-1 - below]:
            below += 1
        document, cursor = self.document(), QTextCursor(self.document())
        last = document.findBlockByNumber(len(old) - 1 - below)
        cursor.setPosition(document.findBlockByNumber(same).position())
        cursor.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText("\n".join(new[same : len(new) - below]))
        return same, below

    def _choose(self) -> None:
        cursor = self.textCursor()
        line = cursor.blockNumber() + 1
        if not self._is_ours and not cursor.hasSelection() and line != self._line:
            self._line = line
            self.line_chosen.emit(line)

    def _make_room(self) -> None:
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)
        inside = self.contentsRect()
        self._gutter.setGeometry(QRect(inside.left(), inside.top(), self.gutter_width(), inside.height()))

    def _scroll_gutter(self, place: QRect, down: int) -> None:
        if down:
            self._gutter.scroll(0, down)
        else:
            self._gutter.update(0, place.y(), self._gutter.width(), place.height())


class _Gutter(QWidget):
    def __init__(self, view: CodeView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self) -> QSize:
        return QSize(self._view.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        self._view.paint_gutter(painter, self.width())
        painter.end()
