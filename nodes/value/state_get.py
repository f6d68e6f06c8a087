"""Get variable: read a run variable that Set variable has written.

It reads when it runs. Inside a For each whose items run at once, an item sees what was there when the For
each began, and what it wrote itself; items that run one at a time also see what those before them wrote.

To read it again in every round of a loop, wire the loop's `round` to `after`. Order it behind the steps that
write the variable by a wire, if only from their `then` to `after`.

```json
{
  "variables": {"seen": ["wren", "owl"]},
  "settings": {"name": "seen"},
  "outputs": {"value": ["wren", "owl"]}
}
```
"""

from typing import Annotated, Literal

from studio.sdk import Context, Json, Out, Setting, StepError, node


@node(
    "value.state_get",
    title="Get variable",
    variable="reads",
    keywords=("state", "variable", "counter", "global", "read", "recall"),
)
def state_get(
    context: Context,
    *,
    name: Annotated[str, Setting("Variable")] = "variable",
    default: Annotated[Json, Setting("Default", help="Value before anything is written")] = None,
    missing: Annotated[Literal["default", "fail"], Setting("If nothing was written")] = "default",
) -> Annotated[Json, Out("value", "The current value")]:
    """Read the variable `name`."""
    if missing == "fail" and not context.state.has(name):
        message = f"Nothing has been written to the variable `{name}`."
        raise StepError(message, hint="Run it after the step that writes the variable, or use a default.")
    return context.state.read(name, default)
