"""Experiments run as the command line runs them, on files below a folder of the test."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.experiments.executors import Executor, InProcess
from studio.experiments.running import run_experiment
from studio.experiments.table import Table
from studio.experiments.trial_store import TrialStore
from tests.documents import document
from tests.experiments.builders import experiment_project, opened, write_experiment


def run(path: Path, executor: Executor | None = None, **wishes: Any) -> Table:
    """Open an experiment and run what is left of it."""
    one = opened(path)
    with TrialStore(one.project, one.name) as store:
        return run_experiment(one, store, executor or InProcess({}), **wishes)


def scores_of(table: Table) -> Mapping[object, object]:
    """The scores of all cells, whatever their runs are called."""
    return {
        cell[:3]: score.score if (score := table.scores.get((cell.key, "right"))) else None
        for cell in table.cells
    }


JUDGE = {"flow": "judging.json", "chat": "here", "given": {"said": "outputs.answer"}}
"""A scorer that asks, and so is paid for as well."""


def judged_project(
    root: Path,
    url: str,
    count: int = 2,
    scorers: Mapping[str, Any] | None = None,
    llm: str = "nameless",
    judges: Sequence[str] = ("You judge.",),
) -> Path:
    """Write the experiment that asks an endpoint twice in turn, with judges in turn that ask it as well."""
    asking_project(root, url, count, llm)
    names = [f"judge{at}" for at in range(len(judges))]
    nodes: dict[str, Any] = {
        "said": {"kind": "io.flow_input"},
        "good": {"kind": "value.formula", "settings": {"formula": "len(verdict) / 40"}},
        "score": {"kind": "io.flow_output"},
    }
    for name, instructions in zip(names, judges, strict=True):
        nodes[name] = {"kind": "llm.chat", "settings": {"instructions": instructions}}
    chain = ["said.value", *(f"{name}.reply" for name in names)]
    wires = [f"{one} -> {name}.prompt" for one, name in zip(chain, names, strict=False)]
    wires += [f"{chain[-1]} -> good.verdict", "good.value -> score.value"]
    flow = document("Judge", nodes, *wires)
    (root / "judging.json").write_text(json.dumps(flow), "utf-8")
    scorers = {**(scorers or {}), "good": JUDGE}
    return write_experiment(root, chat="here", variants={"twice": {"flow": "twice.json"}}, scorers=scorers)


def asking_project(root: Path, url: str, count: int = 2, llm: str = "nameless", **different: Any) -> Path:
    """Write the experiment with a flow of two chats in turn that asks an endpoint on this machine."""
    variants = {"twice": {"flow": "twice.json"}}
    path = experiment_project(root, count, chat="here", variants=variants, **different)
    text = (root / "project.json").read_text("utf-8")
    profile = f'"here": {{"base_url": "{url}", "llm": "{llm}"}}, "solvers"'
    (root / "project.json").write_text(text.replace('"solvers"', profile, 1), "utf-8")
    return path
