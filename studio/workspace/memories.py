"""The memories of a project, for its runs: files in its folder."""

from pathlib import Path

from studio.sdk.item_layers import OpenedMemory
from studio.sdk.items import MemoryPlace


class LateMemories:
    """Implements `MemoryStores`; what it needs is loaded with the first memory, for that takes its time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self, place: MemoryPlace, *, run: str, version: int | None = None) -> OpenedMemory:
        """Open a memory; see `MemoryStores.open`."""
        from studio.store.memories.project_memories import StoredMemories

        return StoredMemories(self._folder).open(place, run=run, version=version)
