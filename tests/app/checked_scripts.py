"""Runs a drawn flow, and holds a script that was written by hand against the recording, in this process."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from studio.app.scripts import verification
from studio.app.scripts.check.differences import Unlike
from studio.app.scripts.check.play_messages import Played, recorded_from_json
from studio.app.scripts.check.player import Player
from studio.app.scripts.verification import Verified, verify_script
from studio.flow.records import Flow
from studio.ids import RunId
from studio.past.replays import OldRun
from studio.script.nodes import kinds_by_name
from studio.sdk.registry import Registry
from studio.trace.events import RunStarted
from studio.workspace.project import Project
from tests.runtime.bench import REGISTRY, Ran, run

HEAD = """\
from stepwire_kit import Flow, call, each, gather, region, rounds
{imports}

flow = Flow("A script")


@flow
"""


def recorded(
    flow: Flow, folder: Path, inputs: Mapping[str, Any] | None = None, *, rules: str = "", **more: Any
) -> Ran:
    """Run a drawn flow in a folder, on scripted answers."""
    answers = None
    if rules:
        answers = folder / "answers.yaml"
        answers.write_text(rules, "utf-8")
    return asyncio.run(run(flow, inputs, root=folder, script=answers, **more))


def checked(
    flow: Flow, ran: Ran, folder: Path, body: str, flows: Mapping[str, Flow] | None = None
) -> Verified:
    """Hold a script against a run; `body` is its function, under what it imports."""
    script = folder / "script.py"
    text = dedent(body).lstrip("\n")
    nodes = sorted(set(re.findall(r"\b(\w+)(?=\(|\.on\()", text)) & kinds_by_name().keys())
    imports = f"from stepwire_kit.nodes import {', '.join(nodes)}" if nodes else ""
    script.write_text(HEAD.format(imports=imports) + text, "utf-8")
    project = Project(folder, folder.name, (), folder / "flow.json", is_folder=False)
    started = next(one.event for one in ran.entries if isinstance(one.event, RunStarted))
    old = OldRun(RunId("bench"), project, started, ran.entries, flow, dict(flows or {}))
    return verified_here(script, old, flow, REGISTRY)


def verified_here(script: Path, old: OldRun, flow: Flow, registry: Registry) -> Verified:
    """Verify a script, and play it in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "_play", _played_here)
        return verify_script(script, old, flow, registry)


def _played_here(script: Path, told: bytes) -> Played:
    return Player(script, recorded_from_json(told)).play()


def first_difference(
    flow: Flow,
    folder: Path,
    body: str,
    inputs: Mapping[str, Any] | None = None,
    *,
    flows: Mapping[str, Flow] | None = None,
    rules: str = "",
    **more: Any,
) -> Unlike | None:
    """Run a flow and hold a script against it; gives the first difference."""
    ran = recorded(flow, folder, inputs, rules=rules, flows=flows, **more)
    return checked(flow, ran, folder, body, flows).difference
