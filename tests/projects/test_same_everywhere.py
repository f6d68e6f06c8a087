"""The window's run host and the command line run a project alike; a person can step in and be heard."""

import asyncio
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from studio.flow.files import codec
from studio.flow.records import Flow
from studio.flow.subflows.calls import reachable
from studio.host.client import HostClient
from studio.host.protocol import (
    Entries,
    Holding,
    ReleaseStep,
    ResumeRun,
    RunEnded,
    Said,
    SetBreakpoints,
    StartRun,
)
from studio.ids import RunId, StepId
from studio.runtime.gates.breakpoints import Breakpoint
from studio.trace.differences.compare import first_difference
from studio.trace.events import ChatRequested, Entry, InputsEdited
from studio.trace.events.values import Shown
from studio.trace.fold.state import RunState, fold
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from studio.workspace.project_flows import project_registry
from studio.workspace.runs import prepare, run_here
from tests.patience import patience
from tests.projects.running import SHOWN, copied
from tests.trusted import HERE

PROJECTS = sorted(path.name for path in SHOWN)


@pytest.fixture(scope="module")
def host() -> Iterator[HostClient]:
    client = HostClient.spawn()
    assert client.wait_until_ready(patience())
    yield client
    client.close()


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[str], Path]:
    """Copies an example, its scripted answers spoken at once."""

    def make(name: str) -> Path:
        target = copied(name, tmp_path).root
        for script in (target / "scripts").glob("*.yaml"):
            text = re.sub(r"(?m)^(\s+(?:tokens_per_second|delay)): .*$", r"\1: 0", script.read_text("utf-8"))
            script.write_text(text, "utf-8")
        return target

    return make


def run_in_host(
    host: HostClient, start: StartRun, act: Callable[[RunState], None] = lambda _state: None
) -> list[Entry]:
    """Run to the end, `act` looking at the state every few milliseconds; gives all entries."""
    host.ask(start)
    entries: list[Entry] = []
    end = time.monotonic() + patience()
    while time.monotonic() < end:
        said: list[Said] = [one for one in host.drain() if getattr(one, "run", start.run) == start.run]
        for one in said:
            if isinstance(one, Entries):
                entries += one.entries
        if any(isinstance(one, RunEnded) for one in said):
            return entries
        act(fold(entries))
        threading.Event().wait(0.005)
    raise AssertionError(f"the run did not end: {[entry.event.kind for entry in entries[-5:]]}")


def run_on_the_command_line(root: Path, inputs: dict[str, str]) -> list[Entry]:
    project = Project.open(root)
    entries: list[Entry] = []
    registry = project_registry(project, builtin_registry())
    materials = prepare(project, flow_at(root), registry, environ=HERE, inputs=inputs)
    asyncio.run(run_here(materials, listener=lambda batch, _state: entries.extend(batch)))
    return entries


def flow_at(root: Path) -> Flow:
    return codec.loads((root / "flow.json").read_text("utf-8")).flow


@pytest.mark.parametrize("name", PROJECTS)
def test_host_and_command_line_give_the_same_outputs_and_events(
    name: str, host: HostClient, copy: Callable[[str], Path], tmp_path: Path
) -> None:
    root = copy(name)
    other = shutil.copytree(root, tmp_path / "other" / name)  # each finds its memories as they came
    registry = project_registry(Project.open(root), builtin_registry())
    called = {one: codec.dumps(flow) for one, flow in reachable(flow_at(root), registry).items()}
    start = StartRun(RunId(f"host-{name}"), str(root), codec.dumps(flow_at(root)), flows=called)
    in_host, here = run_in_host(host, start), run_on_the_command_line(other, {})
    assert fold(here).outputs
    assert fold(in_host).outputs == fold(here).outputs
    if name in {"front_desk", "returns_desk"}:  # ids of what is remembered, and a sandbox's clock, are drawn
        assert kinds_by_step(in_host) == kinds_by_step(here)
    else:
        assert first_difference(here, in_host) is None


def kinds_by_step(entries: Iterable[Entry]) -> dict[str, set[str]]:
    """What kinds of events there are, of each step."""
    found: dict[str, set[str]] = {}
    for entry in entries:
        found.setdefault(entry.step, set()).add(entry.event.kind)
    return found


def test_what_a_person_writes_into_a_held_draft_is_what_the_critic_reads(
    host: HostClient, copy: Callable[[str], Path]
) -> None:
    root = copy("field_notes")
    run = RunId("edited")
    step = StepId("rounds.1/critic")
    draft = "4 May: a heron stood in the pond. [may.txt:6]"
    asked: list[str] = []

    def act(state: RunState) -> None:
        if step in state.steps and state.steps[step].status == "held" and not asked:
            asked.append(str(state.steps[step].inputs["prompt"].data))
            host.ask(SetBreakpoints(run, ()))
            host.ask(ReleaseStep(run, step, {"prompt": draft}))

    start = StartRun(run, str(root), codec.dumps(flow_at(root)), holding=Holding((Breakpoint("critic"),)))
    entries = run_in_host(host, start, act)
    edits = [entry.event for entry in entries if isinstance(entry.event, InputsEdited)]
    assert edits == [InputsEdited({"prompt": Shown(draft, ("user",))})]
    assert asked
    assert asked[0] != draft
    chats = [one.event for one in entries if one.parent == step and isinstance(one.event, ChatRequested)]
    assert chats[0].request["messages"][-1]["content"] == draft
    assert fold(entries).outputs["answer"].data


def test_a_run_can_be_held_by_a_breakpoint_and_resumed_as_if_nothing_had_been(
    host: HostClient, copy: Callable[[str], Path]
) -> None:
    root = copy("field_notes")
    run = RunId("resumed")

    def act(state: RunState) -> None:
        if state.status == "held":
            host.ask(ResumeRun(run))

    start = StartRun(run, str(root), codec.dumps(flow_at(root)), holding=Holding((Breakpoint("writer"),)))
    entries = run_in_host(host, start, act)
    assert "step_held" in {entry.event.kind for entry in entries}
    assert fold(entries).outputs == fold(run_on_the_command_line(root, {})).outputs
