"""The memories of a project, for runs; implements `studio.sdk.item_layers.MemoryStores`."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from studio.errors import StepError, StoreError
from studio.sdk.item_layers import Write
from studio.sdk.items import MemoryPlace
from studio.store.locks import locked
from studio.store.memories.contents import Contents, contents_of
from studio.store.memories.file_names import file_of
from studio.store.memories.layers import SeenItems, StoredLayer
from studio.store.memories.new_file import sort_of
from studio.store.memories.salvage import mend, readable_of
from studio.store.memories.saves import MemorySaver
from studio.store.memories.sql import DAMAGED, SqlError
from studio.store.memories.vectors import Vectors
from studio.store.memories.words import RUN_KEEPS, told, told_all


class StoredMemory:
    """One memory for one run, which has all of it that there was; implements `OpenedMemory`.

    What others do to the file meanwhile does not change what is seen here.
    """

    def __init__(self, contents: Contents, saver: MemorySaver | None, trouble: str = "") -> None:
        self._vectors = Vectors()
        self._saver = saver
        self.version = contents.version
        self.count = len(contents.items)
        self.trouble = trouble
        self.root = StoredLayer(SeenItems.of(contents.items, self._vectors), self._vectors)

    def save(self, key: str, writes: Sequence[Write]) -> str:
        """Keep writes that took effect, if the memory lasts; gives what went wrong, in words."""
        if self._saver is None or not writes:
            return ""
        try:
            with told_all(self._saver.path):
                self._saver.save(key, writes)
        except StoreError as error:
            return str(error)
        return ""

    def close(self) -> None:
        """Let go of it."""
        self._vectors.close()
        if self._saver is not None:
            self._saver.close()


class StoredMemories:
    """Memories in the files of one folder, made when something is kept there; those of a run have no file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self, place: MemoryPlace, *, run: str, version: int | None = None) -> StoredMemory:
        """Open a memory as it is, or as it was in an earlier `version`.

        Raises `StepError` where there is one of another kind under its name.
        """
        del run
        if place.keep == "run":
            return StoredMemory(_nothing(place), None)
        path = file_of(self._folder, place.name)
        try:
            contents, trouble = _read(path, place, version)
        except StoreError as error:
            words = f"{error} The run goes on without what is in there. {RUN_KEEPS}"
            contents, trouble = _nothing(place), words
        if contents.kind != place.kind:
            raise StepError(
                f"The memory `{place.name}` of this project has the type `{contents.kind}`, "
                f"not `{place.kind}`.",
                hint="Rename this one.",
            )
        if contents.name != place.name:
            raise StepError(
                f"The memory `{place.name}` would have the same file as `{contents.name}`.",
                hint="Use names that differ in more than upper and lower case.",
            )
        return StoredMemory(contents, MemorySaver(path, place.name, place.kind), trouble)


def _read(path: Path, place: MemoryPlace, version: int | None) -> tuple[Contents, str]:
    """Read what can be read, and say what was wrong."""
    with told(path):
        sort = sort_of(path)
        if version == 0 or sort == "missing":
            return _nothing(place), _missing(place, version) if sort == "missing" else ""
        if sort == "foreign":
            raise StoreError(f"`{path.name}` is not a memory and was left unchanged.")
        if sort == "damaged":
            return _mended(path, place, version)
        try:
            contents = contents_of(path, version)
        except DAMAGED:
            if sort == "newer":
                return _nothing(place), f"{_newer(path)} It cannot be read here."
            return _mended(path, place, version)
    if sort == "newer":
        return contents, f"{_newer(path)} Its items can be read. {RUN_KEEPS}"
    return contents, _other_version(path, contents, version)


def _mended(path: Path, place: MemoryPlace, version: int | None) -> tuple[Contents, str]:
    try:
        with locked(path):
            with suppress(*DAMAGED):
                return contents_of(path, version), ""  # another process was faster
            aside, count = mend(path, place.name, place.kind)
        words = (
            f"`{path.name}` was damaged: {count} of its items could be read and are in a new file."
            f" The damaged one is `{aside.name}`."
        )
        return contents_of(path, version), words
    except (OSError, SqlError) as error:
        contents = _readable(path, place, version)
        words = (
            f"`{path.name}` is damaged and can't be moved aside ({error}): "
            f"{len(contents.items)} of its items can be read. {RUN_KEEPS}"
        )
        return contents, words


def _readable(path: Path, place: MemoryPlace, version: int | None) -> Contents:
    try:
        return readable_of(path, place.name, place.kind, version)
    except (OSError, SqlError):
        return _nothing(place)


def _nothing(place: MemoryPlace) -> Contents:
    return Contents(place.name, place.kind, 0, 0, 0, ())


def _missing(place: MemoryPlace, version: int | None) -> str:
    if not version:
        return ""
    return f"The memory `{place.name}` was at version {version} and is gone: the run starts without it."


def _newer(path: Path) -> str:
    return f"`{path.name}` was written by a newer Stepwire and was left unchanged."


def _other_version(path: Path, contents: Contents, version: int | None) -> str:
    if version is None or version == contents.version:
        return ""
    return (
        f"`{path.name}` no longer has version {version}: the run uses version "
        f"{contents.version}, the nearest one."
    )
