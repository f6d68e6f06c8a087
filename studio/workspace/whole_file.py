"""A file that holds the old or the new bytes at every instant, whatever happens to the process."""

import contextlib
import errno
import fcntl
import os
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import Final

JUST_BEGUN: Final = 5.0
"""Seconds in which an empty file may be one whose writer has not locked it yet."""


def write_whole(path: Path, data: bytes, *, is_synced: bool = True) -> None:
    """Write to a neighbour, then rename: the rename is the one instant at which the file changes.

    A power cut within the next seconds may take it unless `is_synced`. A file that was there keeps its
    permissions. Raises `OSError`; the file is then as it was.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # gone with the process, so that a sweep knows what is left over
            file.write(data)
            file.flush()
            if is_synced:
                os.fsync(file.fileno())
            if path.exists():
                shutil.copymode(path, temporary)
            else:
                temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    if is_synced:
        _sync_folder(path.parent)


def sweep(folder: Path, ending: str = "") -> None:
    """Remove what processes that were killed left of files with this ending; what cannot be removed stays."""
    left_over = re.compile(rf"\..+{re.escape(ending)}\.[a-z0-9_]{{8}}\.tmp(-wal|-shm)?")
    with contextlib.suppress(OSError):
        for path in [one for one in folder.iterdir() if left_over.fullmatch(one.name)]:
            with contextlib.suppress(OSError):
                _remove_left_over(path)


def _remove_left_over(path: Path) -> None:
    if path.is_symlink() or not path.is_file():
        return
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        if not found.st_size and time.time() - found.st_mtime < JUST_BEGUN:
            return
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()


def append(path: Path, data: bytes) -> None:
    """Write at the end of a file that is there, in one go; raises `OSError`, and may have written a part."""
    with path.open("r+b", buffering=0) as file:
        file.seek(0, os.SEEK_END)
        if file.write(data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def sync(path: Path) -> None:
    """Wait until the disk has what a file says, and its name; raises `OSError`."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself last; Windows has no such call and needs none."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
