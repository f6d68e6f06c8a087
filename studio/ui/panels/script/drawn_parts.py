"""The parts of a script that are left as they are drawn: how many, and on demand which and why."""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from studio.export.statements.parts import LeftAsDrawn
from studio.flow.plain_text import quoted
from studio.ui.buttons import push_button
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.slots import of_flag, of_text

MOST = 6
"""How many rows are seen before the list scrolls."""


class DrawnParts(QWidget):
    """One line, and a list below it once it is asked for; hidden where there is nothing to say."""

    chosen = Signal(object)
    """The part whose lines are to be shown."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._told: Sequence[tuple[LeftAsDrawn, int]] = ()
        small = look.length("space.small")
        self.summary = push_button("", self, is_plain=True)
        self.summary.setCheckable(True)
        self.summary.setToolTip(
            self.tr("Python has no readable words for them: the script runs them as they are drawn")
        )
        self.summary.toggled.connect(of_flag(self._turn))
        self.list = QLabel(self)
        self.list.setTextFormat(Qt.TextFormat.RichText)
        self.list.setWordWrap(True)
        self.list.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.list.setContentsMargins(look.length("space.normal"), 0, small, 0)
        flags = Qt.TextInteractionFlag
        self.list.setTextInteractionFlags(flags.LinksAccessibleByMouse | flags.LinksAccessibleByKeyboard)
        self.list.linkActivated.connect(of_text(lambda place: self.chosen.emit(self._told[int(place)][0])))
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self.list)
        self._area.hide()
        rows = column_layout(self, (small, 0, small, 0), 0)
        rows.addWidget(self.summary, alignment=Qt.AlignmentFlag.AlignLeft)
        rows.addWidget(self._area)
        look.changed.connect(self._draw)
        self.hide()

    def show_parts(self, told: Sequence[tuple[LeftAsDrawn, int]]) -> None:
        """Say of these parts, each with its line; of none, nothing."""
        self._told = tuple(told)
        self.setVisible(bool(told))
        self._draw()

    def _turn(self, is_open: bool) -> None:  # noqa: FBT001  # as Qt tells it
        self._area.setVisible(is_open)
        self._draw()

    def _draw(self) -> None:
        count = len({line for _, line in self._told})
        said = (
            self.tr("1 part is left as drawn") if count == 1 else self.tr("{count} parts are left as drawn")
        )
        self.summary.setText(said.format(count=count))
        is_open = self.summary.isChecked()
        icon = "branch_open" if is_open else "branch_closed"
        self.summary.setIcon(self._look.icon(icon, "text.muted"))
        self.list.setText("".join(self._row(place) for place in range(len(self._told))))
        room = self.list.fontMetrics().lineSpacing() + self._look.length("space.tight")
        self._area.setMaximumHeight(room * min(len(self._told), MOST) + self._look.length("space.small"))
        if is_open:
            self._area.setMinimumHeight(self._area.maximumHeight())

    def _row(self, place: int) -> str:
        part, line = self._told[place]
        color = self._look.color("accent.action").name()
        named = self.tr("“{title}” in {flow}") if part.flow else self.tr("“{title}”")
        title = escape(named.format(title=part.title, flow=part.flow))
        at = self.tr("line {number}").format(number=line)
        link = f"<a href='{place}' style='color:{color}'>{title}, {at}</a>" if line else title
        return f"<p style='margin:0 0 4px 0'>{link}: {escape(quoted(part.why))}</p>"
