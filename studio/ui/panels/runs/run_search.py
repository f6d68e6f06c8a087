"""Searching what runs said: a field that tells in which runs the words stand, and how they stand there."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.store.indexes.search import Hit

PAUSE = 250
"""Milliseconds without a key after which what was typed is looked for."""

Find = Callable[[str], Sequence[Hit]]
"""Finds words in runs; called on a thread of its own, as the first time it reads all that nobody has read."""


class RunSearch(QLineEdit):
    """`found` gives the places where the latest words stand, the newest first; None when nothing is asked."""

    found = Signal(object)
    left = Signal(bool)
    """A key leads on to what was found: to the first place at once (True), or into the list of them."""
    _searched = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(self.tr("Search messages of all runs"))
        self.setAccessibleName(self.tr("Search messages of all runs"))
        self.setToolTip(self.tr("All words must occur; use quotes for a phrase."))
        self.setClearButtonEnabled(True)
        self._find: Find | None = None
        self._is_busy = False
        self._told: str | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE)
        self._pause.timeout.connect(self._ask)
        self.textChanged.connect(self._wait)
        self.returnPressed.connect(self._enter)
        self._searched.connect(self._tell)

    def search_with(self, find: Find) -> None:
        """Set what finds words; what is typed already is looked for again."""
        self._find = find
        self._ask()

    def _wait(self) -> None:
        if self.text().strip():
            self._pause.start()
        else:
            self._ask()

    def _ask(self) -> None:
        self._pause.stop()
        words, find = self.text(), self._find
        if not words.strip():
            self.found.emit(None)
        elif find is not None and not self._is_busy:
            self._is_busy = True
            threading.Thread(target=self._search, args=(find, words), name="search", daemon=True).start()

    def _search(self, find: Find, words: str) -> None:
        try:
            hits: Sequence[Hit] = find(words)
        except Exception:  # noqa: BLE001  # whatever it is, the field has to stay usable
            hits = ()
        with suppress(RuntimeError):  # the window is gone
            self._searched.emit(words, hits)

    def _tell(self, words: str, hits: Sequence[Hit]) -> None:
        self._is_busy = False
        if words != self.text():
            self._wait()
            return
        self._told = words
        self.found.emit(list(hits))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go down into what was found; all else as fields do."""
        if event.key() == Qt.Key.Key_Down:
            self.left.emit(False)
            return
        super().keyPressEvent(event)

    def _enter(self) -> None:
        """Go to the first place, where what stands here was looked for already."""
        if self.text().strip() and self.text() == self._told:
            self.left.emit(True)
        else:
            self._ask()
