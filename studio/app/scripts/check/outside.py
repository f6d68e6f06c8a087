"""What a script does past its steps, found by Python's audit hooks: care, and no box."""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from studio.app.scripts.check.play_messages import Act
from studio.script.lines import is_in

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

ACTS = {
    "socket.connect": "connects to",
    "socket.getaddrinfo": "looks up",
    "socket.bind": "listens at",
    "subprocess.Popen": "starts",
    "os.system": "starts",
    "os.exec": "starts",
    "os.posix_spawn": "starts",
    "os.remove": "removes",
    "os.rename": "renames",
    "os.rmdir": "removes",
    "os.mkdir": "makes",
    "os.link": "makes",
    "os.symlink": "makes",
    "os.truncate": "writes",
    "os.chmod": "changes",
    "os.kill": "ends the process",
}
"""What a script is kept from, by Python's names for it."""

ENGINE = ("studio.", "nodes.")
"""Modules that do what a run needs; of a replay that is nothing outside."""


class Watch:
    """An audit hook: `tell` is told of what the script itself does; it cannot be taken away again."""

    def __init__(self, file: Path, tell: Callable[[Act], None]) -> None:
        self._file = file
        self._tell = tell

    def __call__(self, event: str, given: tuple[Any, ...]) -> None:
        """Look at what is about to be done."""
        does = ACTS.get(event)
        named = given[1] if event in {"socket.connect", "socket.bind"} else given[0] if given else ""
        if event == "open" and isinstance(given[2], int) and given[2] & WRITES and named != os.devnull:
            does = "writes"
        if event == "sqlite3.connect" and named != ":memory:":
            does = "opens"
        if does is None:
            return
        line = self._line()
        if line is not None or event.startswith("socket."):
            self._tell(Act(does, str(named), line or 0))

    def _line(self) -> int | None:
        """The line of the script that does it, 0 where that is not known; None where it is the engine."""
        frame = inspect.currentframe()
        frame = frame.f_back.f_back if frame is not None and frame.f_back is not None else None
        while frame is not None:
            if is_in(frame, self._file):
                return frame.f_lineno
            if str(frame.f_globals.get("__name__", "")).startswith(ENGINE):
                return None
            frame = frame.f_back
        return 0
