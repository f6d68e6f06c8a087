"""JSON: a fixed JSON value.

Wire it into a For each to go through a fixed list, or into a template that takes fields of it.

```json
{"settings": {"value": ["hedge", "pond"]}, "outputs": {"value": ["hedge", "pond"]}}
```
"""

from typing import Annotated

from studio.sdk import Json, Out, Setting, node


@node("value.json", title="JSON", keywords=("constant", "list", "object", "number"))
def json_value(
    *,
    value: Annotated[Json, Setting("Value", editor="json")] = None,
) -> Annotated[Json, Out("value", "The value")]:
    """Give `value` as it is."""
    return value
