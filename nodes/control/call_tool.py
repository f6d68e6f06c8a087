r"""Call tool: call an attached tool as a step.

Nobody has to choose it: the flow says which tool is called, and with what. The arguments arrive as one
object, as one value for a tool that wants one thing only, or each at an input of its own (the setting *Inputs
of their own*); what arrives at an input of its own wins. They are checked against what the tool says that it
wants.

`text` is what the tool answered, and `json` the same where that is JSON, otherwise null. Where the tool says
no, the step fails in its words, and follows its error policy.

```json
{
  "settings": {"tool_name": "find_lines", "fields": ["text"]},
  "inputs": {"text": "dunnock"},
  "lent": {
    "tool": [
      {"name": "list_files", "argument": "pattern", "answers": "may.txt"},
      {"name": "find_lines", "argument": "text", "answers": "[\"may.txt:2\"]"}
    ]
  },
  "outputs": {"text": "[\"may.txt:2\"]", "json": ["may.txt:2"]}
}
```
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, cast

from pydantic import AfterValidator

from studio.building_blocks.agents.tool_arguments import arguments_for
from studio.ids import is_identifier
from studio.sdk import (
    Context,
    DynamicIn,
    Effect,
    In,
    Json,
    Out,
    Port,
    PortName,
    PortType,
    Setting,
    StepError,
    Tool,
    ToolCall,
    ToolError,
    dynamic_inputs,
    node,
)


def argument_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Validate the names of inputs; raises `ValueError`."""
    wrong = [name for place, name in enumerate(names) if not is_identifier(name) or name in names[:place]]
    if wrong:
        raise ValueError(f"`{wrong[0]}` makes no input: use small letters, digits and `_`, each name once")
    return names


@dataclass(frozen=True, slots=True)
class Said:
    """What the tool answered, and the same as JSON where it is that."""

    text: Annotated[str, Out("text", "The tool's result")]
    json: Annotated[Json, Out("json", "The result as JSON; null if it is not JSON")]


@node(
    "control.call_tool",
    title="Call tool",
    effect=Effect.PAID_READ,
    keywords=("function", "invoke", "mcp", "action", "step"),
)
async def call_tool(
    context: Context,
    tool: Annotated[Sequence[Tool], In("The tool to call")],
    arguments: Annotated[Json, In("An object of arguments, or the single argument")] = None,
    *,
    tool_name: Annotated[
        str, Setting("Tool", help="If several are attached: the name of the tool to call")
    ] = "",
    fields: Annotated[  # noqa: ARG001  # it makes the inputs
        tuple[str, ...],
        Setting("Separate inputs", editor="list", help="Arguments that get their own input"),
        AfterValidator(argument_names),
    ] = (),
    **inputs: Annotated[object, DynamicIn("One for each argument that is named")],
) -> Said:
    """Call the tool once; raises `StepError` in its words where it says no."""
    chosen = chosen_tool(tool, tool_name)
    given = arguments
    if inputs or given is None:
        if given is not None and not isinstance(given, dict):
            raise StepError(
                "`arguments` is not an object, but there are inputs for single arguments as well."
            )
        given = cast("Json", {**(given or {}), **inputs})
    try:
        call = ToolCall(f"{chosen.name}_1", chosen.name, arguments_for(chosen, given))
        text = await context.call(chosen, call, raises=True)
    except ToolError as error:
        raise StepError(f"`{chosen.name}`: {error.message}", hint=error.hint) from error
    return Said(text, json_in(text))


def chosen_tool(tools: Sequence[Tool], name: str) -> Tool:
    """The tool of that name, or the only one; raises `StepError` where that names none."""
    found = [one for one in tools if not name or one.name == name]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f"`{one.name}`" for one in tools) or "nothing"
    problem = f"There is no tool `{name}`" if name and not found else "No tool is named"
    raise StepError(f"{problem}; attached: {names}.", hint="Name one in the setting `Tool`.")


def json_in(text: str) -> Json | None:
    """Read the text as JSON; None where it is something else."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@dynamic_inputs(call_tool)
def call_tool_inputs(*, fields: Sequence[str], **_: object) -> Sequence[Port]:
    """One input for each argument that is named."""
    return tuple(
        Port(PortName(name), PortType("json"), name.replace("_", " "), "An argument of the tool")
        for name in fields
    )
