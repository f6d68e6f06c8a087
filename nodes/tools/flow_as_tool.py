r"""Flow as tool: a flow of the project as a tool.

The inputs of the flow are what the agent gives, with their types, examples and help; those with a default
may be left out. The outputs are what it is answered: the only one as it is, several as a JSON object. The
steps of the flow are recorded inside the call, so that they can be looked at, held and forked; limits, the
project's files and the people who are asked are those of the run.

With *Caller input* the flow is told who calls: the input of that name is given the name of the agent that has
its turn in a team or a population, which is not asked for it; others have to say it. So a flow can be a world
or a game master: one with `actor` and `action` judges what somebody tries and keeps what comes of it in a
memory or a run variable, and another with `actor` says what that one observes.

A flow may lend itself to its own agents, as long as that ends some time: after so many calls within calls
the innermost one fails. What fails in the flow is told to the agent, which may go on without it, or it fails
the step of the agent.

```json
{
  "settings": {"flow": "summary.json"},
  "flows": {
    "summary.json": {
      "format": "stepwire.flow",
      "version": 1,
      "name": "Summary",
      "nodes": {
        "text": {"kind": "io.flow_input"},
        "words": {"kind": "io.flow_input", "settings": {"type": "number", "default": 20}},
        "prompt": {
          "kind": "text.template",
          "settings": {"template": "In {{words}} words at most: {{text}}"}
        },
        "gist": {"kind": "io.flow_output"}
      },
      "wires": [
        "text.value -> prompt.text",
        "words.value -> prompt.words",
        "prompt.text -> gist.value"
      ]
    }
  },
  "calls": [{"tool": "summary", "arguments": {"text": "An owl called twice."}}],
  "outputs": {"tool": ["In 20 words at most: An owl called twice."]}
}
```
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from studio.building_blocks.settings.tools import CallDepth, CalledFlow
from studio.sdk import (
    CalledFlowError,
    Context,
    Effect,
    Json,
    Setting,
    StepError,
    Tool,
    ToolError,
    Yields,
    binding,
    lendable_name,
)


def own_or_lendable_name(name: str) -> str:
    """Validate a name, where one is given."""
    return name and lendable_name(name)


@binding(
    "tools.flow_as_tool",
    title="Flow as tool",
    effect=Effect.PAID_READ,
    keywords=("subflow", "call", "function", "workflow", "delegate", "recursion", "nested", "game master"),
)
async def flow_as_tool(
    context: Context,
    *,
    flow: CalledFlow = "",
    name: Annotated[
        str,
        Setting("Name", help="Tool name; empty: the flow's name"),
        AfterValidator(own_or_lendable_name),
    ] = "",
    description: Annotated[
        str, Setting("Description", editor="text", help="Tool description; empty: the flow's own")
    ] = "",
    on_failure: Annotated[
        Literal["tell", "fail"],
        Setting("If the flow fails", help="Tell the agent, or fail the step"),
    ] = "tell",
    max_depth: CallDepth = 8,
    caller: Annotated[
        str,
        Setting("Caller input", help="Input that is given the name of the agent that calls; empty: none"),
    ] = "",
) -> Yields[Tool]:
    """Lend the flow."""
    lent = context.flow(flow, max_depth=max_depth)
    inputs: Mapping[str, Any] = lent.parameters
    if caller and caller not in inputs["properties"]:
        known = ", ".join(f"`{one}`" for one in inputs["properties"]) or "none"
        raise StepError(f"`{flow}` has no input `{caller}` for who calls.", hint=f"Its inputs are: {known}.")

    async def run(arguments: Mapping[str, object]) -> str:
        """Run the flow to its end; answers with what it gave."""
        try:
            return answer_of(await lent.call(arguments))
        except CalledFlowError as error:
            if on_failure == "fail":
                raise
            raise ToolError(error.message, hint=error.hint) from error

    yield Tool(
        name or lent.name,
        description or lent.description,
        lent.parameters,
        run,
        lent.effect,
        runs_steps=True,
        caller=caller,
    )


def answer_of(outputs: Mapping[str, Json]) -> str:
    """The only output as it is where that is a text, and otherwise JSON."""
    if not outputs:
        return "Done; there is nothing to say."
    given = next(iter(outputs.values())) if len(outputs) == 1 else dict(outputs)
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
