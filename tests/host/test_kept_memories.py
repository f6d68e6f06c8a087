"""Runs with memories in files of the project: what is kept, and what is told when a file is in trouble."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from studio.flow.records import Flow
from studio.ids import StepId
from studio.runtime.replay.dependence import Root
from studio.runtime.replay.takeover import forked
from studio.store.memories import contents
from studio.store.memories.contents import contents_of
from studio.store.memories.file_names import file_of
from studio.store.memories.project_memories import StoredMemories
from studio.store.memories.sql import Database
from studio.trace.events import MemoryOpened, MemoryUnsaved, MemoryWritten
from studio.trace.events.run import Origin
from tests.runtime.bench import REGISTRY, Ran, flow_of, run


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "PATIENCE", 0.0)


def remembering(step: str, text: str) -> Flow:
    """Something is remembered under `plan`, and then all is recalled."""
    nodes: dict[str, Any] = {
        "board": ("memory.notes", {"name": "board", "keep": "project"}),
        step: ("memory.remember", {}, {"texts": [text], "fields": {"key": "plan"}}),
        "ask": "memory.recall",
        "out": "io.flow_output",
    }
    wires = [f"board.memory -> {step}.memory", "board.memory -> ask.memory", f"{step}.then -> ask.after"]
    return flow_of(nodes, [*wires, "ask.text -> out.value"])


ASKING = flow_of(
    {
        "board": ("memory.notes", {"name": "board", "keep": "project"}),
        "ask": "memory.recall",
        "out": "io.flow_output",
    },
    ["board.memory -> ask.memory", "ask.text -> out.value"],
)


def kept(folder: Path, version: int | None = None) -> Sequence[str]:
    return [one.text for one in contents_of(file_of(folder, "board"), version).items]


def opened(ran: Ran) -> MemoryOpened:
    [found] = [one.event for one in ran.entries if isinstance(one.event, MemoryOpened)]
    return found


def unsaved(ran: Ran) -> list[str]:
    return [one.event.reason for one in ran.entries if isinstance(one.event, MemoryUnsaved)]


async def test_what_one_run_remembers_the_next_recalls(tmp_path: Path) -> None:
    await run(remembering("put", "go to the pond"), memories=StoredMemories(tmp_path))
    ran = await run(ASKING, memories=StoredMemories(tmp_path))
    assert ran.outputs == {"out": "go to the pond"}
    assert (opened(ran).version, opened(ran).items, opened(ran).trouble) == (1, 1, "")


async def test_a_fork_sees_what_its_run_saw_whatever_was_remembered_since_and_keeps_nothing(
    tmp_path: Path,
) -> None:
    await run(remembering("put", "go to the pond"), memories=StoredMemories(tmp_path))
    first = await run(ASKING, memories=StoredMemories(tmp_path))
    await run(remembering("change", "stay at home"), memories=StoredMemories(tmp_path))
    assert kept(tmp_path) == ["stay at home"]
    past = forked(first.entries, ASKING, REGISTRY, [Root(StepId("ask"))], is_live=True)
    fork = await run(ASKING, memories=StoredMemories(tmp_path), past=past, forked_from=Origin("bench", "ask"))
    assert fork.outputs == {"out": "go to the pond"}
    flow = remembering("put", "swim")
    again = forked(first.entries, flow, REGISTRY, [Root(StepId("put"))], is_live=True)
    await run(flow, memories=StoredMemories(tmp_path), past=again, forked_from=Origin("bench", "put"))
    assert kept(tmp_path) == ["stay at home"]


async def test_a_damaged_file_is_told_in_the_trace_and_the_run_goes_on(tmp_path: Path) -> None:
    await run(remembering("put", "go to the pond"), memories=StoredMemories(tmp_path))
    path = file_of(tmp_path, "board")
    with path.open("r+b") as file:
        file.write(bytes(4096))
    ran = await run(ASKING, memories=StoredMemories(tmp_path))
    assert ran.outputs == {"out": "go to the pond"}
    assert "1 of its items could be read" in opened(ran).trouble


async def test_what_a_held_file_does_not_take_is_told_and_stands_in_the_run(tmp_path: Path) -> None:
    await run(remembering("put", "go to the pond"), memories=StoredMemories(tmp_path))
    other = Database.of(file_of(tmp_path, "board"), can_write=True, patience=0)
    with other.changing():
        ran = await run(remembering("change", "stay at home"), memories=StoredMemories(tmp_path))
    other.close()
    assert ran.outputs == {"out": "stay at home"}
    [reason] = unsaved(ran)
    assert "is in use by another program" in reason
    assert kept(tmp_path) == ["go to the pond"]
    [written] = [one.event for one in ran.entries if isinstance(one.event, MemoryWritten)]
    assert written.item.data["text"] == "stay at home"


async def test_a_newer_file_is_recalled_from_and_told_and_left_as_it_is(tmp_path: Path) -> None:
    await run(remembering("put", "go to the pond"), memories=StoredMemories(tmp_path))
    path = file_of(tmp_path, "board")
    database = Database.of(path, can_write=True, patience=0)
    database.do("PRAGMA user_version = 9")
    database.close()
    before = path.read_bytes()
    ran = await run(remembering("change", "stay at home"), memories=StoredMemories(tmp_path))
    assert ran.outputs == {"out": "stay at home"}
    assert "written by a newer Stepwire" in opened(ran).trouble
    assert "written by a newer Stepwire" in unsaved(ran)[0]
    assert path.read_bytes() == before


async def test_a_file_that_is_none_is_told_and_left_as_it_is(tmp_path: Path) -> None:
    path = file_of(tmp_path, "board")
    path.write_text("my board\n", encoding="utf-8")
    ran = await run(remembering("put", "go to the pond"), memories=StoredMemories(tmp_path))
    assert ran.outputs == {"out": "go to the pond"}
    assert "is not a memory" in opened(ran).trouble
    assert "is not a memory" in unsaved(ran)[0]
    assert path.read_text(encoding="utf-8") == "my board\n"


async def test_a_fork_tells_that_what_its_run_saw_is_not_there_any_more(tmp_path: Path) -> None:
    await run(remembering("put", "go to the pond"), memories=StoredMemories(tmp_path))
    first = await run(ASKING, memories=StoredMemories(tmp_path))
    file_of(tmp_path, "board").unlink()
    past = forked(first.entries, ASKING, REGISTRY, [Root(StepId("ask"))], is_live=True)
    fork = await run(ASKING, memories=StoredMemories(tmp_path), past=past, forked_from=Origin("bench", "ask"))
    assert fork.outputs == {"out": ""}
    assert "was at version 1 and is gone" in opened(fork).trouble
    assert opened(fork).version == 1


async def test_a_fork_whose_memory_lasts_by_an_edit_sees_what_the_project_has(tmp_path: Path) -> None:
    await run(remembering("put", "go to the pond"), memories=StoredMemories(tmp_path))
    nodes = {"board": ("memory.notes", {"name": "board"}), "ask": "memory.recall", "out": "io.flow_output"}
    flow = flow_of(nodes, ["board.memory -> ask.memory", "ask.text -> out.value"])
    first = await run(flow, memories=StoredMemories(tmp_path))
    assert first.outputs == {"out": ""}
    past = forked(first.entries, ASKING, REGISTRY, [Root(StepId("ask"))], is_live=True)
    fork = await run(ASKING, memories=StoredMemories(tmp_path), past=past, forked_from=Origin("bench", "ask"))
    assert fork.outputs == {"out": "go to the pond"}
