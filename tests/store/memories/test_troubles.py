from collections.abc import Iterator
from pathlib import Path
from random import Random

import apsw
import pytest

from studio.store.memories import contents
from studio.store.memories.new_file import log_of
from studio.store.memories.sql import Database
from tests.full_disk import full_disk
from tests.store.memories.kept import fill, opened, path_of, put, save, texts, trouble


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "PATIENCE", 0.0)


def damage(path: Path, page: int, count: int = 1) -> bytes:
    """Write noise over pages, counted from 1; gives what the file is then."""
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(Random(page).randbytes(4096 * count))  # noqa: S311  # any noise will do
    return path.read_bytes()


def aside(folder: Path) -> Path:
    (found,) = (one for one in folder.glob("*.damaged-*") if not one.name.endswith("-wal"))
    return found


@pytest.mark.parametrize("page", [1, 2, 3, 4, 5, 9, 25])
def test_of_a_damaged_file_what_can_be_read_is_saved_and_the_rest_put_aside(
    tmp_path: Path, page: int
) -> None:
    fill(tmp_path, 300)
    before = damage(path_of(tmp_path), page)
    said = trouble(tmp_path)
    assert "was damaged" in said
    assert aside(tmp_path).name in said
    assert aside(tmp_path).read_bytes() == before
    found = texts(tmp_path)
    assert f"{len(found)} of its items" in said
    assert len(found) >= 275 - 275 * (page == 4)
    assert trouble(tmp_path) == ""
    assert save(tmp_path, "after", put("a new")) == ""
    assert texts(tmp_path) == [*found, "a new"]


def test_what_was_saved_once_is_not_saved_again_after_damage(tmp_path: Path) -> None:
    fill(tmp_path, 300)
    damage(path_of(tmp_path), 25)
    memory = opened(tmp_path)
    count = memory.count
    assert memory.save("fill/0", put("a again")) == ""
    memory.close()
    assert len(texts(tmp_path)) == count


def test_a_changed_letter_is_noticed(tmp_path: Path) -> None:
    save(tmp_path, "1", put("a honest", "b sound"))
    path = path_of(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"a honest", b"a horned"))
    assert "1 of its items could be read" in trouble(tmp_path)
    assert texts(tmp_path) == ["b sound"]


def test_a_file_that_was_cut_off_gives_what_is_left(tmp_path: Path) -> None:
    fill(tmp_path, 300)
    path = path_of(tmp_path)
    path.write_bytes(path.read_bytes()[:60_000])
    assert "was damaged" in trouble(tmp_path)
    assert len(texts(tmp_path)) > 50
    path.write_bytes(path.read_bytes()[:50])
    assert "0 of its items" in trouble(tmp_path)
    assert texts(tmp_path) == []


@pytest.mark.parametrize("content", [b"Dear diary, " * 50, b"short", b"SQLite format 3\0" + b"\1" * 4080])
def test_what_is_no_memory_is_told_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = path_of(tmp_path)
    path.write_bytes(content)
    memory = opened(tmp_path)
    assert "is not a memory and was left unchanged" in memory.trouble
    assert "is not a memory and was left unchanged" in memory.save("1", put("a"))
    assert "project later" in memory.trouble
    memory.close()
    assert path.read_bytes() == content


def test_a_newer_file_is_read_as_far_as_it_goes_and_never_written(tmp_path: Path) -> None:
    save(tmp_path, "1", put("a one"))
    path = path_of(tmp_path)
    database = Database.of(path, can_write=True, patience=0)
    database.do("ALTER TABLE items ADD COLUMN mood TEXT")
    database.do("PRAGMA user_version = 2")
    database.close()
    before = path.read_bytes()
    memory = opened(tmp_path)
    assert "was written by a newer Stepwire" in memory.trouble
    assert [one.text for one in memory.root.items.all()] == ["a one"]
    assert "was written by a newer Stepwire" in memory.save("2", put("b"))
    memory.close()
    assert path.read_bytes() == before


def test_a_newer_file_that_says_nothing_here_is_left_alone_too(tmp_path: Path) -> None:
    save(tmp_path, "1", put("a one"))
    path = path_of(tmp_path)
    database = Database.of(path, can_write=True, patience=0)
    database.do("ALTER TABLE items RENAME TO things")
    database.do("PRAGMA user_version = 2")
    database.close()
    before = path.read_bytes()
    assert "It cannot be read here" in trouble(tmp_path)
    assert path.read_bytes() == before


def test_a_file_that_another_holds_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    save(tmp_path, "1", put("a one"))
    memory = opened(tmp_path)
    other = Database.of(path_of(tmp_path), can_write=True, patience=0)
    with other.changing():
        assert [one.text for one in opened(tmp_path).root.items.all()] == ["a one"]
        assert "is in use by another program" in memory.save("2", put("b two"))
    other.close()
    assert memory.save("2", put("b two")) == ""
    memory.close()
    assert texts(tmp_path) == ["a one", "b two"]


def test_a_file_that_another_holds_for_itself_alone_does_not_stop_a_run(tmp_path: Path) -> None:
    save(tmp_path, "1", put("a one"))
    other = Database.of(path_of(tmp_path), can_write=True, patience=0)
    other.do("PRAGMA locking_mode = EXCLUSIVE")
    other.do("BEGIN EXCLUSIVE")
    memory = opened(tmp_path)
    assert "is in use by another program" in memory.trouble
    assert "The run goes on without" in memory.trouble
    other.close()
    assert memory.save("2", put("b two")) == ""
    memory.close()
    assert texts(tmp_path) == ["a one", "b two"]


@pytest.fixture
def no_room() -> Iterator[None]:
    """No file can grow any more."""
    with full_disk():
        yield


@pytest.fixture
def kept_before(tmp_path: Path) -> None:
    save(tmp_path, "1", put("a one", "b two"))


@pytest.mark.usefixtures("kept_before", "no_room")
def test_on_a_disk_without_any_room_a_memory_is_read_and_told_of_what_is_not_kept(tmp_path: Path) -> None:
    assert not log_of(path_of(tmp_path)).exists()  # SQLite makes it, and a third file, even to read
    memory = opened(tmp_path)
    assert [one.text for one in memory.root.items.all()] == ["a one", "b two"]
    assert "the disk is full" in memory.save("2", put("c three"))
    memory.close()


def test_a_full_disk_is_told_and_nothing_is_half_written(tmp_path: Path) -> None:
    save(tmp_path, "1", put("a one"))
    memory = opened(tmp_path)
    assert memory.save("2", put("b two")) == ""
    assert memory._saver is not None
    database, _ = memory._saver._database()
    pages = database.value("PRAGMA page_count")
    database.do(f"PRAGMA max_page_count = {pages}")
    assert "the disk is full" in memory.save("3", [*put("a three"), *put("c" * 100_000)])
    assert texts(tmp_path) == ["a one", "b two"]
    database.do("PRAGMA max_page_count = 100000")
    assert memory.save("3", put("a three")) == ""
    memory.close()
    assert texts(tmp_path) == ["a three", "b two"]


class FailingFile(apsw.VFSFile):
    """A file of which one write fails, counted over all files; and all that follow."""

    def __init__(self, name: object, flags: list[int]) -> None:
        super().__init__("unix", name, flags)  # type: ignore[arg-type]

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        FailingDisk.count()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        FailingDisk.count()
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        FailingDisk.count()
        super().xTruncate(newsize)


class FailingDisk(apsw.VFS):
    """A disk on which so many writes go well; -1: all."""

    left = -1
    done = 0

    def __init__(self) -> None:
        super().__init__("failing", base="unix", makedefault=True)

    def xOpen(self, name: object, flags: list[int]) -> FailingFile:  # noqa: N802
        return FailingFile(name, flags)

    @classmethod
    def count(cls) -> None:
        if cls.left == 0:
            raise apsw.FullError
        cls.left -= 1
        cls.done += 1


@pytest.fixture
def disk() -> Iterator[type[FailingDisk]]:
    made = FailingDisk()
    FailingDisk.left, FailingDisk.done = -1, 0
    yield FailingDisk
    FailingDisk.left = -1
    made.unregister()


def test_whichever_write_fails_all_or_nothing_is_kept_and_it_is_told(
    tmp_path: Path, disk: type[FailingDisk]
) -> None:
    more = [*put("a two"), *put(*(f"{letter} {'more ' * 900}" for letter in "cd"))]
    save(tmp_path / "whole", "1", put("a one", "b one"))
    disk.done = 0
    assert save(tmp_path / "whole", "2", more) == ""
    writes, after = disk.done, texts(tmp_path / "whole")
    assert writes > 5
    for number in range(writes):
        folder = tmp_path / str(number)
        disk.left = -1
        save(folder, "1", put("a one", "b one"))
        disk.left = number
        memory = opened(folder)
        said = memory.save("2", more)
        memory.close()
        disk.left = -1
        found = texts(folder)
        assert found == (["a one", "b one"] if said else after)
        assert not said or "the disk is full" in said
        assert save(folder, "2", more) == ""
        assert texts(folder) == after
        assert trouble(folder) == ""


def test_where_nobody_may_write_beside_a_file_it_is_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path, "1", put("a one"))
    writer = opened(tmp_path)
    assert writer.save("2", put("b two")) == ""
    assert log_of(path_of(tmp_path)).stat().st_size
    original, refused = Database.of, list[Path]()

    def refuse(path: Path, *, can_write: bool, patience: float) -> Database:
        if path.parent == tmp_path:
            refused.append(path)
            raise apsw.CantOpenError("unable to open database file")
        return original(path, can_write=can_write, patience=patience)

    monkeypatch.setattr(Database, "of", refuse)
    assert texts(tmp_path) == ["a one", "b two"]
    memory = opened(tmp_path)
    assert "can't be opened or written" in memory.save("3", put("c"))
    assert refused
    writer.close()
