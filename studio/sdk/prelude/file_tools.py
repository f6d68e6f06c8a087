"""What agents call to use the files of a memory: the commands of a memory that many language models know."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from studio.sdk import Items, Json, Recalled, Tool, ToolError
from studio.sdk.prelude.file_shelf import FileShelf
from studio.sdk.prelude.kept_files import below, inserted, listed, numbered, path_in, replaced
from studio.sdk.prelude.kinds import is_list
from studio.sdk.prelude.tool_parameters import parameters

PATH = {"path": {"type": "string", "description": "Such as notes/may.txt"}}
LINES = {
    "type": "array",
    "items": {"type": "integer"},
    "minItems": 2,
    "maxItems": 2,
    "description": "The first and the last line, counted from 1; -1: to the end",
}
LISTED = 1000
"""Files in one list at most."""


def file_tools(shelf: FileShelf, prefix: str) -> Sequence[Tool]:
    """The tools for one agent."""
    text = {"type": "string"}
    number = {"type": "integer", "description": "The line after which it is put; 0: at the beginning"}

    def made(
        name: str, told: str, work: Callable[[Mapping[str, object]], Awaitable[str]], **more: object
    ) -> Tool:
        """A tool with a path and more that it needs."""
        wants = parameters(more if "old_path" in more else {**PATH, **more})
        return Tool(f"{prefix}{name}", told, wants, work, runs_steps=True)

    async def create(arguments: Mapping[str, object]) -> str:
        """Write a file whole."""
        [made] = shelf.write({path_in(arguments["path"]): str(arguments["file_text"])})
        return f"Written: `{made.id}`."

    async def replace(arguments: Mapping[str, object]) -> str:
        """Change a text that stands in a file once."""
        path = path_in(arguments["path"])
        said = shelf.text(path)
        shelf.write({path: replaced(said, str(arguments["old_str"]), str(arguments["new_str"]), path)})
        return f"Changed: `{path}`."

    async def insert(arguments: Mapping[str, object]) -> str:
        """Put lines into a file."""
        path, line = path_in(arguments["path"]), arguments["insert_line"]
        if not isinstance(line, int):
            raise ToolError("`insert_line` is the number of a line.")
        shelf.write({path: inserted(shelf.text(path), line, str(arguments["insert_text"]))})
        return f"Changed: `{path}`."

    async def delete(arguments: Mapping[str, object]) -> str:
        """Delete a file or a folder."""
        path = path_in(arguments["path"])
        if not path:
            raise ToolError("The memory itself cannot be deleted.", hint="Delete its files.")
        gone = shelf.delete([path], "forgotten")
        if not gone:
            raise ToolError(f"There is no `{path}`.")
        return f"Deleted: {', '.join(f'`{one.id}`' for one in gone)}."

    async def rename(arguments: Mapping[str, object]) -> str:
        """Move a file or a folder."""
        moved = shelf.rename(path_in(arguments["old_path"]), path_in(arguments["new_path"]))
        return f"Renamed: {', '.join(f'`{one.id}`' for one in moved)}."

    return [
        view(shelf, prefix),
        made("create", "Write a file of the memory whole, new or again.", create, file_text=text),
        made(
            "str_replace",
            "Replace a text that stands just once in a file of the memory.",
            replace,
            old_str=text,
            new_str=text,
        ),
        made(
            "insert", "Insert lines into a file of the memory.", insert, insert_line=number, insert_text=text
        ),
        made("delete", "Delete a file or folder of the memory.", delete),
        made("rename", "Rename a file or folder of the memory.", rename, old_path=text, new_path=text),
    ]


def view(shelf: FileShelf, prefix: str) -> Tool:
    """The tool that shows a folder, or a file with numbered lines."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Show it."""
        path = path_in(arguments.get("path", ""))

        def search(items: Items) -> Sequence[Recalled]:
            """Take the file, or all that is in the folder."""
            one = items.get(path)
            if one is not None:
                return [Recalled(one, 1.0, f"its path is `{path}`")]
            return [Recalled(one, 0.0, "it is in the folder") for one in below(items, path)[:LISTED]]

        found = shelf.kept.read(f"the file or folder {path or '/'}", search)
        if len(found) == 1 and found[0].item.id == path:
            return numbered(found[0].item.text, *lines_in(arguments.get("view_range")))
        if path and not found:
            raise ToolError(f"There is no `{path}`.", hint="View the whole memory: leave out the path.")
        return listed([one.item for one in found], path) if found else "There are no files yet."

    wants = parameters({**PATH, "view_range": LINES}, [])
    told = "View a file of the memory with numbered lines, or list a folder; without a path, all files."
    return Tool(f"{prefix}view", told, wants, run, runs_steps=True)


def lines_in(given: object) -> tuple[int, int]:
    """The first and last line that are wanted."""
    if given is None:
        return 1, -1
    listed: Json = given  # type: ignore[assignment]  # arguments are JSON
    if is_list(listed) and len(listed) == 2:
        first, last = listed
        if isinstance(first, int) and isinstance(last, int):
            return first, last
    raise ToolError("`view_range` is the first and the last line, as [1, 20].")
