"""The window's side of the process that runs an experiment: messages to it, and what it says, on a thread."""

import json
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from studio.sandbox.process import command

MODULE = "studio.experiments.attendant"
GRACE = 10.0
"""Seconds in which a process that lost its window records what it had; after that it is killed."""

Say = Callable[[str, Mapping[str, Any]], None]
"""Takes a message by kind, on any thread."""


class Link(Protocol):
    """A way to whoever runs one experiment."""

    def tell(self, kind: str, **message: object) -> None:
        """Send a message; that nobody is there any more is said as `gone`."""
        ...

    def close(self) -> None:
        """Stop what runs, and let it go; what is stored stays."""
        ...


class AttendantProcess:
    """Implements `Link` with a process that is begun at once.

    `say` is called on a thread of its own, with `gone` as the last message.
    """

    def __init__(self, say: Say, environ: Mapping[str, str]) -> None:
        self._say = say
        self._is_closed = False
        self._process = subprocess.Popen(  # noqa: S603  # a clean interpreter of ours
            command(MODULE), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(environ)
        )
        self._thread = threading.Thread(target=self._listen, name="experiment", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def tell(self, kind: str, **message: object) -> None:
        """As `Link` says."""
        stdin = self._process.stdin
        if stdin is not None:
            with suppress(OSError, ValueError):  # it is gone, which is heard soon
                stdin.write(json.dumps({"kind": kind, **message}).encode() + b"\n")
                stdin.flush()

    def close(self) -> None:
        """As `Link` says; the process has a moment, which nobody waits for."""
        self._is_closed = True
        if self._process.stdin is not None:
            with suppress(OSError, ValueError):
                self._process.stdin.close()
        threading.Thread(target=self._end, name="experiment-end", daemon=True).start()

    def _end(self) -> None:
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _listen(self) -> None:
        stdout = self._process.stdout
        if stdout is not None:
            for line in stdout:
                message: dict[str, Any] = json.loads(line)
                if not self._is_closed:
                    self._say(str(message.pop("kind")), message)
            stdout.close()
        if not self._is_closed:
            self._say("gone", {})
