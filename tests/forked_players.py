"""Players of scripts for tests, forked from one process that has loaded what they and scripts load.

Each is a process of its own that is told what the product's is told, and ends as it does.
"""

import argparse
import atexit
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import Any

from studio.sandbox.process import command
from tests.forked_hosts import LARGEST, PID_BYTES

PLAYER = "studio.export.playing.player"
LOADED = ("openai", "openai.types.chat", "openai.resources.chat.completions")

_one_at_a_time = Lock()


def forked_player(
    arguments: Sequence[str],
    *,
    input: bytes,  # noqa: A002  # as `subprocess.run` calls it
    env: Mapping[str, str],
    timeout: float,
    **_rest: Any,
) -> "subprocess.CompletedProcess[bytes]":
    """Play a script; stands in for `subprocess.run` where the product starts a player."""
    assert arguments[-2] == PLAYER
    with TemporaryFile() as given, TemporaryFile() as told:
        given.write(input)
        given.seek(0)
        alive, mark = os.pipe()
        asked = {"environ": dict(env), "folder": str(Path.cwd()), "script": arguments[-1]}
        try:
            with _one_at_a_time:
                server = _server()
                files = [given.fileno(), told.fileno(), mark]
                socket.send_fds(server, [json.dumps(asked).encode() + b"\n"], files)
                os.close(mark)
                pid = int.from_bytes(server.recv(PID_BYTES))
            if not select.select([alive], [], [], timeout)[0]:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(list(arguments), timeout)
        finally:
            os.close(alive)
        told.seek(0)
        return subprocess.CompletedProcess(list(arguments), 0, told.read(), b"")


@cache
def _server() -> socket.socket:
    """Start the process from which players are forked; it ends with this one."""
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
    """Fork players until nobody asks any more."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int)
    tests = socket.socket(fileno=parser.parse_args(argv).fd)
    player = importlib.import_module(PLAYER)
    for name in LOADED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them here
    while True:
        body, files, _, _ = socket.recv_fds(tests, LARGEST, 3)
        while body and not body.endswith(b"\n"):
            body += tests.recv(LARGEST)
        if not body:
            return 0
        asked = json.loads(body)
        pid = os.fork()
        if not pid:
            tests.close()
            _begin(asked, files)
            player.main([asked["script"]])
            sys.stdout.flush()
            os._exit(0)
        for one in files:
            os.close(one)
        tests.send(pid.to_bytes(PID_BYTES))


def _begin(asked: Mapping[str, Any], files: Sequence[int]) -> None:
    """Have what a new process has; the third file stays open, so that its end is seen."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    for place, file in enumerate(files[:2]):
        os.dup2(file, place)
        os.close(file)
    os.environ.clear()
    os.environ.update(asked["environ"])
    os.chdir(asked["folder"])
