import fcntl
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import StoreError
from studio.ids import RunId, StepId
from studio.store.indexes.query import match_of
from studio.store.indexes.search import Hit, Search
from studio.store.indexes.texts import RunText
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import (
    ApprovalAsked,
    Event,
    LogWritten,
    RunFailed,
    RunFinished,
    RunStarted,
    StepFailed,
    StepFinished,
    StepStarted,
    ToolAnswered,
    ToolCalled,
)
from studio.trace.events.values import Shown
from tests.trace.builders import answer, asked, numbered

Writes = Callable[..., RunId]


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / ".stepwire")


@pytest.fixture
def write(store: RunStore) -> Writes:
    def write_run(name: str, *happenings: Event | tuple[str, Event], is_over: bool = True) -> RunId:
        writer = RunWriter(store.new_run_path(RunId(name)), lambda _: None)
        end = [RunFinished()] if is_over else []
        for entry in numbered(RunStarted("Notes", "{}"), *happenings, *end, run=name):
            writer.put(entry)
        writer.close()
        return RunId(name)

    return write_run


def places(hits: list[Hit]) -> list[tuple[str, int, str]]:
    return [(hit.run, hit.number, hit.step) for hit in hits]


def marked(hit: Hit) -> list[str]:
    return [hit.text[start:end] for start, end in hit.marks]


@pytest.mark.parametrize(
    "event",
    [
        asked(("user", "Where do badgers sleep?")),
        answer("In setts, as badgers do."),
        ToolCalled("search", {"query": "badgers"}),
        ToolAnswered("search", "No badgers here."),
        StepFinished({"reply": Shown([{"title": "On badgers"}])}),
        StepStarted({"prompt": Shown("Badgers!")}),
        StepFailed("ToolError", "The badgers are gone."),
        ApprovalAsked("May the badgers stay?", {}),
        LogWritten("counted badgers"),
    ],
    ids=lambda event: event.kind,
)
def test_whatever_a_run_says_is_found_with_its_place(store: RunStore, write: Writes, event: Event) -> None:
    run = write("a", ("writer", StepStarted()), ("writer#x.1", event))
    (hit,) = store.search("badgers")
    assert places([hit]) == [(run, 3, "writer#x.1")]
    assert [one.lower() for one in marked(hit)] == ["badgers"]


def test_a_run_is_found_by_its_name_its_error_and_what_it_gave(store: RunStore, write: Writes) -> None:
    write("a", RunFailed("E", "The well ran dry."), is_over=False)
    write("b", RunFinished({"answer": Shown("moss")}), is_over=False)
    assert [hit.run for hit in store.search("notes")] == ["b", "a"]
    assert places(store.search("dry")) == [("a", 2, "")]
    assert places(store.search("moss")) == [("b", 2, "")]


def test_all_words_have_to_be_there_and_a_phrase_as_it_stands(store: RunStore, write: Writes) -> None:
    write("a", ("w", answer("the pond froze over in the winter")))
    write("b", ("w", answer("in winter nothing froze, not even the pond")))
    assert [hit.run for hit in store.search("froze pond")] == ["b", "a"]
    assert [hit.run for hit in store.search('"pond froze"')] == ["a"]
    assert [hit.run for hit in store.search('"pond froze')] == ["a"]
    assert [hit.run for hit in store.search('win "pond froze"')] == []
    assert [hit.run for hit in store.search('"pond froze" win')] == ["a"]
    assert store.search("froze lake") == []


def test_accents_and_case_do_not_matter(store: RunStore, write: Writes) -> None:
    write("a", ("w", answer("Ein Käfer im Garten")))
    assert marked(store.search("kafer")[0]) == ["Käfer"]


def test_what_is_said_again_is_found_once_in_a_run(store: RunStore, write: Writes) -> None:
    write("a", ("w#chat.1", answer("a heron")), ("w", StepFinished({"reply": Shown("a heron")})))
    assert places(store.search("heron")) == [("a", 2, "w#chat.1")]


def test_runs_that_came_later_are_found_and_those_that_are_gone_are_not(
    store: RunStore, write: Writes
) -> None:
    gone = write("a", ("w", answer("one otter")))
    assert len(store.search("otter")) == 1
    write("b", ("w", answer("another otter")))
    assert [hit.run for hit in store.search("otter")] == ["b", "a"]
    store.new_run_path(gone).unlink()
    assert [hit.run for hit in store.search("otter")] == ["b"]
    assert store.search("one") == []


def test_what_a_removed_run_said_stands_nowhere_any_more(store: RunStore, write: Writes) -> None:
    run = write("a", LogWritten("the owl is in the barn"))
    write("b", LogWritten("a wren sings"))
    assert store.search("barn")
    assert b"the owl is in the barn" in (store.root / "search.db").read_bytes()
    store.remove(run)
    assert b"the owl is in the barn" not in (store.root / "search.db").read_bytes()
    assert not store.search("barn")
    assert store.search("wren")


def test_nobody_else_may_read_what_is_known_of_runs(store: RunStore, write: Writes) -> None:
    write("a", LogWritten("the owl is in the barn"))
    assert store.search("barn")
    rights = {path.name: path.stat().st_mode & 0o077 for path in store.root.rglob("*.db")}
    assert rights == {"a.db": 0, "index.db": 0, "search.db": 0}


def test_a_run_that_goes_on_is_read_again(store: RunStore, write: Writes) -> None:
    run = write("a", ("w", answer("an otter")), is_over=False)
    assert len(store.search("otter")) == 1
    earlier = list(store.entries(run))
    writer = RunWriter(store.new_run_path(run), lambda _: None, earlier=earlier)
    for entry in numbered(*[RunFinished()] * len(earlier), ("w", answer("a newt")), RunFinished(), run=run):
        if entry.number > len(earlier):
            writer.put(entry)
    writer.close()
    assert [len(store.search(word)) for word in ("otter", "newt")] == [1, 1]


def test_a_damaged_index_or_run_loses_nothing_else(store: RunStore, write: Writes) -> None:
    write("a", ("w", answer("an otter")))
    write("b", ("w", answer("an otter")))
    found = store.search("otter")
    (store.root / "search.db").write_bytes(b"this is no database" * 500)
    assert store.search("otter") == found
    (store.root / "runs" / "b.db").write_bytes(b"nor is this" * 1000)
    assert [hit.run for hit in store.search("otter")] == ["a"]


def test_while_another_process_reads_runs_what_is_known_is_found(store: RunStore, write: Writes) -> None:
    write("a", ("w", answer("an otter")))
    store.search("otter")
    write("b", ("w", answer("an otter")))
    with (store.root / "search.lock").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert [hit.run for hit in store.search("otter")] == ["a"]
    assert [hit.run for hit in store.search("otter")] == ["b", "a"]


def test_where_no_index_can_be_written_that_is_said(store: RunStore, write: Writes) -> None:
    write("a", ("w", answer("an otter")))
    (store.root / "search.lock").mkdir()
    with pytest.raises(StoreError, match="can't be searched"):
        store.search("otter")


def test_an_index_that_is_locked_is_not_taken_for_an_empty_one(
    store: RunStore, write: Writes, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a", ("w", answer("an otter")))
    store.search("otter")
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", partial(connect, timeout=0))
    with closing(connect(store.root / "search.db")) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="can't be read"):
            store.search("otter")


def test_a_project_without_runs_has_nothing_to_find_and_stays_untouched(store: RunStore) -> None:
    assert store.search("otter") == []
    assert not store.root.exists()


@given(st.text("ab\"*():^-'+ \0é\\{}", max_size=12) | st.text(max_size=12))
def test_nothing_that_is_typed_is_an_error(tmp_path_factory: pytest.TempPathFactory, words: str) -> None:
    path = tmp_path_factory.getbasetemp() / "search.db"
    if not path.exists():
        Search(path).update({RunId("a"): "1"}, lambda _: [RunText(1, StepId("w"), "a ab é")])
    found = Search(path).find(words, 9)
    assert [hit.text for hit in found] in ([], ["a ab é"])
    assert not found or all(hit.marks for hit in found)


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ("pond froze", '"pond" "froze"*'),
        ('a "pond froze"', '"a" "pond froze"'),
        ("pond fr", '"pond" "fr"'),
        ("pond froze ", '"pond" "froze"'),
        ("AND OR not*", '"AND" "OR" "not*"*'),
        ("- ()", ""),
        ("", ""),
    ],
)
def test_words_are_looked_for_as_they_are_and_the_last_as_a_beginning(words: str, match: str) -> None:
    assert match_of(words) == match
