"""The journal of one window for one flow, as a file in the project's private folder.

Each window that has a flow open writes a journal of its own, and holds a lock beside it for as long as it
lives; a journal without a holder is one that the next window may go on with.
"""

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock, Timeout

from studio.app.documents.history import Jumped, Move, Snapshot
from studio.app.documents.journal_lines import Known, joined, move_line, read_lines, snapshot_lines
from studio.workspace.private_folder import make_private_folder, private_folder
from studio.workspace.whole_file import append, sync, write_whole

SUFFIX = ".journal"
LONGEST_NAME = 120
"""Characters of a folder's name; a flow with a longer path is named by the hash of it."""
MOST_BYTES = 2 * 1024 * 1024
"""What the steps of a journal that is written anew may take; the oldest go."""
ROOM = 1024 * 1024
"""Bytes that a journal may grow by, at least, before it is written anew."""
GROWTH = 2
"""How many times as large as it was when written anew a journal becomes before it is again."""


def journal_folder(root: Path, flow: str) -> Path:
    """Name the folder of the journals of a flow, by its name in the project at `root`."""
    name = quote(flow, safe="")
    if len(name) > LONGEST_NAME or name.startswith("."):
        name = sha256(flow.encode()).hexdigest()
    return private_folder(root) / "journal" / name


@dataclass(frozen=True, slots=True)
class Missing:
    """How many steps a history has that its journal was written without: the first ones, and the last."""

    past: int = 0
    following: int = 0

    def allows(self, moves: Sequence[Move], lowest: int) -> bool:
        """Whether moves whose lowest position is `lowest` can be made again without these steps."""
        if self.past and lowest <= self.past:
            return False
        return not self.following or not any(isinstance(move, Jumped) for move in moves)


class JournalFile:
    """One file and its lock. What the disk refuses is raised as `OSError`; the next write mends it."""

    def __init__(self, folder: Path, owner: str = "") -> None:
        """Name it; nothing is made yet. `owner` is that of a journal which is there."""
        name = owner or f"{time.time_ns():x}-{os.getpid()}-{secrets.token_hex(3)}"
        self.path = folder / f"{name}{SUFFIX}"
        self._lock = FileLock(folder / f"{name}.lock", blocking=False, thread_local=False)
        self._grown = 0
        self._may_grow = 0
        self._is_whole = False
        self._missing = Missing()

    def hold(self) -> bool:
        """Take the lock, if nobody has it.

        What is a link was made by none of our windows, and may lead out of a project that others have sent.
        """
        if self.path.is_symlink() or Path(self._lock.lock_file).is_symlink():
            return False
        try:
            self._lock.acquire()
        except (Timeout, OSError, NotImplementedError):  # the last where a file system has no locks
            return False
        return True

    def read(self, known: Known | None = None) -> tuple[Snapshot | None, bool]:
        """Give the history that it has, and whether all of it could be read; raises `OSError`.

        What is written from now on goes behind it.
        """
        data = self.path.read_bytes()
        snapshot, is_whole = read_lines(data, known)
        if snapshot is not None and is_whole and len(data) < MOST_BYTES * GROWTH:
            if not data.endswith(b"\n"):
                os.truncate(self.path, data.rfind(b"\n") + 1)
            self._is_whole, self._may_grow, self._missing = True, ROOM, Missing()
        return snapshot, is_whole

    def forget(self) -> None:
        """Be written anew with the next write: the history is not what it was."""
        self._is_whole = False

    def write(self, moves: Sequence[Move], after: Snapshot, lowest: int) -> None:
        """Add what happened; `after` is the history after that, `lowest` its lowest position meanwhile.

        Nothing waits for the disk: see `sync`. Raises `OSError`, or `FlowFileError` for a number that JSON
        cannot say.
        """
        try:
            is_known = self._missing.allows(moves, lowest)
            if self._is_whole and is_known and self._grown < self._may_grow:
                self._append(joined(move_line(move) for move in moves))
            else:
                self._write_anew(after)
        except BaseException:
            self._is_whole = False
            raise

    def _append(self, data: bytes) -> None:
        append(self.path, data)
        self._grown += len(data)

    def _write_anew(self, snapshot: Snapshot) -> None:
        folder = self.path.parent
        make_private_folder(folder.parent.parent.parent)
        folder.mkdir(parents=True, exist_ok=True)
        if not self._lock.is_locked:
            self._lock.acquire()
        lines = snapshot_lines(snapshot, MOST_BYTES)
        data = joined(lines.all)
        write_whole(self.path, data, is_synced=False)
        self._grown, self._may_grow = 0, max(ROOM, len(data) * (GROWTH - 1))
        self._missing = Missing(len(snapshot.done) - lines.past, len(snapshot.undone) - lines.following)
        self._is_whole = True

    def sync(self) -> None:
        """Wait until the disk has what was written; raises `OSError`."""
        sync(self.path)

    def let_go(self) -> None:
        """Leave it to the next window."""
        self._lock.release()
        if not self.path.exists():
            self._remove_lock()

    def remove(self) -> None:
        """Take it away."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        self._lock.release()
        self._remove_lock()

    def copy_aside(self) -> None:
        """Keep one that is damaged for whoever may mend it, and go on with what could be read."""
        with suppress(OSError):
            write_whole(self.path.with_suffix(".damaged"), self.path.read_bytes(), is_synced=False)

    def put_aside(self) -> None:
        """Keep one of which nothing could be read for whoever may mend it, and let it go."""
        with suppress(OSError):
            self.path.replace(self.path.with_suffix(".damaged"))
        self._lock.release()
        self._remove_lock()

    def _remove_lock(self) -> None:
        with suppress(OSError):
            Path(self._lock.lock_file).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Found:
    """A journal that nobody writes any more, held by whoever found it."""

    file: JournalFile
    snapshot: Snapshot
    is_whole: bool
    modified: float

    @property
    def has_unsaved(self) -> bool:
        """Whether it has edits that are in no file."""
        return self.snapshot.flow != self.snapshot.saved


def left_journals(folder: Path, known: Known | None = None) -> Iterator[Found | None]:
    """The journals that nobody holds, each taken; None for one that could not be read, which is put aside."""
    try:
        paths = sorted(folder.glob(f"*{SUFFIX}"))
    except OSError:
        return
    for path in paths:
        file = JournalFile(folder, path.stem)
        if not file.hold():
            continue
        try:
            modified = path.stat().st_mtime
            snapshot, is_whole = file.read(known)
        except OSError:  # gone meanwhile, or not ours to read
            file.let_go()
            continue
        if snapshot is None:
            file.put_aside()
            yield None
        else:
            yield Found(file, snapshot, is_whole, modified)
