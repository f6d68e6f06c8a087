"""Run hosts for tests, forked from one process that has loaded what a host loads, which takes a second.

Each is a process of its own that speaks the protocol of hosts, and can be killed. It only starts otherwise.
"""

import argparse
import atexit
import json
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from studio.host.client import HostClient
from studio.sandbox.process import command

if TYPE_CHECKING:
    Process = subprocess.Popen[bytes]

LARGEST = 1 << 20
PID_BYTES = 8


def forked_host(environ: Mapping[str, str]) -> HostClient:
    """Give a host whose environment is as told; stands in for `HostClient.spawn`."""
    ours, theirs = socket.socketpair()
    alive, mark = os.pipe()
    asked = json.dumps({"environ": dict(environ), "folder": str(Path.cwd())}).encode() + b"\n"
    server = _server()
    socket.send_fds(server, [asked], [theirs.fileno(), mark])
    theirs.close()
    os.close(mark)
    return HostClient(cast("Process", _Forked(int.from_bytes(server.recv(PID_BYTES)), alive)), ours)


class _Forked:
    """What a host's client asks of a process, about one that another has started."""

    def __init__(self, pid: int, alive: int) -> None:
        """Know it by a pipe of which it alone holds the other end."""
        self.pid = pid
        self._alive = alive

    def __del__(self) -> None:
        os.close(self._alive)

    def poll(self) -> int | None:
        return 0 if select.select([self._alive], [], [], 0)[0] else None

    def wait(self, timeout: float | None = None) -> int:
        if not select.select([self._alive], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("a forked host", timeout or 0)
        return 0

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


@cache
def _server() -> socket.socket:
    """Start the process from which hosts are forked; it ends with this one."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(  # noqa: S603  # our own interpreter, our own module
        command(__name__, "--fd", str(theirs.fileno())), pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


# ------------------------------------------------------------------------------ the process that is forked


def main(argv: Sequence[str]) -> int:
    """Fork hosts until nobody asks any more; each of them goes on as a host that has just been started."""
    from studio.app import run_host

    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int)
    tests = socket.socket(fileno=parser.parse_args(argv).fd)
    run_host.builtin_registry()
    run_host.warm_up()
    signal.signal(signal.SIGCHLD, _bury)
    while asked := _asked(tests):
        environ, folder, (window, mark) = asked
        pid = os.fork()
        if not pid:
            tests.close()
            _begin(environ, folder)
            return run_host.main(["--fd", str(window)])
        os.close(window)
        os.close(mark)
        tests.send(pid.to_bytes(PID_BYTES))
    return 0


def _asked(tests: socket.socket) -> tuple[Mapping[str, str], str, Sequence[int]] | None:
    body, files, _, _ = socket.recv_fds(tests, LARGEST, 2)
    while body and not body.endswith(b"\n"):
        body += tests.recv(LARGEST)
    if not body:
        return None
    asked = json.loads(body)
    return asked["environ"], asked["folder"], files


def _begin(environ: Mapping[str, str], folder: str) -> None:
    """Have what a new process has: its environment, its folder, its session and no signals of the old one."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    os.chdir(folder)


def _bury(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
