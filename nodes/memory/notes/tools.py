"""What agents call to use notes: each does what the memory does, in the agent's name."""

from collections.abc import Mapping, Sequence

from studio.building_blocks.agents.tool_parameters import parameters
from studio.building_blocks.memories.recall import IMPORTANCE, weight_in
from studio.sdk import Context, Json, Memory, Note, Query, Recalled, Tool, ToolError

BEGINNING = 200
"""Characters of each note in a list."""

LISTED = 50
"""Notes in one list at most."""

KEY: Mapping[str, object] = {"type": "string", "description": "Such as draft/opening"}


def note_tools(
    context: Context,
    memory: Memory,
    by: str,
    prefix: str,
    *,
    reads: bool,
    writes: bool,
    weighs: bool = False,
) -> Sequence[Tool]:
    """The tools for one agent; where notes go by importance, whoever `weighs` says it."""
    made = [read_note(context, memory, by), find_notes(context, memory, by)] if reads else []
    made += (
        [write_note(context, memory, by, weighs=weighs), delete_note(context, memory, by)] if writes else []
    )
    return [
        Tool(f"{prefix}{one.name}", one.description, one.parameters, one.run, runs_steps=True) for one in made
    ]


def read_note(context: Context, memory: Memory, by: str) -> Tool:
    """The tool that reads one note."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Read it."""
        key = str(arguments["key"])
        fields: Mapping[str, Json] = {"key": key}
        found = await memory.recall(context, Query(by=by, most=1, fields=fields))
        if not found:
            raise ToolError(f"There is no note `{key}`.", hint="See which there are with `find_notes`.")
        return found[0].item.text

    return Tool("read_note", "Read a note.", parameters({"key": KEY}), run)


def find_notes(context: Context, memory: Memory, by: str) -> Tool:
    """The tool that looks for notes."""

    async def run(arguments: Mapping[str, object]) -> str:
        """List them, each with its beginning."""
        text, key = str(arguments.get("text", "")), str(arguments.get("key", ""))
        fields: Mapping[str, Json] = {"key": key} if key else {}
        found = await memory.recall(context, Query(text, LISTED, by=by, fields=fields))
        return "\n".join(map(line, found)) or "There are no such notes."

    wanted = {
        "text": {"type": "string", "description": "Words that they say; without any, the latest notes"},
        "key": {"type": "string", "description": "Of which key, such as draft/*"},
    }
    return Tool("find_notes", "List notes with how they begin.", parameters(wanted, []), run)


def write_note(context: Context, memory: Memory, by: str, *, weighs: bool = False) -> Tool:
    """The tool that writes one note."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Write it."""
        fields: dict[str, Json] = {"key": str(arguments["key"])}
        fields |= weight_in(arguments)
        [made] = await memory.remember(context, [Note(str(arguments["text"]), fields, by)])
        return f"Noted under `{made.id}`."

    text = {"text": {"type": "string", "description": "All that is to stand there"}}
    told = "Write a note, in the place of the one that has its key."
    more = {"importance": IMPORTANCE} if weighs else {}
    return Tool("write_note", told, parameters({"key": KEY, **text, **more}, ["key", "text"]), run)


def delete_note(context: Context, memory: Memory, by: str) -> Tool:
    """The tool that deletes one note."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Delete it."""
        key = str(arguments["key"])
        fields: Mapping[str, Json] = {"ids": [key]}
        gone = await memory.forget(context, Query(by=by, fields=fields))
        if not gone:
            raise ToolError(f"There is no note `{key}`.", hint="See which there are with `find_notes`.")
        return f"Deleted: `{key}`."

    return Tool("delete_note", "Delete a note.", parameters({"key": KEY}), run)


def line(found: Recalled) -> str:
    """A note in one line."""
    text = " ".join(found.item.text.split())
    return f"- {found.item.id}: {text if len(text) <= BEGINNING else text[:BEGINNING] + '…'}"
