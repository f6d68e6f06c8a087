"""Which process writes a run, and whether it still lives: a recycled process id does not count."""

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Owner:
    """A process: its id, and when it was born, in words that only equality is asked of."""

    pid: int
    born: str

    def is_alive(self) -> bool:
        """Tell whether this very process still runs."""
        return self.pid > 0 and self.born != "" and _birth(self.pid) == self.born

    def may_write(self, path: Path) -> bool:
        """Tell whether it still runs, and has not let go of this file."""
        return self.is_alive() and not (self.pid == os.getpid() and path in _let_go)


EXITING = 0x4
"""The kernel's mark of a process that has been killed, and is still giving back what it held."""

NOBODY = Owner(0, "")

_let_go: set[Path] = set()


def let_go(path: Path) -> None:
    """Remember that this process writes a file no more whose disk is too full to say so."""
    _let_go.add(path)


def take_up(path: Path) -> None:
    """Write a file again, or for the first time."""
    _let_go.discard(path)


def this_process() -> Owner:
    """Name the process that asks."""
    return _living(os.getpid())


@lru_cache(1)
def _living(pid: int) -> Owner:
    """Name the process of this id, that of who asks; it is born once."""
    return Owner(pid, _birth(pid))


def _birth(pid: int) -> str:
    """Say when a process was born; empty when there is none, or only the remains of one that is over."""
    return _linux_birth(pid) if sys.platform == "linux" else _posix_birth(pid)


def _linux_birth(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
    # The name of the program, in parentheses, may itself hold spaces and parentheses (proc(5)).
    fields = stat.rpartition(")")[2].split()
    state, flags, ticks = fields[0], int(fields[6]), fields[19]
    return "" if state in "ZX" or flags & EXITING else f"{boot}:{ticks}"


def _posix_birth(pid: int) -> str:
    command = ["/bin/ps", "-o", "state=,lstart=", "-p", str(pid)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603
    state, _, born = answer.partition(" ")
    return "" if state.startswith("Z") else born.strip()
