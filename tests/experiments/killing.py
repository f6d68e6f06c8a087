"""An experiment whose processes are killed until it is whole; the endpoint notes what was asked."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from studio.experiments.executors import InProcess
from studio.experiments.table import Table, table_of
from tests.bench.exact_endpoint import ExactEndpoint
from tests.experiments.builders import RIGHT, opened
from tests.experiments.running import judged_project, run
from tests.patience import patience

CALLS = 3
"""What each trial asks: twice in its flow, and once by its judge."""


def killable_project(root: Path, endpoint: ExactEndpoint, rows: int) -> Path:
    """Write an experiment of so many trials, in each of which three answers are bought."""
    return judged_project(root, endpoint.base_url, rows, {"right": RIGHT}, llm="gpt-4o-mini")


class _Kill(NamedTuple):
    """When a process was killed, and when the last of those ended that it had started."""

    at: float
    until: float


@dataclass(slots=True)
class Tally:
    """What was seen; `again` has how many milliseconds before a kill an answer left that was bought again."""

    kills: int = 0
    of_parents: int = 0
    trials: int = 0
    again: list[float] = field(default_factory=list[float])
    bought_twice: int = 0
    """Trials whose answers were all bought again."""
    lost: int = 0
    """Trials that the table has not."""
    unequal: int = 0
    """Trials that differ from those of an experiment that nobody killed."""
    orphans: int = 0
    """Workers that outlived their parent."""


def kill_until_whole(
    folder: Path, rows: int, kills: int, dice: random.Random, environ: Mapping[str, str], tally: Tally
) -> None:
    """Run an experiment, kill its processes so many times on the way, and add what was seen."""
    endpoint = ExactEndpoint()
    expected = run(killable_project(folder / "calm", endpoint, rows), InProcess({}, at_once=1))
    calm = len(endpoint.asked)
    path = killable_project(folder / "killed", endpoint, rows)
    times: list[_Kill] = []
    while True:
        seen = len(endpoint.asked)
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "studio", "eval", str(path), "--workers", "2", "--json"],
            env=dict(environ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        while len(times) < kills and process.poll() is None:
            if not _has_asked(endpoint, seen, process):
                continue
            with suppress(subprocess.TimeoutExpired):
                process.wait(dice.uniform(0, 0.6))
            workers = children_of(process.pid)
            if process.poll() is not None or not workers:
                continue
            seen = len(endpoint.asked)
            is_parent = dice.random() < 0.5
            at = time.monotonic()
            with suppress(ProcessLookupError):
                os.kill(process.pid if is_parent else dice.choice(workers), signal.SIGKILL)
            if is_parent:
                process.wait()
                tally.of_parents += 1
                tally.orphans += len(outliving(workers))
                times.append(_Kill(at, time.monotonic()))
                break
            times.append(_Kill(at, at))
        _, told = process.communicate()
        if process.returncode == 0:
            break
        if process.returncode != -signal.SIGKILL:
            raise AssertionError(told.decode())
    tally.kills += len(times)
    _compare(tally, expected, opened_table(path))
    _count_again(tally, endpoint, calm, times)


def opened_table(path: Path) -> Table:
    """Open an experiment's table as it is stored."""
    return table_of(opened(path))


def children_of(pid: int) -> list[int]:
    """The processes that a process has started, and these in turn."""
    with suppress(OSError):
        told = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
        return [one for child in map(int, told) for one in (child, *children_of(child))]
    return []


def outliving(pids: Sequence[int]) -> list[int]:
    """Those that are still there after a while."""
    deadline = time.monotonic() + patience(10)
    left = list(pids)
    while left and time.monotonic() < deadline:
        left = [one for one in left if Path(f"/proc/{one}").exists() and _state(one) != "Z"]
        time.sleep(0.01)
    return left


def _state(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    return "Z"


def _has_asked(endpoint: ExactEndpoint, seen: int, process: subprocess.Popen[bytes]) -> bool:
    """Wait until something more was asked, so that kills come while there is something to lose."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(0.002)
    return len(endpoint.asked) > seen


def _compare(tally: Tally, expected: Table, found: Table) -> None:
    def said(table: Table, key: str) -> object:
        trial = table.trials[key]
        scores = {name: table.scores[key, name]._replace(run="") for name in ("right", "good")}
        return replace(trial, run="", seconds=0.0), scores

    for cell, other in zip(expected.cells, found.cells, strict=True):
        tally.trials += 1
        if found.trial(other) is None:
            tally.lost += 1
        else:
            known = said(expected, cell.key)
            tally.unequal += _without_key(known) != _without_key(said(found, other.key))


def _without_key(said: Any) -> object:
    trial, scores = said
    return replace(trial, key=""), scores


def _count_again(tally: Tally, endpoint: ExactEndpoint, calm: int, times: Sequence[_Kill]) -> None:
    """Find what was asked again though its answer had left, and how long before a kill that was."""
    first = {one.what: place for place, one in enumerate(endpoint.asked[:calm])}
    answered: dict[str, float] = {}
    again: dict[int, int] = {}
    for one in endpoint.asked[calm:]:
        if (left := answered.get(one.what)) is not None:
            between = [kill.at for kill in times if left < kill.at <= one.at]
            tally.again.append((between[0] - left) * 1000 if between else float("inf"))
            again[first[one.what]] = again.get(first[one.what], 0) + 1
        if one.answered and not any(one.at <= kill.until and kill.at <= one.answered for kill in times):
            answered[one.what] = one.answered  # else nobody may have been there any more to take it
    tally.bought_twice += sum(1 for count in _by_trial(again).values() if count >= CALLS)


def _by_trial(again: Mapping[int, int]) -> dict[int, int]:
    """Sum up by trial; in a calm run of one trial at a time, its answers follow one another."""
    found: dict[int, int] = {}
    for place, count in again.items():
        found[place // CALLS] = found.get(place // CALLS, 0) + count
    return found
