"""Where the sockets of runs are: in a folder that only their user may enter, named after the run's file."""

import os
import socket
import stat
import struct
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from studio.errors import HostError

FOLDER = "stepwire"
SETTLED = 10.0
"""Seconds after which a socket that nobody answers at was left behind, and is not just being made."""


def has_sockets() -> bool:
    """Whether this system has sockets that are files, with an owner."""
    return hasattr(socket, "AF_UNIX") and hasattr(os, "getuid")


def make_socket(run_file: Path, environ: Mapping[str, str]) -> tuple[socket.socket, Path]:
    """Listen for those who come to a run; raises `HostError` where that cannot be done safely.

    The caller writes the run, so a socket that is there was left behind by a process that is gone.
    """
    refusal: OSError | None = None
    for folder in _own_folders(environ):
        path = folder / _name(run_file)
        try:
            listening = _listen(path)
        except OSError as error:  # such as a path that is longer than the system takes
            refusal = error
            continue
        sweep(folder)
        return listening, path
    if refusal is None:
        raise HostError("There is no folder for sockets that nobody else may enter.")
    raise HostError(f"No socket can be made: {refusal.strerror or refusal}.") from refusal


def _listen(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    try:
        path.unlink(missing_ok=True)
        listening.bind(str(path))
        path.chmod(stat.S_IRUSR | stat.S_IWUSR)
        listening.listen()
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening


def find_socket(run_file: Path, environ: Mapping[str, str]) -> Path | None:
    """Find the socket of a run; None where it has none."""
    if not has_sockets():
        return None
    name = _name(run_file)
    return next((one / name for one in _folders(environ) if _is_own(one) and (one / name).is_socket()), None)


def connect(path: Path, seconds: float = 0.2) -> socket.socket:
    """Come to a run; raises `HostError` where nobody answers, or somebody else than this user does."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(seconds)
    try:
        connection.connect(str(path))
    except OSError as error:
        connection.close()
        raise HostError("The process of this run does not answer.") from error
    if not is_same_user(connection):
        connection.close()
        raise HostError("The process at this run's socket belongs to another user.")
    connection.settimeout(None)
    return connection


def is_same_user(connection: socket.socket) -> bool:
    """Whether this user's process is at the other end; where that cannot be asked, the folder vouches."""
    if sys.platform != "linux":
        return True
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return user == os.getuid()


def sweep(folder: Path) -> None:
    """Remove sockets at which nobody answers any more: those of processes that were killed."""
    now = time.time()
    for path in folder.glob("*.sock"):
        with suppress(OSError):
            if now - path.stat().st_mtime < SETTLED:
                continue
            with socket.socket(socket.AF_UNIX) as trying:
                trying.setblocking(False)
                try:
                    trying.connect(str(path))
                except ConnectionRefusedError:
                    path.unlink()


def _name(run_file: Path) -> str:
    # A copy of a project has runs of the same names.
    return f"{sha256(os.fsencode(run_file.resolve())).hexdigest()[:24]}.sock"


def _folders(environ: Mapping[str, str]) -> Iterator[Path]:
    """Where sockets may be; a process without the session's environment takes a later one."""
    if given := environ.get("XDG_RUNTIME_DIR"):
        yield Path(given) / FOLDER
    yield Path(tempfile.gettempdir()) / f"{FOLDER}-{os.getuid()}"


def _own_folders(environ: Mapping[str, str]) -> Iterator[Path]:
    for folder in _folders(environ):
        with suppress(OSError):
            folder.mkdir(mode=stat.S_IRWXU, exist_ok=True)
        if _is_own(folder):
            yield folder


def _is_own(folder: Path) -> bool:
    """Whether a folder is this user's, no link, and closed to all others."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    is_closed = not stat.S_IMODE(found.st_mode) & (stat.S_IRWXG | stat.S_IRWXO)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and is_closed
