r"""Files: a folder of the project, as tools for an agent.

The agent can list the files, read them, and find lines that say something; where writing is allowed, also
write whole files. It cannot leave the folder, and hidden files do not exist for it. Nor does it write where
programs are started from (`bin`, `nodes`, `node_modules`, modules beside the project file), over a program,
a flow or a project. Where an agent is lent several folders, a prefix tells their tools apart.

```json
{
  "files": {"notes/may.txt": "4 May\nA dunnock sang."},
  "settings": {"folder": "notes"},
  "calls": [
    {"tool": "list_files", "arguments": {}},
    {"tool": "find_lines", "arguments": {"text": "dunnock"}}
  ],
  "outputs": {"tool": ["may.txt", "may.txt:2: A dunnock sang."]}
}
```
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Annotated

from studio.building_blocks.agents.tool_parameters import parameters
from studio.building_blocks.settings.tools import ToolPrefix
from studio.sdk import Context, Effect, Folder, Setting, Tool, ToolError, Yields, binding

PATH = {"path": {"type": "string", "description": "Relative to the folder"}}
TEXT = {"text": {"type": "string"}}
LIMIT = 200
"""Lines or names in one answer; more are counted, not shown."""

LONGEST = 200_000
"""Characters of one answer: more than that no language model reads to the end."""


@binding(
    "tools.files",
    title="Files",
    effect=Effect.SIDE_EFFECT,
    accesses={"files": "write=true"},
    keywords=("folder", "read", "write", "list", "disk"),
)
async def files(
    context: Context,
    *,
    folder: Annotated[str, Setting("Folder", editor="folder", help="Inside the project")] = "data",
    write: Annotated[bool, Setting("Allow writing")] = False,
    prefix: ToolPrefix = "",
) -> Yields[Sequence[Tool]]:
    """Lend the tools for one folder."""
    place = context.folder(folder)
    tools = [list_files(place), read_file(place), find_lines(place)]
    tools += [write_file(place)] if write else []
    yield [replace(tool, name=f"{prefix}{tool.name}") for tool in tools]


def list_files(folder: Folder) -> Tool:
    """The tool that names the files."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Name the files."""
        return shortened(folder.names(str(arguments.get("pattern", "*"))), "There are no such files.")

    pattern = {"pattern": {"type": "string", "description": "Such as *.txt; all files without it"}}
    return Tool("list_files", "List the files of the folder.", parameters(pattern, required=()), run)


def read_file(folder: Folder) -> Tool:
    """The tool that reads one file."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Read one file."""
        text = folder.read_text(str(arguments["path"]))
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n… cut after {LONGEST} characters"

    return Tool("read_file", "Read a text file, or the beginning of a long one.", parameters(PATH), run)


def find_lines(folder: Folder) -> Tool:
    """The tool that looks for a text in all files."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Find the lines."""
        wanted, found = str(arguments["text"]).casefold(), list[str]()
        for name in folder.names():
            with suppress(ToolError):  # it is no text
                lines = enumerate(folder.read_text(name).splitlines(), 1)
                found += [
                    f"{name}:{number}: {line.strip()}" for number, line in lines if wanted in line.casefold()
                ]
        return shortened(found, "No line says that.")

    return Tool("find_lines", "Find the lines that say a text, in all files.", parameters(TEXT), run)


def write_file(folder: Folder) -> Tool:
    """The tool that writes one file."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Write one file."""
        return f"Written: {folder.write_text(str(arguments['path']), str(arguments['text']))}"

    return Tool(
        "write_file", "Write a text file whole.", parameters({**PATH, **TEXT}), run, Effect.SIDE_EFFECT
    )


def shortened(lines: Sequence[str], otherwise: str) -> str:
    """Put at most `LIMIT` lines into a text."""
    more = [f"… and {len(lines) - LIMIT} more"] if len(lines) > LIMIT else []
    return "\n".join([*lines[:LIMIT], *more]) or otherwise
