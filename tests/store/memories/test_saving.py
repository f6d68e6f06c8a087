import multiprocessing
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.errors import StepError
from studio.sdk.item_layers import PlainLayer, Write
from studio.sdk.items import Item, MemoryPlace
from studio.store.memories import saves as saving
from studio.store.memories.contents import contents_of
from studio.store.memories.project_memories import StoredMemories
from tests.examples import examples
from tests.store.memories.kept import (
    PLACE,
    fill,
    opened,
    path_of,
    put,
    removed,
    save,
    texts,
    trouble,
    write_many,
)
from tests.store.memories.test_layers import items


def test_what_a_run_kept_the_next_one_finds(tmp_path: Path) -> None:
    item = Item("a", "first", {"n": 10**30}, "2026-05-04", "ada", b"\0\0\x80?", ("user", "web"))
    assert save(tmp_path, "r/1", [Write("put", item)]) == ""
    memory = opened(tmp_path)
    assert (memory.version, memory.count, memory.trouble) == (1, 1, "")
    assert memory.root.items.all() == [
        Item("a", "first", {"n": 10**30}, "2026-05-04", "ada", b"", item.labels)
    ]
    assert memory.root.items.nearest(b"\0\0\x80?", 1)[0][1] == pytest.approx(1)
    memory.close()


def test_reading_makes_no_file(tmp_path: Path) -> None:
    assert texts(tmp_path / "memories") == []
    assert save(tmp_path / "memories", "r/1", []) == ""
    assert not (tmp_path / "memories").exists()


def test_a_save_is_made_once(tmp_path: Path) -> None:
    save(tmp_path, "r/1", put("a one"))
    save(tmp_path, "r/2", put("a two"))
    assert save(tmp_path, "r/1", put("a one")) == ""
    assert texts(tmp_path) == ["a two"]
    assert opened(tmp_path).version == 2


def test_a_run_sees_the_memory_as_it_was_when_it_began(tmp_path: Path) -> None:
    save(tmp_path, "r/1", put("a one", "b one"))
    memory = opened(tmp_path)
    save(tmp_path, "s/1", [*put("a two"), removed("b")])
    assert [one.text for one in memory.root.items.all()] == ["a one", "b one"]
    assert memory.version == 1
    memory.close()


def test_what_replaces_keeps_its_age_and_what_comes_back_is_young(tmp_path: Path) -> None:
    save(tmp_path, "r/1", put("a one", "b one", "c one"))
    save(tmp_path, "r/2", put("a two"))
    save(tmp_path, "r/3", [removed("b"), *put("b two")])
    assert texts(tmp_path) == ["a two", "c one", "b two"]


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(25)
)
@given(
    st.lists(
        st.lists(st.builds(Write, st.sampled_from(["put", "put", "remove", "use"]), items), min_size=1),
        max_size=6,
    )
)
def test_each_version_can_be_seen_again(
    tmp_path_factory: pytest.TempPathFactory, saves: list[list[Write]]
) -> None:
    folder = tmp_path_factory.mktemp("memories")
    plain, then = PlainLayer(), [PlainLayer().items.all()]
    memory = opened(folder)
    for number, writes in enumerate(saves):
        assert memory.save(f"{number}", writes) == ""
        plain.apply(writes)
        then.append(plain.items.all())
    memory.close()
    for version, seen in enumerate(then):
        memory = opened(folder, version)
        assert memory.root.items.all() == seen
        assert (memory.version, memory.trouble) == (version, "")
        memory.close()


def test_another_kind_under_the_name_is_refused(tmp_path: Path) -> None:
    save(tmp_path, "r/1", put("a"))
    with pytest.raises(StepError, match=r"has the type `memory.notes`"):
        StoredMemories(tmp_path).open(MemoryPlace("notes", "memory.graph", "project"), run="r")


def test_another_kind_that_came_between_is_told(tmp_path: Path) -> None:
    graph = StoredMemories(tmp_path).open(MemoryPlace("notes", "memory.graph", "project"), run="r")
    save(tmp_path, "r/1", put("a"))
    assert "`memory.notes`, not `memory.graph`" in graph.save("s/1", put("b"))
    assert texts(tmp_path) == ["a"]


@pytest.mark.parametrize("name", ["../up", ".hidden", "flow/node", "ein Gedächtnis?", "x" * 500, "con\0trol"])
def test_any_name_has_a_file_of_its_own_in_the_folder(tmp_path: Path, name: str) -> None:
    place = MemoryPlace(name, "memory.notes", "project")
    memory = StoredMemories(tmp_path / "memories").open(place, run="r")
    assert memory.save("1", put("a")) == ""
    memory.close()
    (file,) = (tmp_path / "memories").iterdir()
    assert file.name.endswith(".memory")
    assert contents_of(file).name == name


def test_what_was_takes_no_more_room_than_what_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(saving, "KEPT_AT_LEAST", 10)
    monkeypatch.setattr(saving, "_TIDIED_EVERY", 4)
    memory = opened(tmp_path)
    for number in range(200):
        assert memory.save(f"{number}", put(f"a {number} {'long ' * 400}")) == ""
    memory.close()
    assert path_of(tmp_path).stat().st_size < 120_000
    assert texts(tmp_path, 195)[0].startswith("a 194")
    long_ago = opened(tmp_path, 3)
    assert "no longer has version 3" in long_ago.trouble
    assert long_ago.version > 180
    assert long_ago.root.items.all()[0].text.startswith(f"a {long_ago.version - 1}")


def test_saves_are_remembered_up_to_a_bound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(saving, "KEYS", 50)
    memory = opened(tmp_path)
    for number in range(96):
        memory.save(f"{number}", put("a"))
    assert memory._saver is not None
    database, _ = memory._saver._database()
    assert database.value("SELECT count(*) FROM saves") == 50
    memory.close()


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=write_many, args=(tmp_path, name)) for name in "ab"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert sorted(texts(tmp_path)) == ["a"] * 40 + ["b"] * 40
    assert trouble(tmp_path) == ""


def test_what_lies_beside_a_file_that_was_deleted_is_not_taken_for_the_new_one(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    memory.save("1", put("a"))
    path_of(tmp_path).unlink()
    assert memory.save("2", put("b")) == ""
    assert texts(tmp_path) == ["b"]
    memory.close()
    assert texts(tmp_path) == ["b"]


def test_the_version_of_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    fill(tmp_path, 100)
    path_of(tmp_path).unlink()
    assert "was at version 1 and is gone" in opened(tmp_path, 1).trouble
    assert opened(tmp_path, 0).trouble == ""
    assert PLACE.name in opened(tmp_path, 1).trouble


def test_a_file_takes_no_more_room_than_is_stated(tmp_path: Path) -> None:
    memory, chance = opened(tmp_path), Random(1)  # noqa: S311  # vectors
    text, many = "thirty letters of some words. " * 5, 1500
    for turn in range(4):
        written = [
            Write("put", Item(f"{number:012x}", f"{turn} {text}", vector=chance.randbytes(1024)))
            for number in range(many)
        ]
        assert memory.save(f"{turn}", written) == ""
    memory.close()
    stated = 2 * many * (len(text) + 1024 + 300)
    assert stated / 4 < path_of(tmp_path).stat().st_size < stated
    memory = opened(tmp_path)
    assert memory.save("clear", [Write("remove", Item(f"{number:012x}", "")) for number in range(many)]) == ""
    memory.close()
    assert path_of(tmp_path).stat().st_size < 1000 * (len(text) + 1024 + 300)
