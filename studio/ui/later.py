"""Does a thing a little later."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def later(owner: QObject, work: Callable[[], object], milliseconds: int = 0) -> None:
    """Call `work` after that time, unless the `owner` is gone by then.

    `QTimer.singleShot` keeps what it would have called for good when its context goes first: a window that
    was closed meanwhile, with all of its flows, stayed in memory.
    """
    timer = QTimer(owner, singleShot=True, interval=milliseconds)
    timer.timeout.connect(work)
    timer.timeout.connect(timer.deleteLater)
    timer.start()
