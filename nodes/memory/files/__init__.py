r"""Files: a memory of text files that agents organize themselves.

Its tools are those of a memory that many language models know: view a folder or a file (with numbered
lines), create, replace a text that stands there once, insert lines, delete, rename. The files are items of
the memory, and not of the disk.

What is remembered becomes the file at the field `path`, in the place of the one that is there; without a path
one is made. Recalling gives the file at a `path`, or all in a folder, or else files that say words of the
query in their path or text; of long ones the lines around what was found.

```json
{
  "remember": [
    {"text": "4 May\nA dunnock sang in the hedge.", "fields": {"path": "birds/may.txt"}},
    {"text": "Water the beans.", "fields": {"path": "garden.txt"}}
  ],
  "recall": {"text": "Which birds sing?"},
  "outputs": {"memory": ["4 May\nA dunnock sang in the hedge."]}
}
```
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from nodes.memory.files.shelf import FileBounds, FileShelf
from nodes.memory.files.text_files import below, excerpt, path_in
from nodes.memory.files.tools import file_tools
from studio.building_blocks.memories.word_search import found_by_words, latest, within
from studio.building_blocks.settings.memories import KeptIn, MemoryName
from studio.building_blocks.settings.tools import ToolPrefix
from studio.building_blocks.values.json_kinds import is_list
from studio.sdk import (
    Context,
    Item,
    Items,
    Memory,
    MemoryPlace,
    Note,
    Query,
    Recalled,
    Setting,
    Tool,
    ToolError,
    Yields,
    binding,
)


@binding(
    "memory.files",
    title="Memory files",
    lends="memory",
    keywords=("text", "notebook", "documents", "folder", "pages"),
)
async def files(
    context: Context,
    *,
    name: MemoryName = "",
    keep: KeptIn = "run",
    most: Annotated[int, Setting("Max. files", minimum=1, maximum=100_000)] = 1000,
    longest: Annotated[int, Setting("Max. characters", minimum=1, help="Per file")] = 50_000,
    together: Annotated[
        int,
        Setting("Max. characters in total", minimum=1, maximum=50_000_000, help="Expression over all files"),
    ] = 2_000_000,
    gives: Annotated[int, Setting("Files recalled", minimum=1, maximum=1000)] = 4,
    passage: Annotated[
        int, Setting("Max. recalled characters", minimum=1, help="Per file found by search")
    ] = 2000,
    prefix: ToolPrefix = "memory_",
) -> Yields[Memory]:
    """Lend the files."""
    place = MemoryPlace(name or context.node, "memory.files", keep)
    kept = KeptFiles(place, FileBounds(most, longest, together), gives, passage, prefix)
    yield Memory(place, kept.recall, kept.remember, kept.forget, kept.tools, description=DESCRIPTION)


DESCRIPTION = "Text files under paths, found by path or by words."


@dataclass(frozen=True)
class KeptFiles:
    """The files of one memory."""

    place: MemoryPlace
    bounds: FileBounds
    gives: int
    passage: int
    prefix: str

    async def recall(self, context: Context, query: Query) -> Sequence[Recalled]:
        """Find files by path, by words, or the latest."""
        path, most = path_in(query.fields.get("path", "")), query.most or self.gives

        def search(items: Items) -> Sequence[Recalled]:
            """Look for them; the file that is named is given whole."""
            found = within(matching(items, query.text, path), most, 0)
            if not path or [one.item.id for one in found] != [path]:
                found = [excerpt(one, query.text, self.passage) for one in found]
            return within(found, most, query.tokens)

        asked = " about: ".join(filter(None, (f"files in {path}" if path else "files", query.text)))
        return context.memory(self.place).read(asked, search)

    async def remember(self, context: Context, notes: Sequence[Note]) -> Sequence[Item]:
        """Write files whole."""
        texts: dict[str, dict[str, str]] = {}
        for note in notes:
            path = path_in(note.fields.get("path", ""))
            path = path or f"notes/{context.random().getrandbits(48):012x}.txt"
            texts.setdefault(note.by, {})[path] = note.text
        return [one for by, those in texts.items() for one in self.shelf(context, by).write(those)]

    async def forget(self, context: Context, query: Query) -> Sequence[Item]:
        """Take out the files at a path or paths, in a folder, or those that say words of the query."""
        ids, path = query.fields.get("ids"), path_in(query.fields.get("path", ""))
        paths = [path_in(one) for one in ids] if is_list(ids) else [path] if path else []
        shelf = self.shelf(context, query.by)
        if paths:
            return shelf.delete([one for one in paths if one], "forgotten")
        if not query.text.strip():
            raise ToolError("Nothing to delete was named.", hint="Pass a path, or words.")

        def search(items: Items) -> Sequence[Recalled]:
            """Look for what says words of the query."""
            return within(found_by_words(items.all(), query.text), query.most, 0)

        found = shelf.kept.read(f"files about: {query.text}", search, purpose="upkeep")
        for one in found:
            shelf.kept.remove(one.item.id, "forgotten")
        return [one.item for one in found]

    def tools(self, context: Context, by: str) -> Sequence[Tool]:
        """What an agent may call."""
        return file_tools(self.shelf(context, by), self.prefix)

    def shelf(self, context: Context, by: str) -> FileShelf:
        """The files in the hands of a step."""
        return FileShelf(context, self.place, self.bounds, by or context.node)


def matching(items: Items, text: str, path: str) -> Iterable[Recalled]:
    """The file at a path; else those there that say words of the text if there is one; else the latest."""
    if path and (one := items.get(path)) is not None:
        return [Recalled(one, 1.0, f"its path is `{path}`")]
    known = below(items, path) if path else items.all()
    if text.strip():
        return found_by_words(known, text)
    return latest(known, f"it is in `{path}`" if path else "among the latest")
