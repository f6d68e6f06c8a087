"""Processes that have loaded what others need, and from which these are forked: a start then takes no time.

Tests ask one over a socket, in a line of JSON with open files, and are told a process id of `PID_BYTES`.
"""

import argparse
import atexit
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from studio.sandbox.process import command

LARGEST = 1 << 20
PID_BYTES = 8


@cache
def fork_server(module: str) -> socket.socket:
    """Start `module` as the process from which others are forked; it ends with this one."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(  # noqa: S603  # our own interpreter, our own module
        command(module, "--fd", str(theirs.fileno())), pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def ask_for(server: socket.socket, environ: Mapping[str, str], files: Sequence[int], **more: str) -> int:
    """Have one forked with this environment, in the folder of this process; gives its id."""
    asked = {"environ": dict(environ), "folder": str(Path.cwd()), **more}
    socket.send_fds(server, [json.dumps(asked).encode() + b"\n"], files)
    return int.from_bytes(server.recv(PID_BYTES))


# ------------------------------------------------------------------------------ the process that is forked


def tests_of(argv: Sequence[str]) -> socket.socket:
    """The socket over which tests ask."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int)
    return socket.socket(fileno=parser.parse_args(argv).fd)


def asked_of(tests: socket.socket, most: int) -> tuple[dict[str, Any], list[int]] | None:
    """What is asked for next, with up to `most` files; None where nobody asks any more."""
    body, files, _, _ = socket.recv_fds(tests, LARGEST, most)
    while body and not body.endswith(b"\n"):
        body += tests.recv(LARGEST)
    return (json.loads(body), files) if body else None


def begin_anew(asked: Mapping[str, Any]) -> None:
    """Have what a new process has: its environment, its folder, its session and no signals of the old one."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.environ.clear()
    os.environ.update(asked["environ"])
    time.tzset()
    os.chdir(asked["folder"])
