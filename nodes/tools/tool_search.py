r"""Tool search: a tool that finds other tools, for when there are many.

Each tool that an agent is offered costs tokens in every call, and with many of them it chooses worse. Here
the agent is offered two: `find_tools` gives the few whose names and descriptions fit its words best, with
what they want to be called with, and `call_found_tool` calls one. What is called is a step of its own.

```json
{
  "lent": {
    "tools": [
      {"name": "count_birds", "argument": "place", "answers": "2 wrens"},
      {"name": "send_mail", "argument": "text", "answers": "sent"}
    ]
  },
  "settings": {"most": 1},
  "calls": [
    {"tool": "find_tools", "arguments": {"query": "count the birds"}},
    {"tool": "call_found_tool", "arguments": {"name": "count_birds", "arguments": {"place": "hedge"}}}
  ],
  "outputs": {"tool": [
    [{"name": "count_birds", "description": "", "parameters": {
      "type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]
    }}],
    "2 wrens"
  ]}
}
```
"""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated

from studio.building_blocks.agents.tool_arguments import arguments_for
from studio.building_blocks.agents.tool_retrieval import fitting
from studio.sdk import (
    Context,
    Effect,
    In,
    Json,
    Setting,
    Tool,
    ToolCall,
    ToolError,
    Yields,
    binding,
    strongest,
)

FIND: dict[str, object] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "What the tool should do"}},
    "required": ["query"],
    "additionalProperties": False,
}
CALL: dict[str, object] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "The name of a tool that was found"},
        "arguments": {"type": "object", "description": "What it is called with"},
    },
    "required": ["name", "arguments"],
    "additionalProperties": False,
}


@binding(
    "tools.tool_search",
    title="Tool search",
    effect=Effect.SIDE_EFFECT,
    keywords=("find", "retrieve", "many", "select", "tools", "index"),
)
async def tool_search(
    context: Context,
    tools: Annotated[Sequence[Tool], In("The tools to search")] = (),
    *,
    most: Annotated[int, Setting("Max. tools", minimum=1, maximum=50, help="Per search")] = 5,
) -> Yields[Sequence[Tool]]:
    """Lend the search, and the call of what it finds."""
    by_name = {tool.name: tool for tool in tools}

    async def find(arguments: Mapping[str, object]) -> str:
        """Describe the tools that fit best."""
        found = fitting(tools, str(arguments["query"]), most)
        if not found:
            raise ToolError("No tool fits these words.", hint=f"There are: {', '.join(by_name)}.")
        return json.dumps([described(tool) for tool in found], ensure_ascii=False)

    async def call(arguments: Mapping[str, object]) -> str:
        """Call the tool that is named, as a step of its own."""
        tool = by_name.get(str(arguments["name"]))
        if tool is None:
            raise ToolError(f"There is no tool `{arguments['name']}`.", hint="Find one with `find_tools`.")
        given: Json = json.loads(json.dumps(arguments["arguments"]))
        return await context.call(tool, ToolCall("", tool.name, arguments_for(tool, given)), raises=True)

    yield [
        Tool("find_tools", f"Search {len(tools)} more tools by what they do.", FIND, find),
        Tool("call_found_tool", "Call a tool that was found.", CALL, call, effect_of(tools), runs_steps=True),
    ]


def described(tool: Tool) -> dict[str, object]:
    """What an agent has to know of a tool to call it."""
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}


def effect_of(tools: Sequence[Tool]) -> Effect:
    """What a call may do: the most that any of the tools does."""
    return strongest(*(tool.effect for tool in tools))
