"""Whether a process goes on; and ends one with all that it started, wherever that stands."""

import os
import signal
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROCESSES = Path("/proc")


def is_alive(process: int) -> bool:
    """Whether there is a process of this number, be it ours or somebody else's."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def end_tree(root: int) -> None:
    """Kill a process of ours, and all that it and these have started; none of them is asked."""
    _send(root, signal.SIGSTOP)  # so that it starts nothing more meanwhile
    children: dict[int, list[int]] = defaultdict(list)
    for process, parent in _parents():
        children[parent].append(process)
    tree = [root]
    for process in tree:
        tree += children[process]
    for process in tree:
        _send(process, signal.SIGKILL)


def _parents() -> Iterator[tuple[int, int]]:
    """Each process of the system with its parent."""
    if not PROCESSES.is_dir():
        listed = subprocess.run(["/bin/ps", "-Ao", "pid=,ppid="], capture_output=True, text=True, check=False)
        for line in listed.stdout.splitlines():
            process, parent = line.split()
            yield int(process), int(parent)
        return
    for folder in PROCESSES.iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):  # it has ended meanwhile
                stat = (folder / "stat").read_bytes()
                # The name of the program, in parentheses, may itself hold spaces and parentheses (proc(5)).
                yield int(folder.name), int(stat.rpartition(b")")[2].split()[1])


def _send(process: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)
