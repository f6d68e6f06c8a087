"""A project of solvers with an experiment: one agent beside a vote of three, on the problems of its file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studio.experiments.opening import OpenExperiment, open_experiment
from studio.workspace.project import Project
from tests.app.solving import solving_project

RIGHT: Mapping[str, Any] = {
    "check": "check.score",
    "settings": {"by": "exact"},
    "given": {"value": "outputs.answer", "wanted": "row.answer"},
}

VOTING: Mapping[str, Any] = {
    "dataset": {"file": "data/problems.jsonl"},
    "variants": {"alone": {"flow": "flow.json"}, "voting": {"flow": "voting.json"}},
    "chat": "solvers",
    "scorers": {"right": RIGHT},
}


def write_experiment(root: Path, name: str = "trial", **different: Any) -> Path:
    """Write `experiments/NAME.json`; keywords replace what `VOTING` says, None takes it out."""
    document = {"format": "stepwire.experiment", "version": 1, **VOTING, **different}
    path = root / "experiments" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    kept = {key: one for key, one in document.items() if one is not None}
    path.write_text(json.dumps(kept, indent=2), "utf-8")
    return path


def experiment_project(
    root: Path, count: int = 10, solver: Mapping[str, Any] | None = None, **different: Any
) -> Path:
    """Write a project with solvers and the experiment `trial`; gives the experiment's file."""
    solving_project(root, count, **(solver or {}))
    return write_experiment(root, **different)


def opened(path: Path) -> OpenExperiment:
    """Open an experiment as the command line does, with nothing in the environment."""
    return open_experiment(Project.open(path.parent.parent), path, {})
