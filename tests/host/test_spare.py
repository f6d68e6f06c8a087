"""The host that waits for the next run."""

import signal
import socket
import subprocess
import sys

import pytest

from studio.host.client import HostClient
from studio.host.spare import Spare

pytestmark = pytest.mark.process


def test_a_host_in_which_no_run_is_does_not_have_to_come_to_an_end_by_itself() -> None:
    ours, theirs = socket.socketpair()
    waits = f"import os; os.read({theirs.fileno()}, 1)"
    with theirs:
        process = subprocess.Popen([sys.executable, "-c", waits], pass_fds=(theirs.fileno(),))  # noqa: S603  # ours
    spare = Spare(lambda: HostClient(process, ours))
    spare.warm()
    spare.close()
    assert process.returncode == -signal.SIGKILL
