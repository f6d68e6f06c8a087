"""The memories of a run at its moments: items, who wrote them, and what recalled them."""

from studio.app.memories.run_memories import is_changed, recalls_of, run_items, unsaved_in, written_by
from studio.ids import RunId, StepId
from studio.sdk.items import Item
from studio.trace import events
from studio.trace.events import Entry, Event
from studio.trace.events.values import Shown
from studio.trace.fold.moments import Moments
from studio.trace.fold.state import fold

BEFORE = Item("plan", "Ask Ada.", at="2026-11-20T10:00:00+00:00", by="writer")


def item(item_id: str, text: str) -> Shown:
    return Shown(
        {"id": item_id, "text": text, "data": {"of": "birds"}, "at": "", "by": "writer"}, ("io.input",)
    )


def found(item_id: str, score: float, why: str) -> Shown:
    return Shown({"id": item_id, "text": "x", "score": score, "why": why})


HAPPENED: list[tuple[str, Event]] = [
    ("", events.RunStarted("birds", "{}")),
    ("", events.MemoryOpened("notes", "memory.notes", "project", 3, 1)),
    ("write", events.StepStarted({})),
    ("write", events.MemoryWritten("notes", "put", item("new", "A wren sang."))),
    ("write", events.StepFinished({})),
    ("ask", events.StepStarted({})),
    ("ask", events.MemoryRead("notes", "birds", "recall", (found("new", 0.5, "says wren"),))),
    ("ask", events.MemoryRead("notes", "plans", "recall", (found("plan", 0.9, "says plan"),))),
    ("ask", events.StepFinished({})),
    ("drop", events.StepStarted({})),
    ("drop", events.MemoryWritten("notes", "remove", Shown({"id": "plan"}), why="forgotten")),
    ("drop", events.StepFinished({})),
    ("", events.MemoryUnsaved("notes", "the disk is full")),
]
ENTRIES = [
    Entry(RunId("one"), number, StepId(step), StepId(""), float(number), event)
    for number, (step, event) in enumerate(HAPPENED, 1)
]


def test_a_run_has_what_was_there_and_what_its_steps_made_of_it() -> None:
    state = fold(ENTRIES)
    (one,) = run_items(state, "notes", [BEFORE])
    assert (one.id, one.text, one.data, one.labels) == ("new", "A wren sang.", {"of": "birds"}, ("io.input",))
    assert is_changed(state, "notes")
    assert not is_changed(state, "facts")
    assert unsaved_in(state, "notes") == "the disk is full"


def test_what_a_step_writes_is_there_once_it_has_finished() -> None:
    assert run_items(fold(ENTRIES[:4]), "notes", [BEFORE]) == [BEFORE]
    assert [one.id for one in run_items(fold(ENTRIES[:5]), "notes", [BEFORE])] == ["plan", "new"]


def test_an_item_names_the_step_that_wrote_it_and_what_recalled_it() -> None:
    state = fold(ENTRIES)
    assert written_by(state, "notes", "new") == "write"
    assert written_by(state, "notes", "old") is None
    (recall,) = recalls_of(state, "notes", "new")
    assert (recall.step, recall.query, recall.score, recall.why) == ("ask", "birds", 0.5, "says wren")


def test_an_earlier_moment_knows_nothing_of_what_was_recalled_later() -> None:
    moments = Moments(chunk=1)
    moments.add(ENTRIES)
    for count in range(len(ENTRIES) + 1):
        state, whole = moments.state(count), fold(ENTRIES[:count])
        assert run_items(state, "notes") == run_items(whole, "notes")
        for name in ("new", "plan"):
            assert list(recalls_of(state, "notes", name)) == list(recalls_of(whole, "notes", name))
            assert written_by(state, "notes", name) == written_by(whole, "notes", name)
