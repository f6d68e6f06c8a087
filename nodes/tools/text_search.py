r"""Text search: full-text search in a folder of text files, as a tool.

The files are cut into passages at blank lines, and searched by words: the passages that say more of the
words, and rarer ones, come first; `sing` finds `singing`. The answer names the file and the lines of each
passage, so that an agent can cite it.

```json
{
  "files": {"notes/may.txt": "4 May\n\nA dunnock sings.\n\nFrost on the pond."},
  "settings": {"folder": "notes"},
  "calls": [{"tool": "text_search", "arguments": {"query": "singing"}}],
  "outputs": {"tool": [{"query": "singing", "found": 1, "passages": [
    {"file": "may.txt", "line": 3, "last_line": 3, "text": "A dunnock sings."}
  ]}]}
}
```
"""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from studio.building_blocks.settings.tools import ToolDescription, ToolName
from studio.sdk import Context, Folder, Setting, Tool, ToolError, Yields, binding

IGNORED = (
    "a about after all am an and any are as at be been before but by can could did do does for from had "
    "has have he her here him his how i if in into is it its me my no not of on or our out say says said "
    "seen she should so some tell than that the their them then there these they this those to up us was "
    "we were what when where which while who why will with would you your notes note"
)
"""What questions are made of, and what says nothing about their subject."""

BATCH = 200
"""Passages after which others may work for a moment."""

PARAMETERS = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "The words to look for"},
        "limit": {"type": "integer", "description": "How many passages at most"},
    },
    "required": ["query"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Passage:
    """Some lines of a file, numbered from 1."""

    file: str
    line: int
    last_line: int
    text: str


@binding(
    "tools.text_search", title="Text search", keywords=("retrieve", "rag", "find", "full text", "sqlite")
)
async def text_search(
    context: Context,
    *,
    folder: Annotated[
        str, Setting("Folder", editor="folder", help="Inside the project; empty: the whole project")
    ] = "",
    files: Annotated[str, Setting("Files", help="File pattern, such as *.txt")] = "*.txt",
    description: ToolDescription = (
        "Search the notes by words. Gives passages with file and line, the best first."
    ),
    name: ToolName = "text_search",
    limit: Annotated[int, Setting("Max. passages", minimum=1, maximum=100)] = 5,
    ignored: Annotated[str, Setting("Words to ignore", editor="text")] = IGNORED,
) -> Yields[Tool]:
    """Index the passages in memory, and lend the search."""
    passages: list[Passage] = []
    for passage in read_passages(context.folder(folder), files):
        passages.append(passage)
        if len(passages) % BATCH == 0:
            await context.sleep(0)
    with closing(sqlite3.connect(":memory:", check_same_thread=False)) as index:
        index.execute("CREATE VIRTUAL TABLE passage USING fts5(text, tokenize = 'porter unicode61')")
        for start in range(0, len(passages), BATCH):
            rows = enumerate((one.text for one in passages[start : start + BATCH]), start)
            index.executemany("INSERT INTO passage (rowid, text) VALUES (?, ?)", rows)
            await context.sleep(0)
        context.log(f"{len(passages)} passages in {folder or 'the project'}")
        skipped = frozenset(ignored.casefold().split())

        async def search(arguments: Mapping[str, object]) -> str:
            """Answer with the passages as JSON."""
            query, asked = str(arguments["query"]), arguments.get("limit")
            most = min(asked, limit) if isinstance(asked, int) and asked > 0 else limit
            found = [passages[row] for row in matching_rows(index, query, skipped, most)]
            return json.dumps(
                {"query": query, "found": len(found), "passages": [as_json(passage) for passage in found]},
                ensure_ascii=False,
            )

        yield Tool(name, description, PARAMETERS, search)


def read_passages(folder: Folder, pattern: str) -> Iterator[Passage]:
    """Cut the files of `folder` that match `pattern` at their blank lines."""
    names = folder.names(pattern)
    if not names:
        raise ToolError(f"No file here matches `{pattern}`.", hint="Check the folder and the pattern.")
    for name in names:
        block: list[str] = []
        for number, line in enumerate([*folder.read_text(name).splitlines(), ""], 1):
            if line.strip():
                block.append(line.strip())
            elif block:
                yield Passage(name, number - len(block), number - 1, " ".join(block))
                block = []


def matching_rows(index: sqlite3.Connection, query: str, skipped: frozenset[str], most: int) -> Sequence[int]:
    """Rank the passages that say any of the words of `query`, by BM25, ties by place."""
    words = [word for word in re.findall(r"\w+", query.casefold()) if word not in skipped]
    if not words:
        return ()
    any_word = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
    rows = index.execute(
        "SELECT rowid FROM passage WHERE passage MATCH ? ORDER BY bm25(passage), rowid LIMIT ?",
        (any_word, most),
    )
    return [row for (row,) in rows]


def as_json(passage: Passage) -> dict[str, object]:
    """Say where a passage stands, and what it says."""
    return {
        "file": passage.file,
        "line": passage.line,
        "last_line": passage.last_line,
        "text": passage.text,
    }
