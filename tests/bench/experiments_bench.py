"""Experiments: `python -m tests.bench.experiments_bench [TRIALS] [--workers N…] [--more STEPS] [--peer]`.

A flow of five steps, two of them chats, under simulated solvers, each trial stored and scored by a check. For
each number of worker processes: trials a second, CPU a trial of this process and of the workers, how much
memory this process takes at a tenth and at the end, what a trial has on the disk, and how long the table
takes to be opened: its first page, an order by score, and its counts.

A worker is watched from a fifth of the trials to the end: for which part of the time it ran, waited for a
core that others had, and had nothing to do. On a machine with other work, the trials a second that it would
have done on a core of its own tell what workers gain, and the clock does not. `--more` adds so many steps
that compute, and a number of workers may be named several times, to be measured in turn.

With `--peer` Inspect AI runs as many samples of two calls each, its mock model answering, in an environment
of its own, storing its log; both run in turn.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from studio.experiments.opening import OpenExperiment
from studio.experiments.running import Progress, run_experiment
from studio.experiments.trial_index import write_index
from studio.experiments.trial_pages import TrialPages, Wanted
from studio.experiments.trial_store import TrialStore
from studio.experiments.workers import Workers
from tests.app.written_projects import write_flow
from tests.bench.engine.environments import Peer
from tests.documents import document
from tests.experiments.builders import experiment_project, opened

ROWS = 200
PEER = Peer("Inspect AI", ("inspect-ai",), "inspect_worker.py")


def project(root: Path, trials: int, more: int = 0) -> OpenExperiment:
    """Write rows and a flow of five steps, with as many repeats as the trials take; the check is a scorer."""
    rows = min(ROWS, trials)
    path = experiment_project(
        root, rows, variants={"five": {"flow": "five.json"}}, repeats=max(trials // rows, 1)
    )
    write_flow(root / "five.json", five_steps(more))
    return opened(path)


def five_steps(more: int = 0) -> Mapping[str, Any]:
    """A prompt, a chat, what it said made into another prompt, a second chat, and its answer trimmed.

    So many more steps, each with the answer again, come before its end.
    """

    def chat(name: str) -> Mapping[str, Any]:
        return {"kind": "llm.chat", "title": name.title(), "settings": {"instructions": f"You are {name}."}}

    chain = ["short", *(f"more_{at}" for at in range(more))]

    def text(template: str) -> Mapping[str, Any]:
        return {"kind": "text.template", "settings": {"template": template}}

    return document(
        "Five steps",
        {
            "question": {"kind": "io.flow_input", "title": "Question"},
            "asked": text("{{ question }} Say it in one word."),
            "first": chat("first"),
            "again": text("{{ question }} Somebody said {{ said }}."),
            "second": chat("second"),
            "short": {"kind": "value.formula", "settings": {"formula": "said"}},
            **{
                f"more_{at}": {"kind": "value.formula", "settings": {"formula": "said"}} for at in range(more)
            },
            "answer": {"kind": "io.flow_output", "title": "Answer"},
        },
        "question.value -> asked.question",
        "question.value -> again.question",
        "asked.text -> first.prompt",
        "first.reply -> again.said",
        "again.text -> second.prompt",
        "second.reply -> short.said",
        *(f"{one}.value -> {other}.said" for one, other in pairwise(chain)),
        f"{chain[-1]}.value -> answer.value",
    )


def used(who: int) -> float:
    """Seconds of CPU."""
    found = resource.getrusage(who)
    return found.ru_utime + found.ru_stime


def resident() -> float:
    """Megabytes that this process has now."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Watched(NamedTuple):
    """When a process was looked at, and the seconds that it ran, and waited for a core, until then."""

    at: float
    ran: float
    waited: float

    @classmethod
    def now(cls, pid: int) -> "Watched":
        ran, waited, _ = Path(f"/proc/{pid}/schedstat").read_text("ascii").split()
        return cls(time.monotonic(), int(ran) / 1e9, int(waited) / 1e9)


def parts(begun: Mapping[int, Watched], ended: Mapping[int, Watched], trials: float) -> Mapping[str, float]:
    """Tell for which part of the time workers ran, waited and were idle; and what cores of their own gave."""
    wall = sum(ended[pid].at - one.at for pid, one in begun.items())
    ran = sum(ended[pid].ran - one.ran for pid, one in begun.items())
    waited = sum(ended[pid].waited - one.waited for pid, one in begun.items())
    idle = max(wall - ran - waited, 0.0)
    return {
        "workers ran, %": 100 * ran / wall,
        "waited for a core, %": 100 * waited / wall,
        "idle, %": 100 * idle / wall,
        "a second, cores of their own": trials / ((ran + idle) / len(begun)),
    }


def ours(trials: int, workers: int, folder: Path, more: int) -> Mapping[str, float]:
    """Run all trials, and open their table."""
    one = project(folder / "p", trials, more)
    sizes: dict[str, float] = {}
    executor = Workers(workers)
    begun: dict[int, Watched] = {}
    ended: dict[int, Watched] = {}
    counted: list[int] = []

    def watch(told: Progress) -> None:
        if told.done in (told.total // 5, told.total):
            (ended if begun else begun).update({pid: Watched.now(pid) for pid in executor.pids})
            counted.append(told.done)
        for name, share in (("tenth", 0.1), ("end", 1.0)):
            if name not in sizes and told.done >= share * told.total:
                sizes[name] = resident()

    before = time.monotonic(), used(resource.RUSAGE_SELF), used(resource.RUSAGE_CHILDREN)
    with TrialStore(one.project, one.name) as store:
        table = run_experiment(one, store, executor, on_progress=watch)
    seconds, here, there = (
        now - then
        for now, then in zip(
            (time.monotonic(), used(resource.RUSAGE_SELF), used(resource.RUSAGE_CHILDREN)),
            before,
            strict=True,
        )
    )
    count = table.ran
    disk = sum(path.stat().st_size for path in one.project.private.rglob("*") if path.is_file())
    write_index(one)
    began = time.process_time()
    with TrialPages(one.project, one.name) as pages:
        pages.page(pages.places(Wanted())[:50], "right")
        page = time.process_time() - began
        pages.places(Wanted(scorer="right", sort=0))
        ordered = time.process_time() - began - page
        over, _ = pages.counts()
    if over != count:
        raise RuntimeError((over, count))
    return {
        "a second": count / seconds,
        "seconds": seconds,
        **parts(begun, ended, counted[-1] - counted[0]),
        "CPU a trial here, ms": 1000 * here / count,
        "CPU a trial in workers, ms": 1000 * there / count,
        "MB here at a tenth": sizes.get("tenth", 0),
        "MB here at the end": sizes.get("end", 0),
        "KB a trial on the disk": disk / count / 1000,
        "first page, s CPU": page,
        "by score, s CPU": ordered,
        "all opened, s CPU": time.process_time() - began,
    }


def inspect(trials: int, folder: Path, at_once: int) -> Mapping[str, float]:
    """Run as many samples in Inspect AI."""
    rows = min(ROWS, trials)
    ran = subprocess.run(  # noqa: S603
        [*PEER.command, str(rows), str(trials // rows), str(folder), str(at_once)],
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        sys.exit(ran.stderr)
    found = json.loads(ran.stdout.splitlines()[-1])
    count = rows * (trials // rows)
    return {
        "a second": count / found["seconds"],
        "seconds": found["seconds"],
        "CPU a trial, ms": 1000 * found["cpu"] / count,
    }


def main() -> None:
    """Print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", nargs="?", type=int, default=2000)
    parser.add_argument("--workers", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--more", type=int, default=0)
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--keep", type=Path)
    wanted = parser.parse_args()
    if wanted.peer:
        PEER.install()
    for workers in wanted.workers:
        folder = wanted.keep or Path(tempfile.mkdtemp(prefix="stepwire-bench-"))
        load = os.getloadavg()[0]
        print(f"\nours, {workers} workers, load {load:.1f}", flush=True)  # noqa: T201
        for name, value in ours(wanted.trials, workers, folder, wanted.more).items():
            print(f"  {name:30} {value:10.3f}", flush=True)  # noqa: T201
        if not wanted.keep:
            shutil.rmtree(folder)
        if wanted.peer:
            print(f"{PEER.name} {PEER.version}, load {os.getloadavg()[0]:.1f}", flush=True)  # noqa: T201
            with tempfile.TemporaryDirectory() as logs:
                for name, value in inspect(wanted.trials, Path(logs), 50).items():
                    print(f"  {name:30} {value:10.3f}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
