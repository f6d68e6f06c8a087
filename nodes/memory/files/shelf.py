"""The files of a memory in the hands of a step: within their bounds, and decided by what was read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nodes.memory.files.text_files import at_path
from studio.sdk import Context, Item, Items, KeptItems, MemoryPlace, Recalled, ToolError


@dataclass(frozen=True, slots=True)
class FileBounds:
    """How many files there may be, and how many characters one of them, and all together, may have."""

    most: int
    longest: int
    together: int


@dataclass(frozen=True, slots=True)
class FileShelf:
    """The files, for `by`."""

    context: Context
    place: MemoryPlace
    bounds: FileBounds
    by: str

    @property
    def kept(self) -> KeptItems:
        """The memory."""
        return self.context.memory(self.place)

    def text(self, path: str) -> str:
        """What stands in a file that is to be changed; raises `ToolError` where there is none."""

        def search(items: Items) -> Sequence[Recalled]:
            """Take it."""
            return [] if (one := items.get(path)) is None else [Recalled(one)]

        found = self.kept.read(f"the file {path}", search, purpose="upkeep")
        if not found:
            raise ToolError(f"There is no file `{path}`.")
        return found[0].item.text

    def write(self, texts: Mapping[str, str]) -> Sequence[Item]:
        """Put files in, by path, or none of them: raises `ToolError` where one does not fit."""
        for path, text in texts.items():
            if not path:
                raise ToolError("A file needs a path.", hint="Write one such as notes/may.txt.")
            if len(text) > self.bounds.longest:
                raise ToolError(
                    f"`{path}` would have {len(text):,} characters; {self.bounds.longest:,} fit.",
                    hint="Shorten it, or make several files.",
                )
        self._check_room(texts)
        at = self.context.now().isoformat()
        made = [Item(path, text, {"path": path}, at, self.by) for path, text in texts.items()]
        for one in made:
            self.kept.put(one)
        return made

    def delete(self, paths: Sequence[str], why: str) -> Sequence[Item]:
        """Take out the files at these paths, and those in folders that are there."""

        def search(items: Items) -> Sequence[Recalled]:
            """Take all of them, each once."""
            found = {one.id: one for path in paths for one in at_path(items, path)}
            return [Recalled(one) for one in found.values()]

        found = self.kept.read(f"files at {', '.join(paths)}", search, purpose="upkeep")
        for one in found:
            self.kept.remove(one.item.id, why)
        return [one.item for one in found]

    def rename(self, old: str, new: str) -> Sequence[Item]:
        """Move a file or a folder; raises `ToolError` where there is something already."""

        def search(items: Items) -> Sequence[Recalled]:
            """Take what is to be moved, and what is in the way."""
            if old == new or new.startswith(f"{old}/"):
                return []
            there = [Recalled(one, 0.0, "in the way") for one in at_path(items, new)]
            return [*(Recalled(one, 1.0) for one in at_path(items, old)), *there]

        found = self.kept.read(f"files at {old}, to be moved to {new}", search, purpose="upkeep")
        if not old or not new or not any(one.score for one in found):
            raise ToolError(f"There is no `{old}` that could be moved to `{new}`.")
        if not all(one.score for one in found):
            raise ToolError(f"`{new}` is there already.")
        moved: list[Item] = []
        for one in found:
            self.kept.remove(one.item.id, "renamed")
            path = new + one.item.id.removeprefix(old)
            moved.append(replace(one.item, id=path, data={**one.item.data, "path": path}))
            self.kept.put(moved[-1])
        return moved

    def _check_room(self, texts: Mapping[str, str]) -> None:
        written = sum(map(len, texts.values()))

        def search(items: Items) -> Sequence[Recalled]:
            """Tell how many there are, where there is no room."""
            known = items.all()
            others = [len(one.text) for one in known if one.id not in texts]
            count, together = len(others) + len(texts), sum(others) + written
            if count <= self.bounds.most and together <= self.bounds.together:
                return []
            said = f"{count} files of {self.bounds.most}"
            said = f"{said}, {together} characters of {self.bounds.together}"
            return [Recalled(Item("", said), 0.0, "more than fit")]

        found = self.kept.read("is there room for it", search, purpose="upkeep")
        if found:
            raise ToolError(
                f"There is no room for `{', '.join(texts)}`: there would be {found[0].item.text}.",
                hint="Delete or shorten some files first.",
            )
