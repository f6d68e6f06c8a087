"""What is said of a run's memories."""

from studio.cli.memory_lines import memory_lines
from studio.ids import RunId, StepId
from studio.trace.events import Entry, MemoryUnsaved
from studio.trace.state import RunState


def test_what_could_not_be_saved_is_told_once_however_many_steps_wrote_it() -> None:
    state = RunState()
    for number in range(1, 4):
        unsaved = MemoryUnsaved("facts", "The disk is full.")
        state.apply(Entry(RunId("run"), number, StepId("note"), StepId(""), 1.0, unsaved))
    assert list(memory_lines(state)) == ["  trouble  facts: The disk is full."]
