r"""Retry: try tools one after another until one succeeds.

Who is asked are tools that other nodes lend, in the order of their wires: a search, then a file, then a flow
of the project. Each gets the same input, `attempts` times at most; the first answer that is no error is the
result. What each was asked and said is a child step. Only when nobody can answer does the step fail, and says
what each one said.

The input is an object of arguments, or a text (or any other value) for tools that want one thing only.

```json
{
  "settings": {"attempts": 2},
  "inputs": {"input": "may.txt"},
  "lent": {
    "tools": [
      {"name": "from_archive", "argument": "path", "fails": "The archive is closed."},
      {"name": "from_folder", "argument": "path", "answers": "A dunnock sang."}
    ]
  },
  "outputs": {"result": "A dunnock sang.", "used": "from_folder"}
}
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from studio.building_blocks.agents.tool_arguments import arguments_for
from studio.sdk import Context, Effect, In, Json, Out, Setting, StepError, Tool, ToolCall, ToolError, node


@dataclass(frozen=True, slots=True)
class Answered:
    """What the first who could answered, and who that was."""

    result: Annotated[str, Out("result", "The result of the first tool that succeeded")]
    used: Annotated[str, Out("used", "The name of that tool")]


@node(
    "control.retry",
    title="Retry",
    effect=Effect.PAID_READ,
    keywords=("fallback", "chain", "again", "attempt", "robust", "alternative"),
)
async def retry(
    context: Context,
    input: Annotated[Json, In("The arguments: an object, or the single argument")],  # noqa: A002
    tools: Annotated[Sequence[Tool], In("The tools to try, in this order")],
    *,
    attempts: Annotated[int, Setting("Attempts each", minimum=1, maximum=100)] = 1,
    pause: Annotated[
        float,
        Setting("Pause", minimum=0, maximum=3600, help="Seconds between two attempts with the same tool"),
    ] = 0,
    only: Annotated[
        tuple[str, ...],
        Setting("Only these tools", editor="list", help="If a node provides several; empty: all"),
    ] = (),
) -> Answered:
    """Call `tools` with `input` in order until one succeeds; raises `StepError` when none does."""
    said: list[str] = []
    for tool in tools:
        if only and tool.name not in only:
            continue
        reason = ""
        for attempt in range(attempts):
            if attempt:
                await context.sleep(pause)
            try:
                call = ToolCall(f"{tool.name}_{attempt + 1}", tool.name, arguments_for(tool, input))
                return Answered(await context.call(tool, call, raises=True), tool.name)
            except ToolError as error:
                reason = str(error)
        said.append(f"`{tool.name}`: {reason}")
    if not said:
        raise StepError("No tool is attached.", hint="Wire tools to it, or check the names in its settings.")
    raise StepError(f"All tools failed. {' '.join(said)}")
