"""What agents call to use the files of a memory: the commands of a memory that many language models know."""

from collections.abc import Mapping, Sequence

from nodes.memory.files.shelf import FileShelf
from nodes.memory.files.text_files import below, inserted, listed, numbered, path_in, replaced
from studio.building_blocks.agents.tool_parameters import parameters
from studio.building_blocks.values.json_kinds import is_list
from studio.sdk import Items, Json, Recalled, Tool, ToolError

PATH = {"path": {"type": "string", "description": "Such as notes/may.txt"}}
TEXT = {"type": "string"}
AFTER = {"type": "integer", "description": "The line after which they are put; 0: at the beginning"}
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
    made = [view(shelf), create(shelf), replace(shelf), insert(shelf), delete(shelf), rename(shelf)]
    return [
        Tool(f"{prefix}{one.name}", one.description, one.parameters, one.run, runs_steps=True) for one in made
    ]


def create(shelf: FileShelf) -> Tool:
    """The tool that writes a file whole."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Write it."""
        [made] = shelf.write({path_in(arguments["path"]): str(arguments["file_text"])})
        return f"Written: `{made.id}`."

    told = "Write a file of the memory whole, new or again."
    return Tool("create", told, parameters({**PATH, "file_text": TEXT}), run)


def replace(shelf: FileShelf) -> Tool:
    """The tool that changes a text that stands in a file once."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Change it."""
        path = path_in(arguments["path"])
        said = shelf.text(path)
        shelf.write({path: replaced(said, str(arguments["old_str"]), str(arguments["new_str"]), path)})
        return f"Changed: `{path}`."

    wants = parameters({**PATH, "old_str": TEXT, "new_str": TEXT})
    return Tool("str_replace", "Replace a text that stands just once in a file of the memory.", wants, run)


def insert(shelf: FileShelf) -> Tool:
    """The tool that puts lines into a file."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Put them in."""
        path, line = path_in(arguments["path"]), arguments["insert_line"]
        if not isinstance(line, int):
            raise ToolError("`insert_line` is the number of a line.")
        shelf.write({path: inserted(shelf.text(path), line, str(arguments["insert_text"]))})
        return f"Changed: `{path}`."

    wants = parameters({**PATH, "insert_line": AFTER, "insert_text": TEXT})
    return Tool("insert", "Insert lines into a file of the memory.", wants, run)


def delete(shelf: FileShelf) -> Tool:
    """The tool that deletes a file or a folder."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Delete it."""
        path = path_in(arguments["path"])
        if not path:
            raise ToolError("The memory itself cannot be deleted.", hint="Delete its files.")
        gone = shelf.delete([path], "forgotten")
        if not gone:
            raise ToolError(f"There is no `{path}`.")
        return f"Deleted: {', '.join(f'`{one.id}`' for one in gone)}."

    return Tool("delete", "Delete a file or folder of the memory.", parameters(PATH), run)


def rename(shelf: FileShelf) -> Tool:
    """The tool that moves a file or a folder."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Move it."""
        moved = shelf.rename(path_in(arguments["old_path"]), path_in(arguments["new_path"]))
        return f"Renamed: {', '.join(f'`{one.id}`' for one in moved)}."

    wants = parameters({"old_path": TEXT, "new_path": TEXT})
    return Tool("rename", "Rename a file or folder of the memory.", wants, run)


def view(shelf: FileShelf) -> Tool:
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
    return Tool("view", told, wants, run)


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
