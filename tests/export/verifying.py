"""Runs a flow, exports it, and plays the script against the recording."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from studio.app.verification import Verified, verify_script
from studio.flow.calls import GivenFlows
from studio.flow.records import Flow
from studio.ids import RunId
from studio.past.replays import OldRun
from studio.trace.events import RunStarted
from studio.workspace.project import Project
from tests.export.scripts import export
from tests.runtime.bench import REGISTRY, Ran, run

Edit = Callable[[str], str]


def as_it_is(text: str) -> str:
    """Change nothing."""
    return text


def edited(old: str, new: str) -> Edit:
    """Change a script by hand."""

    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return edit


def verify(
    flow: Flow,
    ran: Ran,
    folder: Path,
    edit: Edit = as_it_is,
    flows: Mapping[str, Flow] | None = None,
    ran_flow: Flow | None = None,
) -> Verified:
    """Play the script of a flow against a run, of that flow unless said otherwise."""
    script = folder / "script.py"
    script.unlink(missing_ok=True)  # an edited one would be kept
    script.write_text(edit(export(flow, script, flows)), "utf-8")
    started = next(one.event for one in ran.entries if isinstance(one.event, RunStarted))
    project = Project(folder, folder.name, (), folder / "flow.json", is_folder=False)
    old = OldRun(RunId("bench"), project, started, ran.entries, ran_flow or flow, dict(flows or {}))
    registry = REGISTRY.with_flows(GivenFlows(flows)) if flows else REGISTRY
    return verify_script(script, old, flow, registry)


def verified(
    flow: Flow,
    folder: Path,
    inputs: Mapping[str, Any] | None = None,
    *,
    edit: Edit = as_it_is,
    rules: str = "",
    flows: Mapping[str, Flow] | None = None,
    **more: Any,
) -> Verified:
    """Run a flow in a folder beside that of its script, and play the script against that."""
    home, away = folder / "home", folder / "away"
    away.mkdir(exist_ok=True)
    home.mkdir(exist_ok=True)
    answers = None
    if rules:
        answers = folder / "answers.yaml"
        answers.write_text(rules, "utf-8")
    ran = asyncio.run(run(flow, inputs, root=home, script=answers, flows=flows, **more))
    return verify(flow, ran, away, edit, flows)
