"""The memories that last in a project, for window and command line: looked at, edited, taken in and out."""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from studio.app.memories.item_lines import read_lines, write_lines
from studio.app.memories.run_memories import is_changed, run_items
from studio.app.memories.script_memories import is_memory_of_script, read_memory_of_script
from studio.app.memories.written_items import with_vectors
from studio.app.write_guard import refuse_loss
from studio.errors import StoreError, UsageError
from studio.sdk.item_layers import Write
from studio.sdk.items import Item
from studio.sdk.told_items import item_of
from studio.store.locks import locked
from studio.store.memories.contents import Contents, contents_of, reading
from studio.store.memories.file_names import MEMORIES, SUFFIX, file_of
from studio.store.memories.new_file import sort_of
from studio.store.memories.salvage import mend, readable_of
from studio.store.memories.saves import MemorySaver
from studio.store.memories.sql import DAMAGED, SqlError
from studio.store.memories.words import told_all
from studio.trace.fold.memory_state import vector_of_text
from studio.trace.fold.state import RunState
from studio.workspace.project import Project

USER = "user"
"""Who wrote what was written by hand."""
UNDOES = "undo to "
"""How a version names, as its source, the one that it is like."""


@dataclass(frozen=True, slots=True)
class ProjectMemory:
    """A memory of the project; `trouble` says what is wrong with its file: mend it, if it `is_damaged`."""

    name: str
    kind: str
    count: int
    bytes: int
    version: int
    trouble: str = ""
    is_damaged: bool = False
    can_edit: bool = True
    embedded_by: str = ""
    """What made the vectors of the item that was written last, where it has one."""


class ProjectMemories:
    """The memories of one project. What reads or writes them may take a while: not for an event loop."""

    def __init__(self, project: Project) -> None:
        self._folder = project.root / MEMORIES
        self._known: dict[Path, tuple[object, ProjectMemory | None]] = {}

    def signature(self) -> object:
        """Give something that differs once a file has changed; costs next to nothing."""
        return [(path.name, _state_of(path)) for path in self._files()]

    def all(self) -> list[ProjectMemory]:
        """Give all of them by name, those with trouble as well; files are read once they have changed."""
        known: dict[Path, tuple[object, ProjectMemory | None]] = {}
        for path in self._files():
            state = _state_of(path)
            before = self._known.get(path)
            known[path] = before if before is not None and before[0] == state else (state, _described(path))
        self._known = known
        found = (memory for _, memory in known.values() if memory is not None)
        return sorted(found, key=lambda one: one.name.casefold())

    def find(self, name: str) -> ProjectMemory:
        """Give the memory of a name; raises `UsageError`."""
        found = self.all()
        memory = next((one for one in found if one.name == name), None)
        if memory is None:
            names = ", ".join(one.name for one in found)
            hint = f"There are: {names}." if names else "No run has saved a memory in this project yet."
            raise UsageError(f"This project has no memory `{name}`.", hint=hint)
        return memory

    def items(self, name: str, version: int | None = None) -> Sequence[Item]:
        """Read the items of a memory, as they are or were; of a damaged one, what can be read."""
        path = file_of(self._folder, name)
        if sort_of(path) in {"missing", "foreign"}:
            return ()
        with told_all(path):
            return _contents(path, version)[0].items

    def put(self, name: str, items: Sequence[Item], *, instead_of: str = "") -> int:
        """Put items in as the user's; gives the version that this made. The item `instead_of` goes."""
        gone = [instead_of] if instead_of and all(one.id != instead_of for one in items) else []
        writes = [Write("remove", Item(one, ""), "edited") for one in gone]
        memory = self.find(name)
        return self._save(memory, [*writes, *(Write("put", one) for one in with_vectors(memory.kind, items))])

    def remove(self, name: str, ids: Iterable[str]) -> int:
        """Take items out; gives the version that this made."""
        return self._save(self.find(name), [Write("remove", Item(one, ""), "deleted by hand") for one in ids])

    def clear(self, name: str) -> int:
        """Take all items out; gives how many they were."""
        ids = [one.id for one in self.items(name)]
        self.remove(name, ids)
        return len(ids)

    def undo(self, name: str, made: int | None = None) -> int:
        """Undo what was done to the memory last, and each time one change more; gives the version.

        With `made`, only what made that version; raises `UsageError` where more has happened since.
        """
        memory = self.find(name)
        if made is not None and memory.version != made:
            raise UsageError(
                f"`{name}` has changed since.", hint="Use its own Undo to go back change by change."
            )
        path = file_of(self._folder, name)
        with told_all(path), reading(path) as database:
            source = str(database.value("SELECT source FROM versions ORDER BY version DESC LIMIT 1") or "")
        like = source.removeprefix(UNDOES)
        last = int(like) if source.startswith(UNDOES) and like.isdecimal() else memory.version
        if last < 1:
            raise UsageError(f"`{name}` has nothing left to undo.")
        saver = MemorySaver(path, name, memory.kind)
        try:
            with told_all(path):
                saver.revert(secrets.token_hex(8), last - 1, f"{UNDOES}{last - 1}")
        finally:
            saver.close()
        return last - 1

    def import_from(self, name: str, path: Path, kind: str = "") -> int:
        """Put items in that `export` or an older exported script wrote; gives how many.

        A memory that is not there is made of a `kind`. Raises `UsageError` for a file without items.
        """
        items = read_memory_of_script(path) if is_memory_of_script(path) else read_lines(path)
        if kind and not file_of(self._folder, name).exists():
            memory = ProjectMemory(name, kind, 0, 0, 0)
        else:
            memory = self.find(name)
        self._save(memory, [Write("put", one) for one in with_vectors(memory.kind, items)])
        return len(items)

    def take(self, state: RunState, name: str) -> int:
        """Let the project remember what a run did; gives how many items. What was taken once is not again."""
        opened = state.memories.opened.get(name)
        if opened is None or opened.keep != "project" or not is_changed(state, name):
            raise UsageError(f"The run has written nothing to a memory `{name}` of the project.")
        writes = list(run_writes(state, name))
        memory = ProjectMemory(name, opened.sort, 0, 0, 0)
        self._save(memory, writes, f"{state.run} saved at {state.entries_count}", f"saved from {state.run}")
        return len(writes)

    def put_back(self, name: str, state: RunState | None) -> int | None:
        """Make a memory what it was when a run ended, or (None) empty; gives the version that this made.

        None where it is so already, and where the run did not use it. What it was can be had back by `undo`.
        """
        if sort_of(file_of(self._folder, name)) == "missing":
            return None
        wanted: Sequence[Item] = ()
        if state is not None:
            opened = state.memories.opened.get(name)
            if opened is None or opened.keep != "project":
                return None
            wanted = run_items(state, name, self.items(name, opened.version) if opened.items else ())
        now = self.items(name)
        # Items are in the order in which they were put: from the first that differs, all are put anew.
        same = 0
        while same < min(len(now), len(wanted)) and _is_same(now[same], wanted[same]):
            same += 1
        writes = [Write("remove", Item(one.id, ""), "another turn is gone on from") for one in now[same:]]
        writes += [Write("put", one) for one in wanted[same:]]
        return self._save(self.find(name), writes) if writes else None

    def mend(self, name: str) -> int:
        """Put a sound file in the place of a damaged one, which stays; gives how many items that has."""
        memory, path = self.find(name), file_of(self._folder, name)
        if not memory.is_damaged:
            raise UsageError(memory.trouble or f"`{name}` is intact: there is nothing to repair.")
        with told_all(path), locked(path):  # a run may be mending it too
            return mend(path, memory.name, memory.kind)[1]

    @staticmethod
    def export_to(items: Iterable[Item], path: Path, *, force: bool = False) -> int:
        """Write items as JSON lines; gives how many. Raises `UsageError`, also as `refuse_loss` does."""
        refuse_loss(path, "memory", force=force)
        return write_lines(items, path)

    def _save(self, memory: ProjectMemory, writes: Sequence[Write], key: str = "", source: str = USER) -> int:
        if not memory.can_edit:
            raise StoreError(memory.trouble or f"`{memory.name}` can't be written.")
        path = file_of(self._folder, memory.name)
        saver = MemorySaver(path, memory.name, memory.kind)
        try:
            with told_all(path):
                return saver.save(key or secrets.token_hex(8), writes, source)
        finally:
            saver.close()

    def _files(self) -> list[Path]:
        try:
            return sorted(one for one in self._folder.glob(f"*{SUFFIX}") if not one.name.startswith("."))
        except OSError:
            return []


def _is_same(one: Item, other: Item) -> bool:
    return (one.id, one.text) == (other.id, other.text)


def run_writes(state: RunState, memory: str) -> Iterator[Write]:
    """Give what a run made of a memory, with the vectors."""
    for write in state.memories.written.get(memory, {}).values():
        item = item_of(write.item)
        if write.operation == "put":
            yield Write("put", replace(item, vector=vector_of_text(write.vector)), write.why)
        else:
            yield Write("remove", item, write.why)
    for name, times in state.memories.used.get(memory, {}).items():
        yield from (Write("use", Item(name, "", at=at)) for at in times)


def _described(path: Path) -> ProjectMemory | None:
    sort = sort_of(path)
    if sort == "missing":
        return None
    size = sum(one.stat().st_size for one in (path, path.with_name(f"{path.name}-wal")) if one.exists())
    if sort == "foreign":
        words = f"`{path.name}` is not a memory and was left unchanged. Move or rename it."
        return ProjectMemory(path.name.removesuffix(SUFFIX), "", 0, size, 0, words, can_edit=False)
    try:
        with told_all(path):
            contents, is_damaged = _contents(path)
    except StoreError as error:
        return ProjectMemory(path.name.removesuffix(SUFFIX), "", 0, size, 0, str(error), can_edit=False)
    memory = ProjectMemory(contents.name, contents.kind, len(contents.items), size, contents.newest)
    if contents.name and file_of(path.parent, contents.name).name != path.name and not is_damaged:
        words = f"`{path.name}` is the file of the memory `{contents.name}`, under another name."
        return replace(memory, name=path.name.removesuffix(SUFFIX), trouble=words, can_edit=False)
    last: Mapping[str, object] = contents.items[-1].data if contents.items else {}
    memory = replace(memory, embedded_by=str(last.get("embedded_by", "")))
    if sort == "newer":
        words = f"`{path.name}` was written by a newer Stepwire: it can be read, but not changed."
        return replace(memory, trouble=words, can_edit=False)
    if is_damaged:
        words = f"`{path.name}` is damaged: {memory.count} of its items can be read."
        return replace(memory, trouble=words, is_damaged=True, can_edit=False)
    return memory


def _contents(path: Path, version: int | None = None) -> tuple[Contents, bool]:
    """Read a memory, and tell whether it is damaged; then it has what can be read."""
    if sort_of(path) != "damaged":
        try:
            return contents_of(path, version), False
        except DAMAGED:
            pass
    try:
        return readable_of(path, path.name.removesuffix(SUFFIX), "", version), True
    except SqlError:
        return Contents(path.name.removesuffix(SUFFIX), "", 0, 0, 0, ()), True


def _state_of(path: Path) -> object:
    found: list[object] = []
    for one in (path, path.with_name(f"{path.name}-wal")):
        try:
            stat = one.stat()
        except OSError:
            continue
        if stat.st_size:  # reading leaves an empty journal behind
            found.append((stat.st_mtime_ns, stat.st_size))
    return tuple(found)
