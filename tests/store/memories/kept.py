"""Memories in files, as tests make and read them."""

from collections.abc import Sequence
from pathlib import Path

from studio.sdk.item_layers import Write
from studio.sdk.items import Item, MemoryPlace
from studio.store.memories.file_names import file_of
from studio.store.memories.project_memories import StoredMemories, StoredMemory

PLACE = MemoryPlace("notes", "memory.notes", "project")


def opened(folder: Path, version: int | None = None) -> StoredMemory:
    return StoredMemories(folder).open(PLACE, run="r", version=version)


def put(*texts: str) -> list[Write]:
    """Put items whose id is the first letter of their text."""
    return [
        Write("put", Item(text[0], text, {"said": text}, at="2026-05-04T12:00:00+00:00")) for text in texts
    ]


def removed(item_id: str) -> Write:
    return Write("remove", Item(item_id, ""))


def save(folder: Path, key: str, writes: Sequence[Write]) -> str:
    memory = opened(folder)
    try:
        return memory.save(key, writes)
    finally:
        memory.close()


def texts(folder: Path, version: int | None = None) -> list[str]:
    memory = opened(folder, version)
    memory.close()
    return [one.text for one in memory.root.items.all()]


def trouble(folder: Path) -> str:
    memory = opened(folder)
    memory.close()
    return memory.trouble


def path_of(folder: Path) -> Path:
    return file_of(folder, "notes")


def fill(folder: Path, count: int, size: int = 300) -> None:
    """Keep so many items, each of so many characters, in versions of a hundred."""
    memory = opened(folder)
    for start in range(0, count, 100):
        items = [Item(f"i{number}", f"{number} " * (size // 5)) for number in range(start, start + 100)]
        assert not memory.save(f"fill/{start}", [Write("put", one) for one in items])
    memory.close()


def write_many(folder: Path, name: str) -> None:
    memory = opened(folder)
    for number in range(40):
        item = Item(f"{name}{number}", name)
        assert memory.save(f"{name}/{number}", [Write("put", item)]) == ""
    memory.close()
