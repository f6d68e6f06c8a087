"""What a tool is called with, from a value that was not made for it."""

import json
from collections.abc import Mapping
from typing import Any

from studio.bounds.schemas import mismatch
from studio.building_blocks.values.json_kinds import is_object
from studio.sdk import Json, Tool, ToolError


def names_taken(tool: Tool) -> list[str]:
    """What a tool calls the arguments that it takes, in their order."""
    parameters: Mapping[str, Any] = tool.parameters
    return list(parameters.get("properties") or ())


def call_line(tool: Tool) -> str:
    """A tool in one line, with what it takes."""
    return f"- {tool.name}({', '.join(names_taken(tool))}): {tool.description}"


def arguments_for(tool: Tool, given: Json) -> str:
    """Write what `tool` is called with, as JSON; raises `ToolError` where that is not what it wants.

    An object is the arguments; any other value is the one thing that the tool wants.
    """
    parameters: Mapping[str, Any] = tool.parameters
    wanted = [str(name) for name in parameters.get("required") or parameters.get("properties") or ()]
    if is_object(given):
        arguments: Mapping[str, Any] = given
    elif len(wanted) == 1:
        arguments = {wanted[0]: given}
    else:
        raise ToolError(f"It expects {', '.join(wanted) or 'nothing'}: pass an object of arguments.")
    problem = mismatch(arguments, {"type": "object", **parameters}, "the call")
    if problem:
        raise ToolError(f"It was not called: {problem}")
    return json.dumps(arguments, ensure_ascii=False)
