"""What agents call to use a graph of triples."""

from collections.abc import Mapping, Sequence

from studio.building_blocks.agents.tool_parameters import parameters
from studio.sdk import Context, Json, Memory, Note, Query, Tool, ToolError

ABOUT = {"about": {"type": "string", "description": "A question, or names of things"}}
TRIPLE = {
    "subject": {"type": "string", "description": "A thing, by its full name"},
    "relation": {"type": "string", "description": "How it stands to the object: a verb or preposition"},
    "object": {"type": "string", "description": "Another thing, or a value"},
}


def graph_tools(context: Context, memory: Memory, by: str, prefix: str) -> Sequence[Tool]:
    """The tools for one agent."""
    made = [find_related(context, memory, by), add_relation(context, memory, by)]
    made.append(remove_relation(context, memory, by))
    return [
        Tool(f"{prefix}{one.name}", one.description, one.parameters, one.run, runs_steps=True) for one in made
    ]


def find_related(context: Context, memory: Memory, by: str) -> Tool:
    """The tool that follows relations."""

    async def run(arguments: Mapping[str, object]) -> str:
        """List what is connected, each with the way that leads there."""
        found = await memory.recall(context, Query(str(arguments["about"]), by=by))
        return "\n".join(f"- {one.item.text} ({one.why})" for one in found) or "Nothing is known of that."

    return Tool("find_related", "Find what is related to a thing.", parameters(ABOUT), run)


def add_relation(context: Context, memory: Memory, by: str) -> Tool:
    """The tool that adds a triple."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Add it."""
        fields: Mapping[str, Json] = {name: str(arguments[name]) for name in TRIPLE}
        [made] = await memory.remember(context, [Note("", fields, by)])
        return f"Known from now on: {made.text}"

    return Tool("add_relation", "Remember how two things are related.", parameters(TRIPLE), run)


def remove_relation(context: Context, memory: Memory, by: str) -> Tool:
    """The tool that removes a triple."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Remove it."""
        fields: Mapping[str, Json] = {name: str(arguments[name]) for name in TRIPLE}
        gone = await memory.forget(context, Query(by=by, fields=fields))
        if not gone:
            raise ToolError("That is not known.", hint="See what is with `find_related`.")
        return f"Forgotten: {gone[0].text}"

    return Tool("remove_relation", "Forget how two things are related.", parameters(TRIPLE), run)
