"""Memories of a project in a person's hands: edited, undone, exported, mended, and given what a run wrote."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.app.memories.item_lines import read_lines, write_lines
from studio.app.memories.item_search import with_words
from studio.app.memories.project_memories import ProjectMemories
from studio.app.memories.written_items import written_item
from studio.errors import StepwireError, UsageError
from studio.ids import RunId, StepId
from studio.sdk.items import Item
from studio.store.memories.file_names import MEMORIES, file_of
from studio.trace import events
from studio.trace.events import Entry
from studio.trace.events.run import Origin
from studio.trace.events.values import Shown
from studio.trace.fold.memory_state import text_of_vector
from studio.trace.fold.state import RunState, fold
from studio.workspace.project import Project

PLAN = Item("plan", "Ask Ada about the hedge.", {"of": "birds"}, "2026-11-21T10:00:00+00:00", "writer")
DRAFT = Item("draft", "A dunnock sang.", at="2026-11-21T10:01:00+00:00", by="writer", labels=("io.input",))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "flow.json").write_text('{"format": "stepwire.flow"}')
    return Project(tmp_path, "birds", (), tmp_path / "flow.json")


@pytest.fixture
def memories(project: Project) -> ProjectMemories:
    write_lines([PLAN, DRAFT], project.root / "items.jsonl")
    found = ProjectMemories(project)
    found.import_from("notes", project.root / "items.jsonl", "memory.notes")
    return found


def a_run(*written: events.MemoryWritten, forked: bool = True) -> RunState:
    told = [
        events.RunStarted("birds", "{}", forked_from=Origin("before") if forked else None),
        events.MemoryOpened("notes", "memory.notes", "project", 1, 2),
    ]
    step = [events.StepStarted({}), *written, events.StepFinished({})]
    steps = [("", one) for one in told] + [("writer", one) for one in step]
    entries = (
        Entry(RunId("fork"), number, StepId(name), StepId(""), 1.0, one)
        for number, (name, one) in enumerate(steps, 1)
    )
    return fold(entries)


def put(item_id: str, text: str, vector: bytes = b"") -> events.MemoryWritten:
    shown = Shown({"id": item_id, "text": text, "data": {}, "at": "", "by": "writer"})
    return events.MemoryWritten("notes", "put", shown, text_of_vector(vector))


def test_what_was_imported_is_listed_with_its_kind_and_size(memories: ProjectMemories) -> None:
    (one,) = memories.all()
    assert (one.name, one.kind, one.count, one.version) == ("notes", "memory.notes", 2, 1)
    assert one.bytes > 0
    assert one.can_edit
    assert memories.items("notes") == [PLAN, DRAFT]


def test_reading_a_memory_is_no_change_of_it(memories: ProjectMemories) -> None:
    memories.all()
    before = memories.signature()
    assert memories.items("notes")
    assert memories.signature() == before
    memories.remove("notes", ["plan"])
    assert memories.signature() != before


def test_an_edited_item_keeps_its_place_and_says_who_wrote_it(memories: ProjectMemories) -> None:
    made = written_item("memory.notes", PLAN, "Ask Bo.", {"key": "plan"}, "user")
    memories.put("notes", [made], instead_of="plan")
    assert [(one.id, one.text, one.by) for one in memories.items("notes")] == [
        ("plan", "Ask Bo.", "user"),
        ("draft", "A dunnock sang.", "writer"),
    ]


def test_an_item_under_another_name_takes_the_place_of_the_one_that_was_edited(
    memories: ProjectMemories,
) -> None:
    made = written_item("memory.notes", PLAN, PLAN.text, {"key": "aim"}, "user")
    memories.put("notes", [made], instead_of="plan")
    assert {one.id for one in memories.items("notes")} == {"aim", "draft"}


def test_undo_goes_back_change_by_change(memories: ProjectMemories) -> None:
    memories.remove("notes", ["plan"])
    memories.clear("notes")
    memories.undo("notes")
    assert memories.items("notes") == [DRAFT]
    memories.undo("notes")
    assert memories.items("notes") == [PLAN, DRAFT]
    memories.undo("notes")
    assert not memories.items("notes")
    with pytest.raises(UsageError, match="has nothing left to undo"):
        memories.undo("notes")


def test_an_earlier_version_is_still_read(memories: ProjectMemories) -> None:
    memories.clear("notes")
    assert not memories.items("notes")
    assert memories.items("notes", 1) == [PLAN, DRAFT]


def test_what_a_fork_wrote_is_taken_over_once(memories: ProjectMemories) -> None:
    state = a_run(
        put("plan", "Ask Cy."),
        events.MemoryWritten("notes", "remove", Shown({"id": "draft"})),
        put("new", "x"),
    )
    assert memories.take(state, "notes") == 3
    assert [(one.id, one.text) for one in memories.items("notes")] == [("plan", "Ask Cy."), ("new", "x")]
    memories.remove("notes", ["new"])
    memories.take(state, "notes")
    assert [one.id for one in memories.items("notes")] == ["plan"]
    memories.undo("notes")
    assert {one.id for one in memories.items("notes")} == {"plan", "new"}


def test_a_run_that_wrote_nothing_has_nothing_to_take(memories: ProjectMemories) -> None:
    with pytest.raises(UsageError, match="written nothing"):
        memories.take(a_run(), "notes")


def test_vectors_that_a_run_wrote_are_taken_over(memories: ProjectMemories) -> None:
    vector = bytes(range(16))
    memories.take(a_run(put("new", "x", vector)), "notes")
    found = {one.id: one.vector for one in memories.items("notes")}
    assert found["new"] == vector


def test_a_damaged_memory_is_told_read_and_mended(memories: ProjectMemories, project: Project) -> None:
    path = file_of(project.root / MEMORIES, "notes")
    whole = path.read_bytes()
    path.write_bytes(b"\0" * 100 + whole[100:])
    (one,) = memories.all()
    assert one.is_damaged
    assert "damaged" in one.trouble
    with pytest.raises(StepwireError):
        memories.remove("notes", ["plan"])
    memories.mend("notes")
    (mended,) = memories.all()
    assert not mended.trouble
    assert [one.name for one in path.parent.iterdir() if "damaged" in one.name]
    with pytest.raises(UsageError, match="intact"):
        memories.mend("notes")


def test_a_file_that_is_no_memory_is_told_and_left_alone(memories: ProjectMemories, project: Project) -> None:
    path = file_of(project.root / MEMORIES, "shopping")
    path.write_text("milk")
    _, one = memories.all()
    assert (one.name, one.can_edit) == ("shopping", False)
    assert "is not a memory" in one.trouble
    assert memories.items("shopping") == ()
    with pytest.raises(UsageError, match="is not a memory"):
        memories.mend("shopping")
    assert path.read_text() == "milk"


def test_a_copy_of_a_file_is_not_taken_for_the_memory(memories: ProjectMemories, project: Project) -> None:
    path = file_of(project.root / MEMORIES, "notes")
    path.with_name("old notes.memory").write_bytes(path.read_bytes())
    notes, copy = memories.all()
    assert (notes.name, notes.trouble) == ("notes", "")
    assert (copy.name, copy.can_edit) == ("old notes", False)
    assert "the memory `notes`" in copy.trouble


def test_a_memory_that_is_not_there_is_named_with_those_that_are(memories: ProjectMemories) -> None:
    with pytest.raises(UsageError, match="no memory `facts`") as caught:
        memories.find("facts")
    assert "notes" in caught.value.hint


def test_a_line_that_is_no_item_is_named(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"id": "a", "text": "b"}\n{"id": "", "text": "b"}\n')
    with pytest.raises(UsageError, match="Line 2"):
        read_lines(path)


def test_a_triple_is_known_by_its_parts() -> None:
    made = written_item(
        "memory.graph", None, "", {"subject": "Ada", "relation": "wrote", "object": "Notes"}, "user"
    )
    assert made.id == "ada | wrote | notes"
    with pytest.raises(UsageError):
        written_item("memory.graph", None, "", {"subject": "Ada"}, "user")


@pytest.mark.parametrize("importance", ["very", 0, 11, None])
def test_an_event_is_as_important_as_a_number_from_1_to_10_says(importance: str | int | None) -> None:
    with pytest.raises(UsageError, match="how important"):
        written_item("memory.stream", None, "It froze.", {"importance": importance}, "user")
    made = written_item("memory.stream", None, "It froze.", {"importance": 10}, "user")
    assert made.data == {"importance": 10, "type": "event"}


def test_a_search_finds_words_in_text_fields_and_labels() -> None:
    assert with_words([PLAN, DRAFT], "ada BIRDS") == [PLAN]
    assert with_words([PLAN, DRAFT], "io.input") == [DRAFT]
    assert with_words([PLAN, DRAFT], "") == [PLAN, DRAFT]


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
ITEMS = st.builds(
    Item,
    TEXTS.filter(bool),
    TEXTS,
    st.dictionaries(TEXTS, st.integers(-5, 5) | TEXTS | st.lists(TEXTS, max_size=2), max_size=3),
    at=TEXTS,
    by=TEXTS,
    vector=st.binary(max_size=8),
    labels=st.lists(TEXTS, max_size=2).map(tuple),
)


@given(st.lists(ITEMS, max_size=4))
def test_items_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, items: list[Item]
) -> None:
    path = tmp_path_factory.mktemp("lines") / "items.jsonl"
    assert write_lines(items, path) == len(items)
    assert read_lines(path) == items


def test_a_memory_is_put_back_to_what_it_was_after_a_run_in_its_order(memories: ProjectMemories) -> None:
    after = a_run(put("more", "A wren."), forked=False)
    memories.put("notes", [Item("more", "A wren."), Item("later", "Moths.")])
    memories.remove("notes", ["plan"])
    made = memories.put_back("notes", after)
    assert made is not None
    assert [one.id for one in memories.items("notes")] == ["plan", "draft", "more"]
    assert memories.put_back("notes", after) is None
    memories.undo("notes", made)
    assert [one.id for one in memories.items("notes")] == ["draft", "more", "later"]


def test_a_memory_begins_empty_for_a_new_conversation_and_what_it_had_can_be_had_back(
    memories: ProjectMemories,
) -> None:
    made = memories.put_back("notes", None)
    assert made is not None
    assert not memories.items("notes")
    memories.undo("notes", made)
    assert [one.id for one in memories.items("notes")] == ["plan", "draft"]


def test_a_memory_that_a_run_did_not_use_or_that_is_not_there_stays_so(memories: ProjectMemories) -> None:
    assert memories.put_back("nothing", None) is None
    assert memories.put_back("notes", fold([])) is None
    assert len(memories.items("notes")) == 2
