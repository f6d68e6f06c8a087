"""Has scripts written in a process of its own, the newest draft of each asker, one after the other."""

import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import cast

from studio.app.scripts.script_preview import Draft, Unwritten, Written
from studio.sandbox.process import command

HOST = "studio.app.scripts.script_host"
LOST = Unwritten("The process that writes scripts has ended.")
PATIENCE = 60.0
"""Seconds that one script may take; then its process is ended, so that no other waits for it."""

Heard = Callable[[Written | Unwritten], None]


class ScriptWriter:
    """Starts its process with the first draft. `close` ends it."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._waiting: dict[object, tuple[Draft, Heard]] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def ask(self, asker: object, draft: Draft, heard: Heard) -> None:
        """Have a script written; `heard` is told on another thread.

        A draft of the same asker that still waits is forgotten.
        """
        with self._changed:
            self._waiting[asker] = (draft, heard)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="stepwire-scripts", daemon=True)
                self._thread.start()
            self._changed.notify()

    def forget(self, asker: object) -> None:
        """Write nothing more for an asker that is gone."""
        with self._changed:
            self._waiting.pop(asker, None)

    def close(self) -> None:
        """End the process; what waits is not written."""
        with self._changed:
            self._is_closed = True
            self._waiting.clear()
            if self._process is not None:
                self._process.kill()
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while self._next_is_answered():
            pass
        self._end()

    def _next_is_answered(self) -> bool:
        """Wait for a draft and answer it; False once closed. Between drafts, none of them is kept."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            if self._is_closed:
                return False
            draft, heard = self._waiting.pop(next(iter(self._waiting)))
        answer = self._answer(draft)
        if not self._is_closed:
            try:
                heard(answer)
            except Exception:  # noqa: BLE001  # whoever else asked is still to be answered
                here = threading.current_thread()
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), here)))
        return True

    def _answer(self, draft: Draft) -> Written | Unwritten:
        with ExitStack() as limit:
            return self._written(draft, limit)

    def _written(self, draft: Draft, limit: ExitStack) -> Written | Unwritten:
        try:
            process = self._started()
            timer = threading.Timer(self._patience, process.kill)
            timer.daemon = True
            timer.start()
            limit.callback(timer.cancel)
            asking, answering = process.stdin, process.stdout
            if asking is None or answering is None:
                return LOST
            pickle.dump(draft, asking)
            asking.flush()
            return cast("Written | Unwritten", pickle.load(answering))  # noqa: S301  # our own process
        except (OSError, EOFError, pickle.UnpicklingError):
            self._end()
            return LOST
        except Exception as error:  # noqa: BLE001  # a draft that cannot be handed over: half of it is on the way
            self._end()
            return Unwritten(f"The script could not be written: {type(error).__name__}: {error}")

    def _started(self) -> "subprocess.Popen[bytes]":
        with self._changed:
            if self._process is None and not self._is_closed:
                self._process = subprocess.Popen(  # noqa: S603  # our own interpreter, our own module
                    command(HOST),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
            if self._process is None:
                raise EOFError
            return self._process

    def _end(self) -> None:
        with self._changed:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
