"""What is said of a run's memories."""

import asyncio

import pytest

from studio.ids import RunId, StepId
from studio.terminal.memory_lines import memory_lines
from studio.terminal.screen import Screen, Watcher
from studio.trace.events import Entry, MemoryUnsaved
from studio.trace.fold.state import RunState


def test_what_could_not_be_saved_is_told_once_however_many_steps_wrote_it() -> None:
    state = RunState()
    for number in range(1, 4):
        unsaved = MemoryUnsaved("facts", "The disk is full.")
        state.apply(Entry(RunId("run"), number, StepId("note"), StepId(""), 1.0, unsaved))
    assert list(memory_lines(state)) == ["  trouble  facts: The disk is full."]


async def test_while_a_run_goes_on_each_trouble_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    state = RunState()
    watcher = Watcher(asyncio.get_running_loop(), None, Screen(), events=False)
    reasons = ["It is locked.", "It is locked.", "The disk is full.", "It is locked."]
    entries = [
        Entry(RunId("run"), number, StepId("note"), StepId(""), 1.0, MemoryUnsaved("facts", reason))
        for number, reason in enumerate(reasons, 1)
    ]
    for entry in entries:
        state.apply(entry)
    watcher.see(entries[:1], state)
    watcher.see(entries[1:], state)
    assert capsys.readouterr().err.splitlines() == [
        "  memory   facts: It is locked.",
        "  memory   facts: The disk is full.",
    ]
