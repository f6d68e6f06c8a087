"""Tools that are told who calls them: whoever lets an agent have its turn says it in the agent's place."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from studio.sdk import Copies, Json, Tool


def acting_as(name: str, tools: Sequence[Tool]) -> list[Tool]:
    """The tools as somebody of this name calls them: those that ask who calls are told."""
    return [told(tool, name) if tool.caller else tool for tool in tools]


def told(tool: Tool, name: str) -> Tool:
    """The tool without the argument that says who calls."""

    async def run(arguments: Mapping[str, object]) -> str:
        """Call it with that argument."""
        return await tool.run({**arguments, tool.caller: name})

    return replace(
        tool,
        parameters=without(tool.parameters, tool.caller),
        run=run,
        caller="",
        of=tool.of or tool,
        copies=tool.copies and saying(tool.copies, tool.caller, name),
    )


def saying(copies: Copies, caller: str, name: str) -> Copies:
    """The copies in which the tool is tried, with that argument."""

    async def run(arguments: Mapping[str, object], state: Json) -> tuple[str, Json]:
        """Try it with that argument."""
        return await copies.run({**arguments, caller: name}, state)

    return replace(copies, run=run)


def without(parameters: Mapping[str, Any], name: str) -> dict[str, object]:
    """The schema of an object without one of its properties."""
    left = {key: one for key, one in parameters["properties"].items() if key != name}
    return {
        **parameters,
        "properties": left,
        "required": [one for one in parameters["required"] if one != name],
    }
