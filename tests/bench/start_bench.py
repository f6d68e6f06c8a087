"""How long it takes to begin: `python -m tests.bench.start_bench [ROUNDS] [--size]`.

Whole processes, in seconds of the processor (user and system, what they start included), median of the
rounds, one after the other in turn, beside a bare Python; LangGraph's import where the environment of the
engine's bench is there. With --size, the studio is installed into an environment of its own, and weighed.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from studio.app.scripts.kit_wheel import write_kit
from studio.flow.files.codec import dumps
from tests.bench.engine.environments import PEERS
from tests.runtime.bench import flow_of

ROUNDS = 7
ROOT = Path(__file__).parents[2]
STEPWIRE = (sys.executable, "-m", "studio")
LOADED = "import stepwire_kit as kit; kit.run_sync; kit.load('projects/field_notes')"
ANSWERS = "rules: [{reply: 'So be it.'}]"


def main() -> None:
    """Print the table."""
    numbers = [int(one) for one in sys.argv[1:] if one.isdigit()]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        three = _written(root / "three.json", "text.template", {"template": "Asked: {{prompt}}"}, "text")
        chat = _written(root / "chat.json", "llm.chat", {}, "reply")
        (root / "answers.yaml").write_text(ANSWERS, "utf-8")
        command = [*STEPWIRE, "answer-server", str(root / "answers.yaml")]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            told = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "a-key", "OPENAI_MODEL": "m"}
            told["STEPWIRE_TRUSTED_URLS"] = f"OPENAI_API_KEY={url}"
            told["STEPWIRE_CONFIG"] = str(root / "config")
            try:
                _table(_cases(three, chat), {**os.environ, **told}, (numbers or [ROUNDS])[0])
            finally:
                server.terminate()
    if "--size" in sys.argv:
        print(f"installed without extras: {_installed_size(ROOT):.0f} MB")  # noqa: T201
        with tempfile.TemporaryDirectory() as wheels:
            print(f"the kit without extras: {_installed_size(write_kit(Path(wheels))):.0f} MB")  # noqa: T201


def _cases(three: Path, chat: Path) -> dict[str, Sequence[str]]:
    given = ("--input", "question=1")
    cases: dict[str, Sequence[str]] = {
        "bare python": (sys.executable, "-c", "pass"),
        "stepwire --version": (*STEPWIRE, "--version"),
        "stepwire check, three nodes": (*STEPWIRE, "check", str(three)),
        "stepwire run, three nodes": (*STEPWIRE, "run", str(three), *given),
        "stepwire run, one chat": (*STEPWIRE, "run", str(chat), *given, "--chat", "openai"),
        "import of runtime and store": (
            sys.executable,
            "-c",
            "import studio.runtime.run, studio.store.run_files.writer",
        ),
        "import of the kit, ready to run": (
            sys.executable,
            "-c",
            "import stepwire_kit; stepwire_kit.load; stepwire_kit.run_sync",
        ),
        "the same, and a flow loaded": (sys.executable, "-c", LOADED),
        "import of openai": (sys.executable, "-c", "import openai"),
    }
    peer = next(one for one in PEERS if one.name == "LangGraph")
    if peer.python.exists():
        cases["import of LangGraph"] = (str(peer.python), "-c", "import langgraph.graph")
    return cases


def _table(cases: dict[str, Sequence[str]], environ: dict[str, str], rounds: int) -> None:
    spent: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds + 1):
        for name, command in cases.items():
            spent[name].append(_cpu(command, environ))
    bare = statistics.median(spent["bare python"][1:])
    for name, all_of_it in spent.items():
        median = statistics.median(all_of_it[1:])  # the first compiles what is not compiled yet
        print(f"{name:<32}{median:>8.3f} s{median / bare:>8.1f} x")  # noqa: T201


def _cpu(command: Sequence[str], environ: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _written(path: Path, kind: str, settings: dict[str, Any], output: str) -> Path:
    nodes = {"question": "io.flow_input", "work": (kind, settings), "answer": "io.flow_output"}
    wires = ["question.value -> work.prompt", f"work.{output} -> answer.value"]
    path.write_text(dumps(flow_of(nodes, wires)), "utf-8")
    return path


def _installed_size(what: Path) -> float:
    """Megabytes of a new environment with this in it, without compiled files, less what an empty one has."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        before = _size(Path(folder))
        command = [f"{folder}/bin/python", "-m", "pip", "install", "--quiet", "--no-compile", str(what)]
        subprocess.run(command, check=True)  # noqa: S603
        return (_size(Path(folder)) - before) / 1e6


def _size(folder: Path) -> int:
    return sum(one.lstat().st_size for one in folder.rglob("*") if not one.is_dir())


if __name__ == "__main__":
    main()
