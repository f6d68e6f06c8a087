"""Players of scripts for tests, forked from one process that has loaded what they and scripts load.

Each is a process of its own that is told what the product's is told, and ends as it does.
"""

import importlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile
from threading import Lock
from typing import Any

from tests.fork_servers import PID_BYTES, ask_for, asked_of, begin_anew, fork_server, tests_of

PLAYER = "studio.app.script_check.player"
LOADED = ("openai",)

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
        try:
            with _one_at_a_time:
                files = [given.fileno(), told.fileno(), mark]
                pid = ask_for(fork_server(__name__), env, files, script=arguments[-1])
                os.close(mark)
            if not select.select([alive], [], [], timeout)[0]:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(list(arguments), timeout)
        finally:
            os.close(alive)
        told.seek(0)
        return subprocess.CompletedProcess(list(arguments), 0, told.read(), b"")


# ------------------------------------------------------------------------------ the process that is forked


def main(argv: Sequence[str]) -> int:
    """Fork players until nobody asks any more."""
    tests = tests_of(argv)
    player = importlib.import_module(PLAYER)
    for name in LOADED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them here
    while found := asked_of(tests, most=3):
        asked, files = found
        pid = os.fork()
        if not pid:
            tests.close()
            for place, file in enumerate(files[:2]):  # the third stays open, so that its end is seen
                os.dup2(file, place)
                os.close(file)
            begin_anew(asked)
            player.main([asked["script"]])
            sys.stdout.flush()
            os._exit(0)
        for one in files:
            os.close(one)
        tests.send(pid.to_bytes(PID_BYTES))
    return 0
