"""Ctrl+C in the terminal closes the window as a person would; a second time it leaves without asking."""

import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, QTimer

from studio.ui.window.main_window import MainWindow


class Interruption(QObject):
    """Hears the process's signals while Qt waits for events; `close` gives them back."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._asked = False
        # Python hears of signals only while it runs: their bytes wake Qt, and Qt wakes Python.
        self._near, self._far = socket.socketpair()
        for end in (self._near, self._far):
            end.setblocking(False)
        self._kept = signal.set_wakeup_fd(self._far.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._near.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._drain)
        heard = [one for one in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(one) != signal.SIG_IGN]
        self._before = {one: signal.signal(one, self._hear) for one in heard}

    def close(self) -> None:
        """Let signals do again what they did before."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._kept)
        for one, before in self._before.items():
            signal.signal(one, before)
        self._near.close()
        self._far.close()

    def _drain(self) -> None:
        self._near.recv(64)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        is_final = self._asked or number == signal.SIGTERM
        self._asked = True
        QTimer.singleShot(0, self._window, self._window.leave if is_final else self._window.close)
