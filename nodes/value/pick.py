"""Pick: get one part of a JSON value.

The path is written with dots, and counts lists from 0: `verdict.reasons.0`, or from the end: `tags.-1`. For
several parts at once, or for conditions, use Extract with JMESPath.

```json
{
  "inputs": {"value": {"verdict": {"accepted": false, "reasons": ["no day", "no place"]}}},
  "settings": {"path": "verdict.reasons.0"},
  "outputs": {"value": "no day"}
}
```
"""

from typing import Annotated, Literal

from studio.building_blocks.values.json_paths import value_at
from studio.sdk import In, Json, Out, Setting, StepError, node


@node("value.pick", title="Pick", keywords=("field", "get", "path", "key", "property", "element"))
def pick(
    value: Annotated[Json, In("An object or a list")],
    *,
    path: Annotated[str, Setting("Path", help="Such as verdict.reasons.0; empty: all of it")] = "",
    missing: Annotated[Literal["fail", "null"], Setting("If it is missing")] = "fail",
) -> Annotated[Json, Out("value", "The value at that path")]:
    """Take what stands at `path` in `value`."""
    try:
        return value_at(value, path)
    except StepError:
        if missing == "fail":
            raise
        return None
