"""Run hosts for tests, forked from one process that has loaded what a host loads, which takes a second.

Each is a process of its own that speaks the protocol of hosts, and can be killed. It only starts otherwise.
"""

import os
import select
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from studio.host.client import HostClient
from tests.fork_servers import PID_BYTES, ask_for, asked_of, begin_anew, fork_server, tests_of

if TYPE_CHECKING:
    Process = subprocess.Popen[bytes]


def forked_host(environ: Mapping[str, str]) -> HostClient:
    """Give a host whose environment is as told; stands in for `HostClient.spawn`."""
    ours, theirs = socket.socketpair()
    alive, mark = os.pipe()
    pid = ask_for(fork_server(__name__), environ, [theirs.fileno(), mark])
    theirs.close()
    os.close(mark)
    return HostClient(cast("Process", _Forked(pid, alive)), ours)


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


# ------------------------------------------------------------------------------ the process that is forked


def main(argv: Sequence[str]) -> int:
    """Fork hosts until nobody asks any more; each of them goes on as a host that has just been started."""
    from studio.app.runs import run_host

    tests = tests_of(argv)
    run_host.builtin_registry()
    run_host.warm_up()
    signal.signal(signal.SIGCHLD, _bury)
    while found := asked_of(tests, most=2):
        asked, (window, mark) = found
        pid = os.fork()
        if not pid:
            tests.close()
            begin_anew(asked)
            return run_host.main(["--fd", str(window)])
        os.close(window)
        os.close(mark)
        tests.send(pid.to_bytes(PID_BYTES))
    return 0


def _bury(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
