"""Every flow of `projects/` does as a script what it does as it is drawn, on its scripted answers."""

import asyncio
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest

from studio import places
from studio.host.recorded_run import RunMaterials, run_recorded
from studio.ids import NodeId
from studio.kit import Tools
from studio.runtime.calls import draws
from studio.runtime.gates.debug_gate import OpenGate
from studio.runtime.resources.people import NoPeople
from studio.sandbox.wasm import WasmBox
from studio.script.execution import new_run
from studio.trace.events import Entry
from studio.workspace.catalog import builtin_registry
from studio.workspace.problems import read_flow
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare
from tests import examples
from tests.export.equality import Both, loaded
from tests.export.gallery import FLOWS, NAMES, exported
from tests.projects.running import IGNORED
from tests.runtime.bench import Ran
from tests.trusted import HERE


class StandingClock(datetime):
    """A day that does not go on: what is remembered is as old, drawn or in a script."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "StandingClock":
        """Give the moment."""
        return cls(2026, 5, 1, 12, tzinfo=tz)


@pytest.fixture(autouse=True)
def _clock_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "datetime", StandingClock)


@pytest.fixture(scope="module")
def loop_with_box() -> Iterator[tuple[asyncio.Runner, WasmBox]]:
    """A loop for all runs, and a sandbox in it, whose processes take longer to start than most runs."""
    with asyncio.Runner() as runner:
        box = WasmBox()
        yield runner, box
        runner.run(box.close())


@dataclass(frozen=True)
class Played:
    """A run, and the files that it wrote."""

    ran: Ran
    written: Mapping[str, bytes]


async def played(path: Path, into: Path, box: WasmBox, *, is_script: bool) -> Played:
    """Run a flow in a copy of its project, drawn or as its script, by the same chance."""
    home = Path(shutil.copytree(path.parent, into / path.parent.name, ignore=IGNORED))
    drawn = read_flow(home / path.name).flow
    asked = [str(name) for name, node in drawn.nodes.items() if node.kind == "io.flow_input"]
    given = {name: "x" for name in asked if drawn.nodes[NodeId(name)].settings.get("default") is None}
    if is_script:
        script = home / "script.py"
        script.write_text(exported(path).text, "utf-8")
        flow = loaded(exported(path).text, script)
        materials = new_run(flow, given, Tools(is_offline=True, environ=HERE, seed=1), is_kept=False)
    else:
        project = Project.open(home / path.name)
        registry = project_registry(project, builtin_registry())
        told: dict[str, Any] = {"offline": True, "pace": 0, "is_kept": False, "seed": 1}
        materials = prepare(project, drawn, registry, environ=HERE, inputs=given, **told)
    before = files_of(home)
    ran = await over(materials, box)
    return Played(ran, {name: text for name, text in files_of(home).items() if before.get(name) != text})


async def over(materials: RunMaterials, box: WasmBox) -> Ran:
    """Run to the end."""
    ran = Ran()

    def listen(batch: Sequence[Entry]) -> None:
        ran.entries.extend(batch)

    ran.outcome = await run_recorded(materials, listen, lambda _: OpenGate(), NoPeople(), box=box)
    return ran


def files_of(home: Path) -> dict[str, bytes]:
    """What is in a folder; of memories, which say when they were written, that they are there."""
    return {
        one.relative_to(home).as_posix(): b"" if one.suffix == ".memory" else one.read_bytes()
        for one in home.rglob("*")
        if one.is_file()
    }


PLAYED = {
    name: path
    for name, path in zip(NAMES, FLOWS, strict=True)
    if path.parent != places.parts()
    and not (examples.ARE_FEW and name.startswith("generative_agents/") and "without" in name)
}
"""All of them but parts, which are played in the systems that call them.

Where somebody waits for the tests, without those that leave something out of the dearest.
"""


@pytest.mark.box
@pytest.mark.parametrize("path", PLAYED.values(), ids=PLAYED)
def test_a_flow_of_the_gallery_does_as_a_script_what_it_does_as_it_is_drawn(
    path: Path, tmp_path: Path, loop_with_box: tuple[asyncio.Runner, WasmBox]
) -> None:
    runner, box = loop_with_box
    one, other = (
        runner.run(played(path, tmp_path / how, box, is_script=how == "script"))
        for how in ("drawn", "script")
    )
    assert Both(one.ran, other.ran, "").differences() == []
    assert one.written == other.written
