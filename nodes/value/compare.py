"""Compare: compare two values.

Values are equal when their JSON is: 1 and 1.0 are, 1 and true are not. *Less* and *greater* take two numbers
or two texts. *Contains* looks for a part of a text, an element of a list, or the name of a field. With a
tolerance, numbers that are no further apart are equal.

Wire the result into a Branch, or into Expect. For more than one comparison, use Formula.

```json
{
  "inputs": {"a": "A Wren", "b": "wren"},
  "settings": {"operator": "contains", "ignore_case": true},
  "outputs": {"result": true}
}
```
"""

from typing import Annotated, Literal

from studio.building_blocks.values.json_kinds import is_list, is_number, is_object
from studio.building_blocks.values.likeness import is_alike
from studio.sdk import In, Json, Out, Setting, StepError, node


@node(
    "value.compare", title="Compare", keywords=("equal", "less", "greater", "contains", "condition", "test")
)
def compare(
    a: Annotated[Json, In("The first value")],
    b: Annotated[Json, In("The second value")],
    *,
    operator: Annotated[
        Literal["equal", "not equal", "less", "at most", "greater", "at least", "contains", "is one of"],
        Setting("Operator", help="How a is compared with b"),
    ] = "equal",
    ignore_case: Annotated[bool, Setting("Ignore case", help="Treat upper and lower case as equal")] = False,
    tolerance: Annotated[
        float, Setting("Tolerance", minimum=0, help="Largest difference between equal numbers")
    ] = 0,
) -> Annotated[bool, Out("result", "Whether the comparison holds")]:
    """Tell whether `a` stands to `b` as `operator` says."""
    if ignore_case:
        a, b = folded(a), folded(b)
    match operator:
        case "equal":
            return is_alike(a, b, tolerance)
        case "not equal":
            return not is_alike(a, b, tolerance)
        case "less":
            return order_of(a, b, tolerance) < 0
        case "at most":
            return order_of(a, b, tolerance) <= 0
        case "greater":
            return order_of(a, b, tolerance) > 0
        case "at least":
            return order_of(a, b, tolerance) >= 0
        case "contains":
            return has(a, b, tolerance)
        case "is one of":
            return has(b, a, tolerance)


def order_of(a: Json, b: Json, tolerance: float) -> int:
    """Give -1, 0 or 1 for less, equal or greater; raises `StepError` for what has no order."""
    if is_number(a) and is_number(b):
        return 0 if is_alike(a, b, tolerance) else -1 if a < b else 1
    if isinstance(a, str) and isinstance(b, str):
        return (a > b) - (a < b)
    message = "Only two numbers or two texts can be ordered."
    raise StepError(message, hint="Extract the number first.")


def has(whole: Json, part: Json, tolerance: float) -> bool:
    """Whether `part` is in `whole`; raises `StepError` for what contains nothing."""
    if isinstance(whole, str) and isinstance(part, str):
        return part in whole
    if is_list(whole):
        return any(is_alike(one, part, tolerance) for one in whole)
    if is_object(whole):
        return part in whole if isinstance(part, str) else False
    message = "Only text, lists and objects can contain something; and text only text."
    raise StepError(message)


def folded(value: Json) -> Json:
    """The value with all its texts in one case."""
    if isinstance(value, str):
        return value.casefold()
    if is_list(value):
        return [folded(one) for one in value]
    if is_object(value):
        return {name.casefold(): folded(one) for name, one in value.items()}
    return value
