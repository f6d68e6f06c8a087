"""Files, servers of tools, run variables and memories that exist in memory, for tests of nodes."""

import fnmatch
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence

from studio.errors import ToolError
from studio.sdk.item_layers import PlainItems, Write
from studio.sdk.items import Item, Items, Purpose, Recalled
from studio.sdk.ports import Json
from studio.sdk.tool import Tool
from studio.sdk.values import to_plain
from studio.servers.records import ServedTool
from studio.trace.fold.variable_state import Operation, changed


class MemoryFolder:
    """A folder that exists in a mapping of paths to texts; implements `studio.sdk.Folder`."""

    def __init__(self, files: dict[str, str], path: str = "") -> None:
        self._files = files
        self._start = f"{path.strip('/')}/" if path.strip("/") else ""

    def names(self, pattern: str = "*") -> list[str]:
        """The relative paths that match, sorted."""
        here = (path.removeprefix(self._start) for path in self._files if path.startswith(self._start))
        return sorted(name for name in here if fnmatch.fnmatch(name.rpartition("/")[2], pattern))

    def read_text(self, path: str) -> str:
        """Read a file."""
        try:
            return self._files[self._place(path)]
        except KeyError as error:
            raise ToolError(f"There is no file `{path}`.") from error

    def read_bytes(self, path: str) -> bytes:
        """Read a file as UTF-8."""
        return self.read_text(path).encode()

    def database(self, path: str, *, write: bool = False) -> sqlite3.Connection:
        """Make a database in memory of the SQL that the file holds; `write` makes no difference there."""
        del write
        made = sqlite3.connect(":memory:", isolation_level=None)
        made.executescript(self.read_text(path))
        return made

    def exists(self, path: str) -> bool:
        """Tell whether there is a file."""
        return self._place(path) in self._files

    def write_text(self, path: str, text: str) -> str:
        """Write a file."""
        self._files[self._place(path)] = text
        return self._place(path)

    def append_text(self, path: str, text: str) -> str:
        """Append to a file."""
        place = self._place(path)
        self._files[place] = self._files.get(place, "") + text
        return place

    def _place(self, path: str) -> str:
        if path.startswith("/") or ".." in path.split("/"):
            raise ToolError(f"`{path}` leads out of the folder.")
        return self._start + path


class MemoryServer:
    """A server in this process; implements `studio.sdk.ToolServer`."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    async def tools(self) -> Sequence[ServedTool]:
        """Name the tools."""
        return [ServedTool(tool.name, tool.description, tool.parameters) for tool in self._tools.values()]

    async def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Call one."""
        return await self._tools[tool].run(arguments)


class MemoryState:
    """Run variables without a run: each write takes effect at once; implements `studio.sdk.State`."""

    def __init__(self, variables: Mapping[str, Json]) -> None:
        self.variables = dict(variables)

    def has(self, name: str) -> bool:
        """Tell whether a variable is there."""
        return name in self.variables

    def read(self, name: str, default: Json = None) -> Json:
        """Give a variable, or `default`."""
        return self.variables.get(name, default)

    def write(self, name: str, value: object, operation: Operation = "set") -> None:
        """Change a variable."""
        self.variables[name] = changed(name, self.variables.get(name), operation, to_plain(value))


class HeldItems:
    """A memory of which each change takes effect at once; implements `studio.sdk.KeptItems`."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self.items = PlainItems(items)
        self.reads: list[tuple[Purpose, str, Sequence[Recalled]]] = []
        self.writes: list[Write] = []

    def read(
        self,
        query: str,
        search: Callable[[Items], Sequence[Recalled]],
        *,
        purpose: Purpose = "recall",
    ) -> Sequence[Recalled]:
        """Look into it, and keep what was looked for and found."""
        found = search(self.items)
        self.reads.append((purpose, query, found))
        return found

    def put(self, item: Item, why: str = "") -> None:
        """Put an item in."""
        self._change(Write("put", item, why))

    def remove(self, item_id: str, why: str = "") -> None:
        """Take an item out."""
        self._change(Write("remove", Item(item_id, ""), why))

    def use(self, item_id: str, at: str) -> None:
        """Count that an item was of use."""
        self._change(Write("use", Item(item_id, "", at=at)))

    def _change(self, write: Write) -> None:
        self.writes.append(write)
        self.items = self.items.applied([write])
