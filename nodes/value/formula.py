"""Formula: compute a value with an expression.

Write an expression, and the node grows an input for each name in it. There are numbers, texts, lists,
objects, `+ - * / // % **`, comparisons, `and or not in`, `if else`, indexing, and the functions `len min max
sum abs round lower upper startswith endswith matches any all`. A field is `verdict["reason"]`. It is the
language of branch rules and of breakpoint conditions: no loops, and nothing that reaches out or runs away.

```json
{
  "settings": {"formula": "round(total / len(birds), 1) if birds else 0"},
  "inputs": {"total": 7, "birds": ["wren", "dunnock"]},
  "outputs": {"value": 3.5}
}
```
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator

from studio.errors import ExpressionError
from studio.ids import is_identifier
from studio.sdk import DynamicIn, Json, Out, Port, PortName, PortType, Setting, dynamic_inputs, node
from studio.sdk.expressions import compile_expression, free_names
from studio.sdk.values import to_plain


def open_formula(text: str) -> str:
    """Validate an expression whose names are inputs; raises `ValueError`."""
    try:
        names = free_names(text)
    except ExpressionError as error:
        raise ValueError(str(error)) from error
    for name in names:
        if not is_identifier(name):
            raise ValueError(f"`{name}` cannot be an input: use lowercase letters, digits and `_`")
    return text


@node("value.formula", title="Formula", keywords=("expression", "compute", "calculate", "math", "sum"))
def formula(
    *,
    formula: Annotated[
        str,
        Setting("Formula", editor="expression", help="Each name in it becomes an input"),
        AfterValidator(open_formula),
    ] = "0",
    **values: Annotated[object, DynamicIn("One for each name in the formula")],
) -> Annotated[Json, Out("value", "The result")]:
    """Compute `formula` over `values`."""
    return to_plain(compile_expression(formula, tuple(values)).evaluate(values))


@dynamic_inputs(formula)
def formula_inputs(*, formula: str) -> Sequence[Port]:
    """One input for each name."""
    return tuple(
        Port(PortName(name), PortType("json"), name.replace("_", " "), f"`{name}` in the formula")
        for name in free_names(formula)
    )
