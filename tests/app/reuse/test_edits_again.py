"""What a person put in the place of values holds where a run goes on, and in forks that begin behind it."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from studio.app.documents.session import Session
from studio.host.recorded_run import run_recorded
from studio.past.fork_wishes import Fork
from studio.past.forks import prepare_fork
from studio.past.replays import OldRun, Terms
from studio.past.resumption import prepare_resume
from studio.runtime.gates.debug_gate import DebugGate
from studio.runtime.recorder import Recorder
from studio.runtime.resources.people import NoPeople
from studio.runtime.values import USER, Resolved, Value
from studio.store.reader import RunStore
from studio.workspace.catalog import builtin_registry
from studio.workspace.project import Project
from studio.workspace.runs import prepare, run_here
from tests.app.stored import cut_before, last_run
from tests.app.written_projects import write_flow, write_project
from tests.documents import document
from tests.runtime.bench import until
from tests.trusted import HERE

REGISTRY = builtin_registry()
FLOW: dict[str, object] = document(
    "Edited",
    {
        "word": {"kind": "io.flow_input", "settings": {"default": "wren"}},
        "either": "control.merge",
        "mark": {"kind": "text.template", "settings": {"template": "{{x}}!"}},
        "out": "io.flow_output",
        "plain": "io.flow_output",
    },
    "either.value -> mark.x",
    "either.value -> plain.value",
    "mark.text -> out.value",
    "word.value -> either.values[0]",
)


async def edited_at(root: Path, place: str, values: Mapping[str, Resolved]) -> None:
    """Run it; a person puts these in the place of what is held."""
    gates: list[DebugGate] = []

    def make_gate(recorder: Recorder) -> DebugGate:
        gates.append(DebugGate(recorder, [place]))
        return gates[0]

    session = Session.open(root, REGISTRY)
    materials = prepare(Project.open(root), session.flow, session.registry, environ=HERE)
    task = asyncio.ensure_future(run_recorded(materials, lambda _: None, make_gate, NoPeople()))
    await until(lambda: bool(gates) and bool(gates[0].held))
    gates[0].resume(gates[0].held[0].step, values)
    await task


@pytest.mark.parametrize(
    ("place", "port", "given"),
    [
        ("either.value", "value", {"out": "owl!", "plain": "owl"}),
        ("word.value", "value", {"out": "owl!", "plain": "owl"}),
        ("plain", "value", {"out": "wren!", "plain": "owl"}),
        ("mark.text", "text", {"out": "owl", "plain": "wren"}),
    ],
)
async def test_an_edited_step_that_was_over_when_the_run_died_is_still_edited_when_it_goes_on(
    tmp_path: Path, place: str, port: str, given: Mapping[str, str]
) -> None:
    root = write_project(tmp_path / "trial", flow=FLOW)
    await edited_at(root, place, {port: Value("owl", USER)})
    cut_before(root / ".stepwire", "", "run_finished")
    store = RunStore(root / ".stepwire")
    old = OldRun.read(store, store.runs()[0].run)
    await run_here(prepare_resume(old, store, REGISTRY, Terms(HERE, is_live=True)))
    state = store.load(old.run)
    assert {name: one.data for name, one in state.outputs.items()} == given


INNER: dict[str, object] = document(
    "Inner",
    {
        "text": "io.flow_input",
        "first": {"kind": "text.template", "settings": {"template": "{{x}}1"}},
        "second": {"kind": "text.template", "settings": {"template": "{{x}}2"}},
        "said": "io.flow_output",
    },
    "first.text -> second.x",
    "second.text -> said.value",
    "text.value -> first.x",
)
AROUND: dict[str, object] = document(
    "Around",
    {
        "word": {"kind": "io.flow_input", "settings": {"default": "wren"}},
        "call": {"kind": "control.subflow", "settings": {"flow": "inner.json"}},
        "rounds": {"kind": "control.loop", "settings": {"max_rounds": 2}},
        "one": {"kind": "text.template", "settings": {"template": "{{x}}+"}},
        "two": {"kind": "text.template", "settings": {"template": "{{x}}-"}},
        "out": "io.flow_output",
        "last": "io.flow_output",
    },
    "call.said -> out.value",
    "one.text -> two.x",
    "rounds.result -> last.value",
    "rounds.value -> one.x",
    "two.text -> rounds.again",
    "word.value -> call.text",
    "word.value -> rounds.start",
)


@pytest.mark.parametrize(
    ("place", "port", "start", "given"),
    [
        ("call", "text", "call/second", {"out": "owl12", "last": "wren+-+-"}),
        ("call", "text", "call/first", {"out": "owl12", "last": "wren+-+-"}),
        ("rounds", "start", "rounds.1/two", {"out": "wren12", "last": "owl+-+-"}),
        ("rounds", "start", "rounds.2/one", {"out": "wren12", "last": "owl+-+-"}),
        ("rounds", "start", "rounds", {"out": "wren12", "last": "wren+-+-"}),
        ("call", "text", "word", {"out": "wren12", "last": "wren+-+-"}),
    ],
)
async def test_a_fork_that_begins_in_a_round_or_a_called_flow_goes_in_with_what_a_person_put_there(
    tmp_path: Path, place: str, port: str, start: str, given: Mapping[str, str]
) -> None:
    root = write_project(tmp_path / "trial", flow=AROUND)
    write_flow(root / "inner.json", INNER)
    await edited_at(root, place, {port: Value("owl", USER)})
    old = last_run(root)
    fork = await run_here(prepare_fork(old, REGISTRY, Fork(start), Terms(HERE, is_live=True)))
    assert {name: one.data for name, one in fork.outputs.items()} == given
