"""Set variable: set a run variable, and pass the value on.

`set` puts the value in, `append` puts it at the end of a list, `add` adds it to a number, and `merge` puts
the fields of an object into an object. Nothing has to be there before: a list, a number or an object begins
empty.

Every step of the run can read the variable with Get variable, in subflows too. The change takes effect when
the step finishes, so that what fails leaves nothing behind; inside a For each, when the item ends, in the
order of the items. Order the steps that share a variable by wires, if only from `then` to `after`.

```json
{
  "variables": {"seen": ["wren"]},
  "inputs": {"value": "owl"},
  "settings": {"name": "seen", "how": "append"},
  "outputs": {"value": "owl"}
}
```
"""

from typing import Annotated, Literal

from studio.sdk import Context, In, Out, Setting, T, node


@node(
    "value.state_set",
    title="Set variable",
    variable="writes",
    keywords=("state", "variable", "counter", "append", "accumulate", "global", "assign"),
)
def state_set(
    value: Annotated[T, In("The value to store and pass on")],
    context: Context,
    *,
    name: Annotated[str, Setting("Variable")] = "variable",
    how: Annotated[
        Literal["set", "append", "add", "merge"],
        Setting("How", help="Replace, append to a list, add to a number, or merge into an object"),
    ] = "set",
) -> Annotated[T, Out("value", "The same value")]:
    """Change the variable `name` by `value`."""
    context.state.write(name, value, how)
    return value
