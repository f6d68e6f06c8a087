"""The list of ports that a wire may end at, by name."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel, QListWidget, QWidget

from studio.flow.records import Socket
from studio.ui.canvas.hand.search_box import SearchBox
from studio.ui.canvas.style import Role, Style

WIDTH = 360
ROWS = 9
MOST = 200
"""Ports listed at once; typing finds the others."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A port that a wire may end at, in words; without a socket a way to add a node for it."""

    text: str
    socket: Socket | None = None


class PortPalette(SearchBox):
    """A line that says what is wired, and what may be wired to it."""

    def __init__(self, style: Style, canvas: QWidget) -> None:
        super().__init__(canvas, canvas.tr("Connect to"))
        self._rest: Iterator[Candidate] = iter(())
        self._known: list[Candidate] = []
        """What `_rest` has given so far; it is asked only while too little is found."""
        self.offered: list[Candidate] = []
        self._take: Callable[[Candidate], None] | None = None
        self.head = QLabel(self)
        self.found = QListWidget(self)
        self.fill(self.found, self.tr("Ports that fit"), self.head, self.field, self.found)
        self.setProperty("card", True)
        self.setAutoFillBackground(True)
        self.restyle(style)

    def restyle(self, style: Style) -> None:
        """Wear another theme."""
        self.wear(style, self.head, self.found)
        self.head.setFont(style.fonts[Role.SMALL])
        self.found.setFont(style.fonts[Role.BODY])

    def open_at(
        self,
        at: QPoint,
        head: str,
        offered: Iterable[Candidate],
        take: Callable[[Candidate], None],
        back: QWidget | None = None,
    ) -> None:
        """Show what is offered near a widget point; `take` is given what is chosen."""
        self.back = back or self.canvas
        self._rest, self._known, self._take = iter(offered), [], take
        self.head.setText(head)
        self.field.setAccessibleName(head)
        self.field.clear()
        self.search("")
        self.found.setFixedHeight(
            max(1, min(ROWS, len(self.offered))) * max(self.found.sizeHintForRow(0), 22) + 4
        )
        self.show_near(at + QPoint(16, 16), WIDTH)

    def search(self, typed: str) -> None:
        """List the ports that have all words in their names."""
        words = typed.casefold().split()
        fits = (one for one in self._each() if all(word in one.text.casefold() for word in words))
        self.offered = list(islice(fits, MOST))
        self.found.clear()
        self.found.addItems([one.text for one in self.offered])
        self.found.setCurrentRow(0)

    def _each(self) -> Iterator[Candidate]:
        """All that is offered, in order."""
        yield from self._known
        for one in self._rest:
            self._known.append(one)
            yield one

    def choose(self) -> None:
        """Take the port that is pointed at."""
        row = self.found.currentRow()
        if 0 <= row < len(self.offered) and self._take is not None:
            chosen = self.offered[row]
            self.dismiss()
            self._take(chosen)
