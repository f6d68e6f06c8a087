"""A small process above a command that executes runs: it ends what listens to nobody any more.

Python hears of signals and looks at its clock between two instructions. A regular expression that finds no
end, or two huge lists that are compared, keep it from both, and nothing within the process helps. So the
command works in a child of the process that was started, which waits for it, passes signals on, and has its
exit code.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

GRACE = 1.5
"""Seconds in which a child comes to its end by itself, once it is interrupted or its time is up."""

ONE_PRESS = 0.25
"""Seconds in which a signal that comes again is the same one: some send it to a process and to its group."""

LIMIT_REACHED = 3
LOOKS = 0.2
"""Seconds between two looks at whether the process above is there, where the system does not tell."""


class Supervised:
    """What a command tells the process above it."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def begin(self, run: str) -> None:
        """Tell which run is executed, so that it can be named when it is ended from above."""
        self._tell("run", run)

    def due(self, left: float | None, limit: float) -> None:
        """Tell in how many seconds the run is to be over, and that this is its limit; None takes it back."""
        self._tell("due", "" if left is None else f"{time.monotonic() + left} {limit:g}")

    def _tell(self, what: str, text: str) -> None:
        with suppress(OSError):  # whoever is not there any more ends nothing
            os.write(self._pipe, f"{what} {text}\n".encode())


def supervise() -> Supervised | None:
    """Go on in a child of this process, which ends with it, and with its exit code.

    Gives None where the system has no such thing, and all goes on in this process.
    """
    if not hasattr(os, "fork"):
        return None
    above = os.getpid()
    heard, told = os.pipe()
    os.set_blocking(told, False)
    child = os.fork()
    if child:
        os.close(told)
        _Supervisor(child, heard).watch()
    os.close(heard)
    _end_with(above)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt_once)
    return Supervised(told)


def _interrupt_once(number: int, _frame: object) -> NoReturn:
    """Raise for the first signal only: what is typed at a terminal comes from there and from above."""
    signal.signal(number, _note)
    raise KeyboardInterrupt


def _end_with(above: int) -> None:
    """Have this process killed when the one above it is."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    else:
        import threading

        threading.Thread(target=_look_for, args=(above,), daemon=True).start()
    if os.getppid() != above:
        os._exit(1)


def _look_for(above: int) -> None:
    while os.getppid() == above:
        time.sleep(LOOKS)
    os.kill(os.getpid(), signal.SIGKILL)


class _Supervisor:
    """Waits for the child. Whoever started the command sees one process, this one."""

    def __init__(self, child: int, heard: int) -> None:
        self._child = child
        self._heard = heard
        self._unread = b""
        self._run = ""
        self._due: float | None = None
        self._limit = ""
        self._signal = 0
        self._signalled = 0.0
        self._went_on = -GRACE
        """When both were last stopped by the terminal and went on."""
        self._restore_terminal = _kept_terminal()
        self._woken, self._waking = os.pipe()
        for end in (self._woken, self._waking):
            os.set_blocking(end, False)

    def watch(self) -> NoReturn:
        """Wait for the child, or end it, and then end this process in the same way."""
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGTSTP, signal.SIGCHLD, signal.SIGCONT):
            if number == signal.SIGCHLD or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _note)  # what a shell keeps from it stays kept
        ears = [self._woken, self._heard]
        while True:
            ended, status = os.waitpid(self._child, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(status)
                # What was passed on may come when the child is done and no longer listens to it.
                _end_as(128 + self._signal if self._signal and code == -self._signal else code)
            left = self._left()
            if left is not None and left <= 0:
                self._end_child()
            for ear in select.select(ears, [], [], left)[0]:
                if not self._listen(ear):
                    ears.remove(ear)

    def _listen(self, ear: int) -> bool:
        """Take in what is there to be heard; False where nothing more comes, as the child ends."""
        said = os.read(ear, 1 << 16)
        if ear == self._heard:
            self._hear(said)
        else:
            for number in said:
                self._hear_signal(number)
        return bool(said)

    def _hear(self, said: bytes) -> None:
        *lines, self._unread = (self._unread + said).split(b"\n")
        for line in lines:
            what, _, text = line.decode().partition(" ")
            if what == "run":
                self._run = text
            else:
                due, _, self._limit = text.partition(" ")
                self._due = float(due) if due else None

    def _hear_signal(self, number: int) -> None:
        now = time.monotonic()
        if number == signal.SIGTSTP:
            os.kill(self._child, number)
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)  # it stops here, and goes on with SIGCONT
            signal.signal(number, _note)
        elif number == signal.SIGCONT:
            os.kill(self._child, number)
            self._went_on = now
        elif number in (signal.SIGINT, signal.SIGTERM):
            if not self._signal:
                self._signal, self._signalled = number, now
                os.kill(self._child, number)
            elif now - self._signalled > ONE_PRESS:
                self._end_child()

    def _left(self) -> float | None:
        """Seconds that the child may live, None where nothing says that it has to end."""
        since = [self._signalled] if self._signal else []
        since += [self._due] if self._due is not None else []
        return max(min(since), self._went_on) + GRACE - time.monotonic() if since else None

    def _end_child(self) -> NoReturn:
        from studio.process_tree import end_tree

        end_tree(self._child)
        os.waitpid(self._child, 0)
        self._restore_terminal()
        with suppress(OSError):
            os.write(2, f"{self._words()}\n".encode())
        os._exit(128 + self._signal if self._signal else LIMIT_REACHED)

    def _words(self) -> str:
        if not self._run:
            return "interrupted"
        if self._signal:
            return (
                f"interrupted; the run {self._run} did not stop by itself and was ended\n  "
                f"remedy: `stepwire resume {self._run}` resumes it."
            )
        return (
            f"error: The run has reached its limit of {self._limit} s and was ended from "
            f"outside.\n  remedy: `stepwire resume {self._run} --limit-seconds N` resumes it "
            "with a larger limit."
        )


def _note(_number: int, _frame: object) -> None:
    """Do nothing here: what is to be heard is read from the pipe to which Python writes signals."""


def _end_as(code: int) -> NoReturn:
    """End this process as the child has ended: with its exit code, or by the same signal."""
    if code < 0:
        with suppress(OSError, ValueError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


def _kept_terminal() -> Callable[[], None]:
    """Give the function that sets the terminal as it is now: an editor that is killed leaves it otherwise."""
    if not os.isatty(0):
        return lambda: None
    import termios

    state = termios.tcgetattr(0)

    def restore() -> None:
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        with suppress(termios.error):
            termios.tcsetattr(0, termios.TCSANOW, state)

    return restore
