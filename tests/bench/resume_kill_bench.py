"""Runs that are killed: `python -m tests.bench.resume_kill_bench [KILLS] [SEED]`; one table.

`stepwire run` and `stepwire resume` are killed at random moments, until each run has come to its end: five
chats that each append a row, a map of six items, and an agent that writes files. The endpoint notes which
answers had left it before the kill; such an answer is not to be asked for again.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from studio.store.reader import RunStore
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunStatus
from tests.app.written_projects import write_project
from tests.bench.exact_endpoint import ExactEndpoint
from tests.documents import document

IN_DOUBT = 4
"""How `stepwire resume` ends where a person has to say whether something is to be done again."""

LONGEST = (0.4, 0.9)
"""Seconds after the first request of a process within which it is killed, in one run or another."""

NEARLY_AT_ONCE = 3
"""Milliseconds for which an answer is on its way to the file, or the bench to its note that it left."""

IN_A_ROW = 5
AT_ONCE = 6


@dataclass(slots=True)
class Tally:
    """What was seen in all runs together."""

    kills: int = 0
    in_course: int = 0
    """Kills that came when something had been asked, and the run was not over."""
    again: list[float] = field(default_factory=list[float])
    """Of each answer that was bought again, how many milliseconds before the kill it had left."""
    in_flight: int = 0
    asked_about: int = 0
    repeated: int = 0
    lost: int = 0
    runs: int = 0
    unequal: int = 0
    between: list[float] = field(default_factory=list[float])
    """Milliseconds from an answer to the next request, where steps follow one another."""


def flow(nodes: Mapping[str, Any], wires: list[str]) -> dict[str, Any]:
    """A flow file."""
    return document("Killed", nodes, *wires)


def in_a_row() -> dict[str, Any]:
    """Chats that follow one another, each with a row that is appended."""
    nodes: dict[str, Any] = {"word": {"kind": "text.text", "settings": {"text": "begin"}}}
    wires: list[str] = []
    before = "word.text"
    for number in range(IN_A_ROW):
        nodes[f"chat_{number}"] = {"kind": "llm.chat"}
        nodes[f"append_{number}"] = {"kind": "io.append_row", "settings": {"file": "out/rows.jsonl"}}
        wires += [f"{before} -> chat_{number}.prompt", f"chat_{number}.reply -> append_{number}.row"]
        if number:
            wires.append(f"append_{number - 1}.file -> chat_{number}.after[0]")
        before = f"chat_{number}.reply"
    nodes["out"] = {"kind": "io.flow_output"}
    return flow(nodes, [*wires, f"{before} -> out.value"])


def at_once() -> dict[str, Any]:
    """A map of chats."""
    nodes = {
        "words": {"kind": "value.json", "settings": {"value": [f"word {n}" for n in range(AT_ONCE)]}},
        "each": {"kind": "control.for_each", "settings": {"at_once": AT_ONCE}},
        "first": {"kind": "llm.chat"},
        "second": {"kind": "llm.chat"},
        "append": {"kind": "io.append_row", "settings": {"file": "out/rows.jsonl"}},
        "all": {"kind": "control.collect"},
        "out": {"kind": "io.flow_output"},
    }
    return flow(
        nodes,
        [
            "words.value -> each.items",
            "each.item -> first.prompt",
            "first.reply -> second.prompt",
            "second.reply -> append.row",
            "second.reply -> all.value",
            "all.values -> out.value",
        ],
    )


def agent() -> dict[str, Any]:
    """An agent with a folder."""
    nodes = {
        "word": {"kind": "text.text", "settings": {"text": "Write what you know."}},
        "folder": {"kind": "tools.files", "settings": {"folder": "out", "write": True}},
        "writer": {"kind": "llm.agent"},
        "out": {"kind": "io.flow_output"},
    }
    wires = ["word.text -> writer.prompt", "folder.tool -> writer.tools", "writer.reply -> out.value"]
    return flow(nodes, wires)


FLOWS = {"five in a row": in_a_row, "six at once": at_once, "an agent": agent}


class Killer:
    """Runs one flow to its end, again and again, killed on the way."""

    def __init__(self, kind: str, folder: Path, dice: random.Random, tally: Tally) -> None:
        self._endpoint = ExactEndpoint()
        self._dice = dice
        self._tally = tally
        self._kind = kind
        self._folder = folder
        self.command = [sys.executable, "-m", "studio"]
        self.environ = {**os.environ, "OPENAI_API_KEY": "x", "STEPWIRE_CONFIG": str(folder / "config")}
        self._expected: Mapping[str, Shown] = {}
        self._lines = Counter[str]()

    def undisturbed(self) -> None:
        """Run once without a kill: what it gives is what every other run is to give."""
        project = self._project("whole")
        self._one(["run", str(project), "--json"], None)
        store = RunStore(project / ".stepwire")
        self._expected, self._lines = store.load(store.runs()[0].run).outputs, self._written(project)
        if self._kind == "five in a row":
            pairs = pairwise(self._endpoint.asked)
            self._tally.between += [(after.at - before.answered) * 1000 for before, after in pairs]

    def run(self, kills: int) -> None:
        """One run, killed so many times at most on its way."""
        project = self._project(f"run_{self._tally.runs}")
        self._tally.runs += 1
        known, doubts = len(self._endpoint.asked), 0
        arguments = ["run", str(project), "--json"]
        paid: dict[str, float] = {}
        left, longest = kills, self._dice.choice(LONGEST)
        while True:
            code, killed = self._one(arguments, self._dice.uniform(0, longest) if left > 0 else None)
            store = RunStore(project / ".stepwire")
            stored = store.runs()
            over = bool(stored) and stored[0].status is RunStatus.FINISHED
            asked, known = self._endpoint.asked[known:], len(self._endpoint.asked)
            self._tally.again += [paid[one.what] for one in asked if one.what in paid]
            if killed:
                left -= 1
                self._tally.kills += 1
                self._tally.in_course += not over
                self._tally.in_flight += sum(not one.answered or one.answered > killed for one in asked)
            for one in asked:
                if one.answered and (not killed or one.answered < killed):
                    paid[one.what] = ((killed or one.answered) - one.answered) * 1000
            if not stored:
                continue
            if over:
                outputs = store.load(stored[0].run).outputs
                break
            arguments = ["resume", stored[0].run, "--project", str(project), "--json"]
            if code == IN_DOUBT:
                doubts += 1
                arguments.append("--repeat-in-doubt")
        self._tally.asked_about += doubts
        self._tally.unequal += outputs != self._expected
        written = self._written(project)
        self._tally.lost += sum((self._lines - written).values())
        self._tally.repeated += max(0, sum((written - self._lines).values()) - doubts)
        shutil.rmtree(project)

    def _one(self, arguments: list[str], after: float | None) -> tuple[int, float]:
        """One process; with `after`, killed so many seconds after its first request. Gives when it was."""
        known = len(self._endpoint.asked)
        process = subprocess.Popen(  # noqa: S603
            [*self.command, *arguments],
            env=self.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        killed = 0.0
        if after is not None:
            while len(self._endpoint.asked) == known and process.poll() is None:
                time.sleep(0.001)
            try:
                process.wait(after)
            except subprocess.TimeoutExpired:
                killed = time.monotonic()
                process.kill()
        _, told = process.communicate()
        if process.returncode not in {0, IN_DOUBT, -9}:  # else something is wrong with the bench
            raise AssertionError((arguments, told))
        return process.returncode, killed

    def _project(self, name: str) -> Path:
        profile = {"base_url": self._endpoint.base_url, "llm": "exact"}
        chat = {"default": "exact", "profiles": {"exact": profile}}
        return write_project(self._folder / name, flow=FLOWS[self._kind](), chat=chat)

    @staticmethod
    def _written(project: Path) -> Counter[str]:
        files = sorted((project / "out").glob("*")) if (project / "out").exists() else []
        return Counter(line for file in files for line in file.read_text().splitlines())


def main() -> None:
    """Kill runs, and print what was bought and done again."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    dice = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)  # noqa: S311
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        killers = [Killer(kind, place / kind.replace(" ", "_"), dice, tally) for kind in FLOWS]
        for killer in killers:
            killer.undisturbed()
        while tally.kills < kills:
            for killer in killers:
                killer.run(dice.randint(1, 4))

    def per(kills: int) -> str:
        return f"{len(tally.again) / kills * 100:.1f}"

    told = {
        f"kills, of {tally.runs} runs": tally.kills,
        "of these while a run was on its course": tally.in_course,
        "answers bought again that had left before the kill": len(tally.again),
        "the same per 100 kills; per 100 on its course": f"{per(tally.kills)}; {per(tally.in_course)}",
        "of these more than 3 ms before": sum(one > NEARLY_AT_ONCE for one in tally.again),
        "by so many milliseconds": ", ".join(f"{one:.1f}" for one in sorted(tally.again)) or "-",
        "requests under way at the kill": tally.in_flight,
        "questions whether something is to be done again": tally.asked_about,
        "lines written again unasked": tally.repeated,
        "lines lost": tally.lost,
        "outputs that differ": tally.unequal,
        "from an answer to the next request, ms, median": f"{statistics.median(tally.between):.1f}",
    }
    for what, found in told.items():
        print(f"| {what} | {found} |")  # noqa: T201


if __name__ == "__main__":
    main()
