"""Work that takes a while: done on a thread of its own, its end told on the window's."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

T = TypeVar("T")


class Aside(QObject):
    """Does things beside the window, each on a thread; those that the window outlives are told."""

    _done = Signal(object, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._done.connect(_tell)

    def begin(self, work: Callable[[], T], then: Callable[[T | Exception], None]) -> None:
        """Begin `work`, which touches nothing of Qt; `then` is told what it gave, or its error."""
        threading.Thread(target=self._work, args=(work, then), name="aside", daemon=True).start()

    def _work(self, work: Callable[[], T], then: Callable[[T | Exception], None]) -> None:
        found: T | Exception
        try:
            found = work()
        except Exception as error:  # noqa: BLE001  # whatever it is, a person waits for an answer
            found = error
        with suppress(RuntimeError):  # the window is gone
            self._done.emit(then, found)


def _tell(then: Callable[[Any], None], found: object) -> None:
    then(found)
