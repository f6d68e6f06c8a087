"""Merge: join the paths of a branch.

It waits until it is known of every wire whether a value comes, and gives the first that came, in wire
order; or all of them, as a list.

```json
{
  "settings": {"gives": "all"},
  "ports": {"inputs": {"values": "T[]"}, "outputs": {"value": "T[]"}}
}
```
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from studio.sdk import Port, PortName, PortType, Setting, Structure, structural


class MergeSettings:
    """What a merge is told."""

    gives: Annotated[
        Literal["first", "all"], Setting("Output", help="The first value, or all of them as a list")
    ] = "first"


def merge_outputs(*, gives: str) -> Sequence[Port]:
    """One value, or a list of them."""
    made = PortType("T", 1 if gives == "all" else 0)
    return (Port(PortName("value"), made, "value", "The first value in wire order, or all of them"),)


merge = structural(
    "control.merge",
    Structure.MERGE,
    title="Merge",
    inputs=(Port(PortName("values"), PortType("T", 1), "values", "The paths to join", many=True),),
    settings=MergeSettings,
    outputs_of=merge_outputs,
    keywords=("join", "coalesce", "either"),
)
